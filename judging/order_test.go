package judging_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/judging"
)

// TestDrawOrderHoldsOut: the items that are held out come last, each part in the order of the seed, and the items of a
// cluster are in one part.
func TestDrawOrderHoldsOut(t *testing.T) {
	var ids []string
	for i := range 90 {
		ids = append(ids, fmt.Sprintf("%d:%d", i/9, i%9))
	}
	seed := int64(3)
	m := judging.Manifest{OrderSeed: &seed}
	plain := judging.ShuffleIDs(ids, seed)
	if !slices.Equal(m.DrawOrder(ids), plain) {
		t.Error("another order although no item is held out")
	}
	m.HeldOut = &datasets.HeldOut{Share: 0.5, Seed: seed, Source: "rm-bench"}
	got := m.DrawOrder(ids)
	n := slices.IndexFunc(got, m.HeldOut.Contains)
	if n <= 0 || n%9 != 0 || slices.ContainsFunc(got[n:], func(id string) bool { return !m.HeldOut.Contains(id) }) {
		t.Fatalf("%d of %v come first", n, got)
	}
	clusters := map[string]int{}
	for i, id := range got {
		cluster, _, _ := strings.Cut(id, ":")
		if side, ok := clusters[cluster]; ok && side != min(1, i/n) {
			t.Errorf("cluster %s is in both parts", cluster)
		}
		clusters[cluster] = min(1, i/n)
	}
	for _, part := range [][]string{got[:n], got[n:]} {
		want := slices.DeleteFunc(slices.Clone(plain), func(id string) bool { return !slices.Contains(part, id) })
		if !slices.Equal(part, want) {
			t.Errorf("%v, want %v", part, want)
		}
	}
}
