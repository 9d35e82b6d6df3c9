package store

import (
	"io"
	"math"
	"net/http"
	"os"

	"gavel/datasets"
	"gavel/judging"
	"gavel/server/failure"
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
	if j.Verdict, err = r.Read(x.Asker, x.reading()); err != nil {
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
