package store

import (
	"cmp"
	"hash/fnv"
	"io"
	"iter"
	"math"
	"net/http"
	"os"
	"slices"

	"gavel/datasets"
	"gavel/internal/server/failure"
	"gavel/judging"
)

// Judged is a record with the verdict that is read from it.
type Judged struct {
	*judging.Record
	Verdict    judging.Verdict
	Confidence *float64 // nil where its probabilities are not told
}

// OpenItems opens items.jsonl of the run; nil where there is none, which may be closed too.
func (x *Index) OpenItems() *os.File {
	f, _, _ := x.store.Open(x.Run, judging.ItemsFile)
	return f
}

// ItemLine reads an item's line of the file that OpenItems opened; nil where that does not have it.
func (x *Index) ItemLine(items *os.File, item int) ([]byte, error) {
	e := x.items[item]
	if items == nil || e.length == 0 {
		return nil, nil
	}
	return x.line(items, e.offset, e.length)
}

// Item reads an item's line.
func (x *Index) Item(items *os.File, i int) (datasets.Item, error) {
	line, err := x.ItemLine(items, i)
	if err != nil {
		return datasets.Item{}, err
	}
	if line == nil {
		return datasets.Item{}, failure.New(http.StatusNotFound, "the run's folder does not have the texts of this item")
	}
	item, err := judging.ItemOf(x.Manifest, line)
	if err != nil || item.ID != x.ids.At(i) {
		return item, ErrChanged
	}
	return item, nil
}

// ItemIfThere is an item, or one without any text where it cannot be read.
func (x *Index) ItemIfThere(items *os.File, i int) datasets.Item {
	item, err := x.Item(items, i)
	if err != nil {
		return datasets.Item{}
	}
	return item
}

// Record reads a record as scores read it.
func (x *Index) Record(records io.ReaderAt, g Judgment) (j Judged, err error) {
	line, err := x.line(records, g.offset, g.length)
	if err != nil {
		return j, err
	}
	r, err := judging.DecodeRecord(line)
	if err != nil || r.Item != x.ids.At(int(g.item)) {
		return j, ErrChanged
	}
	j.Record = r
	j.Verdict, err = r.Read(x.Asker, x.reading())
	if err != nil {
		return j, failure.Unreadable(err, "%v", err)
	}
	if c, ok := r.Confidence(x.Asker, j.Verdict); ok {
		j.Confidence = &c
	}
	return j, nil
}

// ErrChanged is said where a file no longer holds what the index found in it.
var ErrChanged = failure.New(409, "the run changed while it was being read: load the page again")

// line reads a line by its place.
func (x *Index) line(f io.ReaderAt, offset int64, length int32) ([]byte, error) {
	if length <= 0 || length == math.MaxInt32 {
		return nil, ErrChanged
	}
	line := make([]byte, length)
	if _, err := f.ReadAt(line, offset); err != nil {
		return nil, ErrChanged
	}
	return line, nil
}

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
