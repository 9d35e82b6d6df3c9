package scoring

import (
	"math"

	"gavel/scoring/stats"
)

// A question is one row of the bootstrap: its columns are what its judgments,
// of all agents and modes, add to the counts below. Every metric is a function
// of their sums, and questions that came to the same are one class.
const (
	columnOwnKnown = iota // questions with an answer of the judge's own
	columnOwnRight
	columnAnswers // of agents
	columnRight
	columnTables // from here: a table each of cot and self, then both again
)

// pairedTables are cot and self on the judgments that count in both.
const pairedTables = 2

const questionWidth = columnTables + 2*len(modes)*tableWidth

func tableIn(sums []float64, k int) table {
	return table(sums[columnTables+k*tableWidth:][:tableWidth])
}

// counts tells whether what was said is in the numbers.
func (m Missing) counts(said int8) bool {
	return said != notAsked && (said != saidNothing || m != MissingDrop)
}

// fill counts a question's judgments.
func (f *selfReference) fill(row []float64, question []judgment) {
	clear(row)
	if own := question[0].own; own != ownUnknown {
		row[columnOwnKnown], row[columnOwnRight] = 1, share(own == ownRight)
	}
	for _, j := range question {
		row[columnAnswers]++
		row[columnRight] += share(j.right)
		for m, said := range j.said {
			if f.missing.counts(said) {
				tableIn(row, m).add(j.own, j.right, said)
			}
			if f.missing.counts(j.said[0]) && f.missing.counts(j.said[1]) {
				tableIn(row, pairedTables+m).add(j.own, j.right, said)
			}
		}
	}
}

// clusters are the questions of a section, as rows to be resampled.
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

// ownAndAgents are the shares that no mode has a part in.
var ownAndAgents = []struct {
	name, missing, why string
	num, den           int
}{
	{GenerationAccuracy, "wrong", "the judge has no answers of its own", columnOwnRight, columnOwnKnown},
	{AgentAccuracy, "wrong", "there is no judgment", columnRight, columnAnswers},
}

// scoreSection computes every metric of a section, the modes and their
// difference from the same resamples.
func (f *selfReference) scoreSection(s section, b stats.Bootstrap) []Result {
	c := newClusters(questionWidth)
	var in []judgment
	for _, q := range byQuestion(f.rows) {
		in = in[:0]
		for _, j := range q {
			if s.has(j) {
				in = append(in, j)
			}
		}
		if len(in) > 0 {
			f.fill(c.filled, in)
			c.add()
		}
	}
	shapes := f.shapes()
	intervals := b.SumsOf(&c.rows, len(ownAndAgents)+len(shapes), func(sums, out []float64) {
		for i, x := range ownAndAgents {
			out[i] = sums[x.num] / sums[x.den]
		}
		for i, x := range shapes {
			out[len(ownAndAgents)+i] = x.of(sums)
		}
	})
	var results []Result
	for i, x := range ownAndAgents {
		r := Result{Metric: x.name, Group: s.name, N: int(c.sums[x.den]), Missing: x.missing}
		if r.N == 0 {
			results = append(results, r.undefined(x.why))
			continue
		}
		of := func(sums []float64) (float64, float64) { return sums[x.num], sums[x.den] }
		results = append(results, c.shareOf(r, of, func(s float64) float64 { return s }, intervals[i], b.Level))
	}
	for i, x := range shapes {
		results = append(results, x.result(c, s.name, f.missing, intervals[len(ownAndAgents)+i], b.Level))
	}
	return results
}

// shape is a measure in a mode, or the difference between the two.
type shape struct {
	measure
	mode  string
	table int // the mode's
}

// shapes lists what there is to compute, mode by mode.
func (f *selfReference) shapes() []shape {
	var out []shape
	for i, mode := range modes {
		for _, m := range measures {
			if f.asked[i] {
				out = append(out, shape{m, mode, i})
			}
		}
	}
	for _, m := range measures {
		if f.asked[0] && f.asked[1] && !m.once {
			out = append(out, shape{m, ModeDifference, 0})
		}
	}
	return out
}

func (x shape) of(sums []float64) float64 {
	if x.mode == ModeDifference {
		return x.measure.of(tableIn(sums, pairedTables+1)) - x.measure.of(tableIn(sums, pairedTables))
	}
	return x.measure.of(tableIn(sums, x.table))
}

func (x shape) result(c *clusters, group string, how Missing, iv stats.Interval, level float64) Result {
	r := Result{Metric: x.name, Group: group, Mode: x.mode, Unit: x.unit, Missing: x.missing}
	if how == MissingDrop {
		r.Missing = "judgment left out"
	}
	if x.mode == ModeDifference {
		return x.difference(r, c, iv)
	}
	t := tableIn(c.sums, x.table)
	r.N = int(x.n(t))
	switch value := x.of(c.sums); {
	case math.IsNaN(value):
		return r.undefined(x.why(t))
	case x.share == nil:
		return r.with(value, iv)
	default:
		of := func(sums []float64) (float64, float64) { return x.share(tableIn(sums, x.table)) }
		return c.shareOf(r, of, x.fromShare, iv, level)
	}
}

// difference is self − cot; n counts the judgments that both are about, of
// precision, which is about what was judged Correct, all.
func (x shape) difference(r Result, c *clusters, iv stats.Interval) Result {
	cot, self := tableIn(c.sums, pairedTables), tableIn(c.sums, pairedTables+1)
	r.N = int(x.n(cot))
	if x.n(cot) != x.n(self) {
		r.N = int(nAll(cot))
	}
	switch {
	case math.IsNaN(x.measure.of(cot)):
		return r.undefined("in mode cot " + x.why(cot))
	case math.IsNaN(x.measure.of(self)):
		return r.undefined("in mode self " + x.why(self))
	}
	return r.with(x.of(c.sums), iv)
}
