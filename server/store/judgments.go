package store

import (
	"cmp"
	"hash/fnv"
	"io"
	"iter"
	"slices"

	"gavel/judging"
)

// Len is how many items there are.
func (x *Index) Len() int { return len(x.items) }

// ID of an item, which is good for as long as the index is held.
func (x *Index) ID(item int) string { return x.ids.At(item) }

// Find is the place of an item.
func (x *Index) Find(id string) (item int, ok bool) {
	item, ok = x.ids.Find(id)
	return item, ok && item < len(x.items)
}

// Group of an item.
func (x *Index) Group(item int) string { return x.groups[x.items[item].group] }

// Judged tells whether an item has a judgment.
func (x *Index) Judged(item int) bool { return x.items[item].first != 0 }

// Judgments gives the judgments of an item, in the order of presentations and repetitions.
func (x *Index) Judgments(item int) []Judgment {
	return slices.SortedFunc(x.judgmentsOf(x.items[item]), func(a, b Judgment) int {
		return cmp.Or(cmp.Compare(a.Presentation, b.Presentation), cmp.Compare(a.Repetition, b.Repetition))
	})
}

// judgmentsOf are an item's judgments, in the order of the records.
func (x *Index) judgmentsOf(e entry) iter.Seq[Judgment] {
	return func(yield func(Judgment) bool) {
		for k := e.first; k > 0 && yield(x.judgments[k-1]); k = x.judgments[k-1].next {
		}
	}
}

// Ended tells whether a judgment of the item has an outcome.
func (x *Index) Ended(item int, o judging.Outcome) bool {
	for g := range x.judgmentsOf(x.items[item]) {
		if g.Outcome() == o {
			return true
		}
	}
	return false
}

// Known is whether a verdict is right; nil where nobody can say.
func (r right) Known() *bool {
	if r == unlabelled {
		return nil
	}
	is := r == yes
	return &is
}

// ShownAs tells orders of an item's candidates apart, and ways of asking.
func ShownAs(mode string, order []string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, mode)
	for _, id := range order {
		io.WriteString(h, "\x00"+id)
	}
	return h.Sum32()
}
