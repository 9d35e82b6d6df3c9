package stats

import (
	"encoding/binary"
	"math"
	"slices"
)

// Rows holds rows of numbers for resampling, one for each independent unit or cluster. Equal rows are stored once, with
// their number.
type Rows struct {
	DistinctRows []RowCount     // the distinct rows, in order of first appearance
	Len          int            // number of rows, equal ones included
	index        map[string]int // by the bytes of a row: its index in Kinds
}

// RowCount holds a distinct row and the number of rows equal to it.
type RowCount struct {
	Row   []float64
	Count int
}

// Add appends a copy of a row.
func (r *Rows) Add(row []float64) {
	key := make([]byte, 0, 8*len(row))
	for _, v := range row {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
	}
	k, ok := r.index[string(key)]
	if !ok {
		if r.index == nil {
			r.index = map[string]int{}
		}
		k = len(r.DistinctRows)
		r.index[string(key)] = k
		r.DistinctRows = append(r.DistinctRows, RowCount{Row: slices.Clone(row)})
	}
	r.DistinctRows[k].Count++
	r.Len++
}

// CountMatching returns the number of rows for which match is true.
func (r *Rows) CountMatching(match func(row []float64) bool) (n int) {
	for _, k := range r.DistinctRows {
		if match(k.Row) {
			n += k.Count
		}
	}
	return n
}

// SparseRow holds a row by the indexes and the values of its nonzero columns.
type SparseRow struct {
	Columns []int
	Values  []float64
}

// add adds the row's values, multiplied by times, to sums of columns.
func (x SparseRow) add(sums []float64, times float64) {
	for i, column := range x.Columns {
		sums[column] += times * x.Values[i]
	}
}

// sparseRow returns a row by its nonzero columns.
func sparseRow(row []float64) (x SparseRow) {
	for i, v := range row {
		if v != 0 {
			x.Columns = append(x.Columns, i)
			x.Values = append(x.Values, v)
		}
	}
	return x
}
