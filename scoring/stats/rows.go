package stats

import (
	"encoding/binary"
	"math"
	"slices"
)

// Rows are rows to be resampled, each an independent unit: units that belong together share one row. Rows that are
// alike are kept once, with their number.
type Rows struct {
	Kinds []Kind // the distinct rows, in order of first appearance
	Len   int    // number of rows
	index map[string]int
}

// Kind is a distinct row, and how many rows are like it.
type Kind struct {
	Row   []float64
	Often int
}

// Add appends a row; it keeps no hold of it.
func (r *Rows) Add(row []float64) {
	key := make([]byte, 0, 8*len(row))
	for _, v := range row {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
	}
	k, known := r.index[string(key)]
	if !known {
		if r.index == nil {
			r.index = map[string]int{}
		}
		k = len(r.Kinds)
		r.index[string(key)] = k
		r.Kinds = append(r.Kinds, Kind{Row: slices.Clone(row)})
	}
	r.Kinds[k].Often++
	r.Len++
}

// Count returns the number of rows for which is returns true.
func (r *Rows) Count(is func(row []float64) bool) (n int) {
	for _, k := range r.Kinds {
		if is(k.Row) {
			n += k.Often
		}
	}
	return n
}

// Extra is a row without its zeros: rows of counts have few other values.
type Extra struct {
	Columns []int
	Values  []float64
}

// add adds the row to sums, so many times.
func (x Extra) add(sums []float64, times float64) {
	for i, column := range x.Columns {
		sums[column] += times * x.Values[i]
	}
}

func sparse(row []float64) (x Extra) {
	for i, v := range row {
		if v != 0 {
			x.Columns = append(x.Columns, i)
			x.Values = append(x.Values, v)
		}
	}
	return x
}
