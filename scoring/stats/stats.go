// Package stats is arithmetic on floats: intervals by resampling, exact tests,
// corrections for many of them. It knows no records, no clock and no global
// source of randomness; the same arguments give the same result.
package stats

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
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

// Interval is a percentile interval; both ends are NaN where the statistic was
// undefined in every resample.
type Interval struct{ Low, High float64 }

// Sums gives a percentile interval for each statistic that is a function of the
// column sums of rows: a ratio, a difference of ratios, a correlation. Each row
// is one independent unit (an item with all its showings), so that what belongs
// together is drawn together.
//
// stat maps the sums to the statistics; it writes into out, NaN where one is
// undefined, and such resamples are left out of that statistic's percentiles.
//
// Rows that are alike are drawn as one class with its frequency, which changes
// nothing but the time it takes.
//
// Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 13.
func (b Bootstrap) Sums(rows [][]float64, outs int, stat func(sums, out []float64)) []Interval {
	all := &Rows{}
	for _, row := range rows {
		all.Add(row)
	}
	return b.SumsOf(all, outs, stat)
}

// Rows are rows for SumsOf; what is kept does not grow with rows that are alike.
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

// SumsOf is Sums of rows that were added one by one.
func (b Bootstrap) SumsOf(rows *Rows, outs int, stat func(sums, out []float64)) []Interval {
	result := make([]Interval, outs)
	for i := range result {
		result[i] = Interval{math.NaN(), math.NaN()}
	}
	if len(rows.member) == 0 || b.Rounds < 1 {
		return result
	}
	classes, member := rows.classes, rows.member
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(member))))
	counts := make([]float64, len(classes))
	sums := make([]float64, rows.width)
	out := make([]float64, outs)
	drawn := make([][]float64, outs)
	for i := range drawn {
		drawn[i] = make([]float64, 0, b.Rounds)
	}
	draw := drawMembers(member, rng)
	if len(member) > fewPerClass*len(classes) {
		draw = drawMultinomial(member, len(classes), rng)
	}
	for range b.Rounds {
		draw(counts)
		clear(sums)
		for c, k := range counts {
			if k > 0 {
				for i, column := range classes[c].column {
					sums[column] += k * classes[c].value[i]
				}
			}
		}
		stat(sums, out)
		for i, v := range out {
			if !math.IsNaN(v) {
				drawn[i] = append(drawn[i], v)
			}
		}
	}
	for i, values := range drawn {
		if len(values) > 0 {
			result[i] = b.Percentiles(values)
		}
	}
	return result
}

// fewPerClass is from how many rows a class on it is quicker to draw how often
// each class comes up than to draw the rows one by one.
const fewPerClass = 100

// drawMembers draws as many rows as there are, with replacement, and counts
// their classes.
func drawMembers(member []uint32, rng *rand.Rand) func(counts []float64) {
	n := uint32(len(member))
	return func(counts []float64) {
		clear(counts)
		for range n {
			counts[member[rng.Uint32N(n)]]++
		}
	}
}

// drawMultinomial draws the same counts at once: class by class, each from the
// binomial distribution of what is left.
func drawMultinomial(member []uint32, classes int, rng *rand.Rand) func(counts []float64) {
	freq := make([]float64, classes)
	for _, c := range member {
		freq[c]++
	}
	n := float64(len(member))
	return func(counts []float64) {
		left, mass := n, n // draws to go, rows not yet passed
		for c, f := range freq {
			switch {
			case left == 0:
				counts[c] = 0
			case f == mass:
				counts[c] = left
			default:
				counts[c] = distuv.Binomial{N: left, P: f / mass, Src: rng}.Rand()
			}
			left -= counts[c]
			mass -= f
		}
	}
}

// Percentiles sorts values drawn, and is the interval that holds Level of them.
func (b Bootstrap) Percentiles(values []float64) Interval {
	slices.Sort(values)
	tail := (1 - b.Level) / 2
	return Interval{
		stat.Quantile(tail, stat.Empirical, values, nil),
		stat.Quantile(1-tail, stat.Empirical, values, nil),
	}
}

// Exact is the Clopper-Pearson interval of k successes in n trials. It serves
// where all n are alike: there the bootstrap has nothing to resample and its
// interval no width.
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

// McNemar is the exact two-sided p of McNemar's test: only is how often the
// first alone was right, other how often the second alone was. Under the null
// hypothesis each of those only+other items falls to either with probability ½;
// p is twice the smaller tail, at most 1. No discordant item gives 1.
func McNemar(only, other int) float64 {
	n := only + other
	if n == 0 {
		return 1
	}
	tail := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(only, other)))
	return math.Min(1, 2*tail)
}

// Holm adjusts a family of p values: sorted ascending, the i-th of m (from 0)
// is multiplied by m−i, never made smaller than the one before, capped at 1.
// The result is in the order given.
//
// Source: Holm, Scandinavian Journal of Statistics 6 (1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = math.Max(highest, math.Min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}
