package datasets

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Selection picks items of a set. The zero value picks all.
type Selection struct {
	IDs           []string // ids of the items to pick from; nil: all
	Sample        int      // number of items to draw from these by Seed; 0: all
	ItemsPerGroup int      // number of items to draw from each group in place of Sample; 0: all
	Seed          int64    // of the draw
	Limit         int      // number of the drawn items to keep, the first in file order; 0: all
}

// Pick returns the indexes of the selected items, in file order.
//
// A sample consists of the items with the smallest SHA-256 of seed and id. It depends only on these, so every model,
// goal and stage gets the same items in any file order, and a larger sample contains the smaller one. The sample of a
// group does not depend on other groups.
func (sel Selection) Pick(s *Set) ([]int, error) {
	if sel.Sample > 0 && sel.ItemsPerGroup > 0 {
		return nil, errors.New("a sample of all items and one of each group: choose one")
	}
	rows, err := sel.withIDs(s, FirstIndexes(s.Len()))
	if err != nil {
		return nil, err
	}
	if sel.Sample > 0 {
		rows = sel.drawRows(s, rows, sel.Sample)
	}
	if sel.ItemsPerGroup > 0 {
		groups := map[string][]int{}
		for _, i := range rows {
			groups[s.GroupOf(i)] = append(groups[s.GroupOf(i)], i)
		}
		rows = rows[:0]
		for _, group := range groups {
			rows = append(rows, sel.drawRows(s, group, sel.ItemsPerGroup)...)
		}
		slices.Sort(rows)
	}
	if sel.Limit > 0 && sel.Limit < len(rows) {
		rows = rows[:sel.Limit]
	}
	return rows, nil
}

// withIDs returns those of rows, indexes in s, whose items have the ids of the selection. An id without an item is an
// error.
func (sel Selection) withIDs(s *Set, rows []int) ([]int, error) {
	if sel.IDs == nil {
		return rows, nil
	}
	want := make(map[string]bool, len(sel.IDs))
	for _, id := range sel.IDs {
		want[id] = true
	}
	rows = slices.DeleteFunc(rows, func(i int) bool { return !want[s.ItemID(i)] })
	for _, i := range rows {
		delete(want, s.ItemID(i))
	}
	for _, id := range sel.IDs {
		if want[id] {
			return nil, fmt.Errorf("id %q is not in %s (%d of the %d ids are missing)",
				id, s.displayName(), len(want), len(sel.IDs))
		}
	}
	return rows, nil
}

// drawRows returns those n of rows that come first in the order that the seed draws, in file order.
func (sel Selection) drawRows(s *Set, rows []int, n int) []int {
	if n >= len(rows) {
		return rows
	}
	sample := make([]int, 0, n)
	for _, k := range DrawOrder(len(rows), func(k int) string { return s.ItemID(rows[k]) }, sel.Seed)[:n] {
		sample = append(sample, rows[k])
	}
	slices.Sort(sample)
	return sample
}

// FirstIndexes returns the numbers from 0 to n-1.
func FirstIndexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// DrawOrder returns the indexes of n items in the order in which a seed draws them: a sample of k has the first k.
func DrawOrder(n int, id func(i int) string, seed int64) []int {
	keys, order := make([]uint64, n), FirstIndexes(n)
	for i := range keys {
		keys[i] = hash("%d\x00%s", seed, id(i))
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), strings.Compare(id(a), id(b)))
	})
	return order
}

// HeldOut describes a part of the items of a source, which is chosen by their ids alone.
type HeldOut struct {
	Share  float64 `json:"share"`  // share of the items, 0 to 1
	Seed   int64   `json:"seed"`   // seed of the choice
	Source string  `json:"source"` // source of the items, such as mt-bench; its clusters stay together
}

// Contains reports whether the part has an item, given by its id.
func (h HeldOut) Contains(id string) bool {
	if cluster, _ := ClusterFunc(h.Source); cluster != nil {
		id = cluster(id)
	}
	return float64(hash("held out %d\x00%s", h.Seed, id)) < h.Share*(1<<64)
}

// hash returns a number that depends only on the formatted text.
func hash(format string, args ...any) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return binary.BigEndian.Uint64(sum[:8])
}

// ReadIDs reads a file of item ids, one per line; empty lines and lines that start with # are skipped.
func ReadIDs(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := map[string]int{}
	var ids []string
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		id := strings.TrimSpace(in.Text())
		if id == "" || strings.HasPrefix(id, "#") {
			continue
		}
		if first, ok := lines[id]; ok {
			return nil, fmt.Errorf("%s:%d: duplicate id %q, first in line %d", path, n, id, first)
		}
		lines[id] = n
		ids = append(ids, id)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: no ids in it; write one id per line", path)
	}
	return ids, nil
}
