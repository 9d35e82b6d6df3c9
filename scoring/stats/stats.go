// Package stats is arithmetic on floats: intervals by resampling, exact tests, corrections for many of them. It knows
// no records, no clock and no global source of randomness; the same arguments give the same result.
package stats

import (
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bootstrap settings.
type Bootstrap struct {
	Rounds int     // resamples
	Level  float64 // of the interval: 0.95
	Seed   uint64
}

// Default is what gavel reports with.
var Default = Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1}

// Interval is a percentile interval; both ends are NaN where the statistic was undefined in every resample.
type Interval struct{ Low, High float64 }

// Rows are rows to be resampled, each an independent unit: what belongs together
// is one row. What is kept does not grow with rows that are alike.
type Rows struct {
	classes []class           // the distinct rows, in order of first appearance
	width   int               // columns of a row
	member  []uint32          // the class of each row
	index   map[string]uint32 // class by the bits of its row
	key     []byte
}

// class is a row without its zeros: rows of counts have few others.
type class struct {
	column []uint32
	value  []float64
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

func sparse(row []float64) (c class) {
	for i, v := range row {
		if v != 0 {
			c.column, c.value = append(c.column, uint32(i)), append(c.value, v)
		}
	}
	return c
}

// AddClass appends a row of a class.
func (r *Rows) AddClass(class uint32) { r.member = append(r.member, class) }

// Len is how many there are.
func (r *Rows) Len() int { return len(r.member) }

// Grow makes room for n more rows.
func (r *Rows) Grow(n int) { r.member = slices.Grow(r.member, n) }

// Percentiles reorders values drawn, and is the interval that holds Level of them.
func (b Bootstrap) Percentiles(values []float64) Interval {
	tail := (1 - b.Level) / 2
	return Interval{quantile(tail, values), quantile(1-tail, values)}
}

// quantile is the least value that a share p of them do not exceed. It reorders them only as far as it must.
//
// Source: Hoare, "Algorithm 65: find", Communications of the ACM 4 (1961), 321–322.
func quantile(p float64, values []float64) float64 {
	k := max(0, int(math.Ceil(p*float64(len(values))))-1)
	for low, high := 0, len(values)-1; low < high; {
		pivot := values[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return values[k]
		}
	}
	return values[k]
}

// Exact is the Clopper-Pearson interval of k successes in n trials. It serves where all n are alike: there the
// bootstrap has nothing to resample and its interval no width.
//
// Source: Clopper and Pearson, Biometrika 26 (1934).
func Exact(k, n int, level float64) Interval {
	if n <= 0 || k < 0 || k > n {
		return Interval{math.NaN(), math.NaN()}
	}
	tail := (1 - level) / 2
	iv := Interval{0, 1}
	if k > 0 {
		iv.Low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		iv.High = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return iv
}
