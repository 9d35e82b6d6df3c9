package judging

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDeal: the shards of a set are all of its items, none twice, as many each as can be, and the same whatever the
// order of the file.
func TestDeal(t *testing.T) {
	ids := make([]string, 103)
	for i := range ids {
		ids[i] = fmt.Sprint("item-", i)
	}
	mixed := slices.Clone(ids)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	for _, of := range []int{1, 2, 7, 16, 103, 200} {
		counts := map[string]int{}
		for index := 1; index <= of; index++ {
			s := &Shard{Index: index, Count: of, Items: len(ids)}
			namesOf := func(ids []string) (names []string) {
				for _, i := range s.SelectItems(len(ids), func(i int) string { return ids[i] }) {
					names = append(names, ids[i])
				}
				slices.Sort(names)
				return names
			}
			indexes := namesOf(ids)
			if other := namesOf(mixed); !slices.Equal(indexes, other) {
				t.Errorf("shard %s of a file in another order: %v and %v", s, indexes, other)
			}
			if n := len(indexes); n != len(ids)/of && n != len(ids)/of+1 {
				t.Errorf("shard %s has %d of %d items", s, n, len(ids))
			}
			for _, id := range indexes {
				counts[id]++
			}
			s.SetPlaces(s.SelectItems(len(ids), func(i int) string { return ids[i] }))
			if places, err := s.ReadPlaces(len(indexes)); err != nil ||
				!slices.Equal(places, s.SelectItems(len(ids), func(i int) string { return ids[i] })) {
				t.Errorf("shard %s: its places are read as %v, %v", s, places, err)
			}
		}
		for _, id := range ids {
			if counts[id] != 1 {
				t.Errorf("%s is in %d of %d shards", id, counts[id], of)
			}
		}
	}
	got := (&Shard{Index: 2, Count: 3}).SelectItems(8, func(i int) string { return ids[i] })
	if !slices.Equal(got, []int{1, 5, 6}) {
		t.Errorf("shard 2 of 3 of eight items is %v: shards that were made before have others", got)
	}
}

func TestDamagedPlaces(t *testing.T) {
	for _, places := range []string{"0 1", "0 1 2 3", "0 -1 2", "0 x 1", "0 5 5", "99999999999999999999 0 0"} {
		if got, err := (&Shard{Items: 10, Places: places}).ReadPlaces(3); err == nil {
			t.Errorf("%q is read as %v", places, got)
		}
	}
}

func TestShardFolders(t *testing.T) {
	for try, want := range map[int]string{0: "x_shard-3-of-16", 1: "x_shard-3-of-16", 2: "x_shard-3-of-16_try-2"} {
		if got := "x" + ShardSuffix(3, 16, try); got != want {
			t.Errorf("try %d is in %s, want %s", try, got, want)
		}
	}
}
