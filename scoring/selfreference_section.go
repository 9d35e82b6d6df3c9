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

// ownAndAgents are the shares that no mode has a part in.
var ownAndAgents = []ratio{
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
	intervals := b.SumsOf(&c.rows, len(shapes), func(sums, out []float64) {
		for i, x := range shapes {
			out[i] = x.of(sums)
		}
	})
	results := c.ratios(s.name, ownAndAgents, b)
	for i, x := range shapes {
		results = append(results, x.result(c, s.name, f.missing, intervals[i], b.Level))
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
