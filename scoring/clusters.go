package scoring

import (
	"math"

	"gavel/scoring/stats"
)

// clusters are questions as rows to be resampled, each with all that belongs
// to it; those that are alike are one class.
type clusters struct {
	rows   stats.Rows
	kinds  [][]float64 // by class
	often  []int
	sums   []float64
	filled []float64
}

func newClusters(width int) *clusters {
	return &clusters{sums: make([]float64, width), filled: make([]float64, width)}
}

// add takes in what was filled.
func (c *clusters) add() {
	class := c.rows.Class(c.filled)
	if int(class) == len(c.kinds) {
		c.kinds, c.often = append(c.kinds, append([]float64(nil), c.filled...)), append(c.often, 0)
	}
	c.often[class]++
	c.rows.AddClass(class)
	for i, v := range c.filled {
		c.sums[i] += v
	}
}

// with counts the clusters that add to a denominator.
func (c *clusters) with(den func(row []float64) float64) int {
	n := 0
	for k, row := range c.kinds {
		if den(row) > 0 {
			n += c.often[k]
		}
	}
	return n
}

// shareOf fills in a share of two sums. Where all are alike its interval is
// the exact one over the clusters that add to it; back turns the share into the
// value, and rises with it.
func (c *clusters) shareOf(r Result, of func(sums []float64) (num, den float64), back func(float64) float64, iv stats.Interval, level float64) Result {
	num, den := of(c.sums)
	if num == 0 || num == den {
		n := c.with(func(row []float64) float64 { _, d := of(row); return d })
		iv, r.Note = alike(num > 0, n, level), allAlike
		iv = stats.Interval{Low: back(iv.Low), High: back(iv.High)}
	}
	return r.with(back(num/den), iv)
}

// with fills in a value and its interval. One without width says nothing of how
// sure the value is, and is left out.
func (r Result) with(value float64, iv stats.Interval) Result {
	r.Value = inUnit(r.Unit, value)
	switch {
	case iv.Low != iv.High: // NaN included, where no resample has a value
		r.Low, r.High = inUnit(r.Unit, iv.Low), inUnit(r.Unit, iv.High)
	case r.Note == "":
		r.Note = noWidthOfQuestions
	}
	return r
}

const noWidthOfQuestions = "interval: none can be given, every resample of the questions comes to the same"

func (r Result) undefined(why string) Result {
	r.Note = "undefined: " + why
	return r
}

// inUnit writes shares in percent and correlations as they are, rounded as
// percent does.
func inUnit(unit string, x float64) *float64 {
	if unit == "" {
		return percent(x)
	}
	if math.IsNaN(x) {
		return nil
	}
	x = math.Round(x*1e6) / 1e6
	if x == 0 {
		x = 0 // never −0
	}
	return &x
}

// ratio is a share of two columns.
type ratio struct {
	name, missing, why string // why it is undefined where there is nothing to share
	num, den           int
}

// ratios computes shares of the clusters.
func (c *clusters) ratios(group string, list []ratio, b stats.Bootstrap) []Result {
	intervals := b.SumsOf(&c.rows, len(list), func(sums, out []float64) {
		for i, x := range list {
			out[i] = sums[x.num] / sums[x.den]
		}
	})
	results := make([]Result, len(list))
	for i, x := range list {
		r := Result{Metric: x.name, Group: group, N: int(c.sums[x.den]), Missing: x.missing}
		if r.N == 0 {
			results[i] = r.undefined(x.why)
			continue
		}
		of := func(sums []float64) (float64, float64) { return sums[x.num], sums[x.den] }
		results[i] = c.shareOf(r, of, func(s float64) float64 { return s }, intervals[i], b.Level)
	}
	return results
}
