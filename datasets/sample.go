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

// Selection picks items of a set. The zero value picks all of them.
type Selection struct {
	IDs        []string // only these, where not nil
	Sample     int      // then this many of them, drawn by Seed; 0 for all
	SampleEach int      // or this many of each group; 0 for all
	Seed       int64
	Limit      int // then the first this many, in file order; 0 for all
}

// Pick returns the indexes of the selected items, in file order.
//
// A sample is the items with the smallest SHA-256 of seed and id. It depends on nothing but those two, so that every
// model, goal and stage is given the same items, whatever the order of the file, and a larger sample holds the smaller.
// That of a group is the same whatever other groups there are.
func (sel Selection) Pick(s *Set) ([]int, error) {
	if sel.Sample > 0 && sel.SampleEach > 0 {
		return nil, errors.New("a sample of all items and one of each group: choose one")
	}
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	rows, err := sel.withIDs(s, rows)
	if err != nil {
		return nil, err
	}
	if sel.Sample > 0 {
		rows = sel.smallest(s, rows, sel.Sample)
	}
	if sel.SampleEach > 0 {
		groups := map[string][]int{}
		for _, i := range rows {
			groups[s.Group(i)] = append(groups[s.Group(i)], i)
		}
		rows = rows[:0]
		for _, of := range groups {
			rows = append(rows, sel.smallest(s, of, sel.SampleEach)...)
		}
		slices.Sort(rows)
	}
	if sel.Limit > 0 && sel.Limit < len(rows) {
		rows = rows[:sel.Limit]
	}
	return rows, nil
}

func (sel Selection) withIDs(s *Set, rows []int) ([]int, error) {
	if sel.IDs == nil {
		return rows, nil
	}
	want := make(map[string]bool, len(sel.IDs))
	for _, id := range sel.IDs {
		want[id] = true
	}
	rows = slices.DeleteFunc(rows, func(i int) bool { return !want[s.ID(i)] })
	for _, i := range rows {
		delete(want, s.ID(i))
	}
	for _, id := range sel.IDs {
		if want[id] {
			return nil, fmt.Errorf("id %q is not in %s (%d of the %d ids are missing)", id, s.label(), len(want), len(sel.IDs))
		}
	}
	return rows, nil
}

// smallest are the n of rows with the smallest keys, in file order.
func (sel Selection) smallest(s *Set, rows []int, n int) []int {
	if n >= len(rows) {
		return rows
	}
	drawn := make([]int, 0, n)
	for _, k := range Order(len(rows), func(k int) string { return s.ID(rows[k]) }, sel.Seed)[:n] {
		drawn = append(drawn, rows[k])
	}
	slices.Sort(drawn)
	return drawn
}

// Order is the order in which n items are drawn by a seed: a sample of so many is the first so many of it.
func Order(n int, id func(i int) string, seed int64) []int {
	keys, order := make([]uint64, n), make([]int, n)
	for i := range order {
		keys[i], order[i] = hash("%d\x00%s", seed, id(i)), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), strings.Compare(id(a), id(b)))
	})
	return order
}

// hash is a number that only what is written decides.
func hash(format string, args ...any) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return binary.BigEndian.Uint64(sum[:8])
}

// ReadIDs reads a file of item ids, one a line; empty lines and lines that start with # are passed over.
func ReadIDs(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen := map[string]int{}
	var ids []string
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		id := strings.TrimSpace(in.Text())
		if id == "" || strings.HasPrefix(id, "#") {
			continue
		}
		if first, ok := seen[id]; ok {
			return nil, fmt.Errorf("%s:%d: id %q stands in line %d already", path, n, id, first)
		}
		seen[id] = n
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
