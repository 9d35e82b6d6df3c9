package stats

import (
	"encoding/binary"
	"math"
)

// Rows are rows to be resampled, each an independent unit: what belongs together
// is one row. What is kept does not grow with rows that are alike.
type Rows struct {
	classes []Extra           // the distinct rows, in order of first appearance
	width   int               // columns of a row
	member  []uint32          // the class of each row
	index   map[string]uint32 // class by the bits of its row
	key     []byte
}

// Extra is a row without its zeros: rows of counts have few others.
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

// Add appends a row; it keeps no hold of it.
func (r *Rows) Add(row []float64) { r.AddClass(r.Class(row)) }

// Class is the class of rows like this, for AddClass.
func (r *Rows) Class(row []float64) uint32 {
	r.key = r.key[:0]
	for _, v := range row {
		r.key = binary.LittleEndian.AppendUint64(r.key, math.Float64bits(v))
	}
	c, ok := r.index[string(r.key)]
	if !ok {
		if r.index == nil {
			r.index = map[string]uint32{}
		}
		c = uint32(len(r.classes))
		r.index[string(r.key)] = c
		r.classes, r.width = append(r.classes, sparse(row)), len(row)
	}
	return c
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

// AddClass appends a row of a class.
func (r *Rows) AddClass(class uint32) { r.member = append(r.member, class) }

// Len is how many there are.
func (r *Rows) Len() int { return len(r.member) }
