package scoring

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gavel/scoring/stats"
)

// Columns of a question in two runs: whether each judge's own answer is right,
// then a table of A and one of B for each mode.
const (
	bothOwn = iota // questions that both have an answer of their own to
	bothOwnA
	bothOwnB
	bothTables
	bothWidth = bothTables + 2*len(modes)*tableWidth
)

func bothTable(sums []float64, mode, side int) table {
	return table(sums[bothTables+(2*mode+side)*tableWidth:][:tableWidth])
}

// judgedTwice is one answer of an agent, judged in two runs.
type judgedTwice struct{ a, b judgment }

// comparedMeasures are the metrics of a comparison; the first is also compared
// by group.
var comparedMeasures = []string{F1, Accuracy, PartialGJ}

func (f *selfReference) noun() string { return "judgment" }

// headline is what Holm's correction is over: of the metrics that have a p it is
// the one that is a test over independent units whatever the number of agents.
func (f *selfReference) headline() string { return GenerationAccuracy }

func (f *selfReference) compare(other Scorer, boot stats.Bootstrap) (diffs []Difference, n, onlyA, onlyB int, err error) {
	g, ok := other.(*selfReference)
	if !ok {
		return nil, 0, 0, 0, errOtherFamily
	}
	joined := f.join(g)
	for _, p := range joined {
		if p.a.right != p.b.right {
			return nil, 0, 0, 0, fmt.Errorf("the runs disagree on whether %s's answer to %s is right: they judge other answers", f.agents.At(int(p.a.agent)), f.questions.At(int(p.a.question)))
		}
	}
	common := make([]judgment, len(joined))
	for i, p := range joined {
		common[i] = p.a
	}
	for i, s := range f.sections(common) {
		c, alone := f.pair(s, joined)
		diffs = append(diffs, c.differences(s.name, f.sharedModes(g), i == 0, alone, boot)...)
	}
	return diffs, len(joined), len(f.rows) - len(joined), len(g.rows) - len(joined), nil
}

// sharedModes are those that both runs asked.
func (f *selfReference) sharedModes(g *selfReference) (shared [2]bool) {
	for i := range modes {
		shared[i] = f.asked[i] && g.asked[i]
	}
	return shared
}

// join pairs judgments by question and agent; both lists are sorted by them.
func (f *selfReference) join(g *selfReference) []judgedTwice {
	var out []judgedTwice
	for i, k := 0, 0; i < len(f.rows) && k < len(g.rows); {
		a, b := f.rows[i], g.rows[k]
		switch cmp.Or(
			strings.Compare(f.questions.At(int(a.question)), g.questions.At(int(b.question))),
			strings.Compare(f.agents.At(int(a.agent)), g.agents.At(int(b.agent)))) {
		case -1:
			i++
		case 1:
			k++
		default:
			out = append(out, judgedTwice{a, b})
			i, k = i+1, k+1
		}
	}
	return out
}

// pairedClusters are questions in two runs.
type pairedClusters struct {
	*clusters
	right [len(modes)]Table2x2 // judgment by judgment
	own   Table2x2             // question by question
}

// pair counts the judgments of a section, question by question; alone tells
// whether no question has more than one.
func (f *selfReference) pair(s section, joined []judgedTwice) (c pairedClusters, alone bool) {
	c.clusters, alone = newClusters(bothWidth), true
	for i := 0; i < len(joined); {
		clear(c.filled)
		question, n := joined[i].a.question, 0
		for ; i < len(joined) && joined[i].a.question == question; i++ {
			if p := joined[i]; s.has(p.a) {
				if n++; n == 1 {
					c.addOwn(p)
				}
				c.addTables(p, f.missing)
			}
		}
		if n > 0 {
			c.add()
		}
		alone = alone && n < 2
	}
	return c, alone
}

func (c *pairedClusters) addOwn(p judgedTwice) {
	if p.a.own == ownUnknown || p.b.own == ownUnknown {
		return
	}
	a, b := p.a.own == ownRight, p.b.own == ownRight
	c.filled[bothOwn], c.filled[bothOwnA], c.filled[bothOwnB] = 1, share(a), share(b)
	c.own.count(a, b)
}

func (c *pairedClusters) addTables(p judgedTwice, how Missing) {
	for m := range modes {
		if a, b := p.a.said[m], p.b.said[m]; how.counts(a) && how.counts(b) {
			bothTable(c.filled, m, 0).add(p.a.own, p.a.right, a)
			bothTable(c.filled, m, 1).add(p.b.own, p.b.right, b)
			c.right[m].count(p.a.judgedRight(a), p.b.judgedRight(b))
		}
	}
}

// judgedRight is J.
func (j judgment) judgedRight(said int8) bool {
	return said == saidCorrect && j.right || said == saidIncorrect && !j.right
}

func (t *Table2x2) count(a, b bool) {
	switch {
	case a && b:
		t.Both++
	case a:
		t.OnlyA++
	case b:
		t.OnlyB++
	default:
		t.Neither++
	}
}

// contrast is a metric in both runs: what to compute, and how to report it.
type contrast struct {
	Difference
	values func(sums []float64) (a, b float64)
	why    string // where undefined
}

// differences lists the contrasts of a section; the first section has all of
// them.
func (c pairedClusters) differences(group string, shared [2]bool, all, alone bool, boot stats.Bootstrap) []Difference {
	var list []contrast
	if all {
		list = append(list, c.ownContrast(group))
	}
	for m, name := range comparedMeasures {
		for mode := range modes {
			if shared[mode] && (all || m == 0) {
				list = append(list, c.contrast(measureNamed(name), group, mode, alone))
			}
		}
	}
	return contrasts(list, c.clusters, boot)
}

func (c pairedClusters) ownContrast(group string) contrast {
	x := contrast{
		Difference: Difference{Metric: GenerationAccuracy, Group: group, N: int(c.sums[bothOwn])},
		values: func(sums []float64) (float64, float64) {
			return sums[bothOwnA] / sums[bothOwn], sums[bothOwnB] / sums[bothOwn]
		},
		why: "no question has answers of both judges' own",
	}
	if x.N > 0 {
		x.Table = &c.own
	}
	return x
}

func (c pairedClusters) contrast(m measure, group string, mode int, alone bool) contrast {
	a, b := bothTable(c.sums, mode, 0), bothTable(c.sums, mode, 1)
	x := contrast{
		Difference: Difference{Metric: m.name, Group: group, Mode: modes[mode], Unit: m.unit, N: int(m.n(a))},
		values: func(sums []float64) (float64, float64) {
			return m.of(bothTable(sums, mode, 0)), m.of(bothTable(sums, mode, 1))
		},
	}
	switch {
	case math.IsNaN(m.of(a)):
		x.why = "in A " + m.why(a)
	case math.IsNaN(m.of(b)):
		x.why = "in B " + m.why(b)
	}
	if m.name == Accuracy {
		if alone {
			x.Table = &c.right[mode]
		} else {
			x.Note = "McNemar: none, the judgments of one question are not independent"
		}
	}
	return x
}

// contrasts computes differences from the same resamples. Those with a 2×2
// table are right or wrong unit by unit and get McNemar's test.
func contrasts(list []contrast, c *clusters, boot stats.Bootstrap) []Difference {
	intervals := boot.SumsOf(&c.rows, len(list), func(sums, out []float64) {
		for i, x := range list {
			a, b := x.values(sums)
			out[i] = b - a
		}
	})
	diffs := make([]Difference, len(list))
	for i, x := range list {
		diffs[i] = x.finish(c.sums, intervals[i])
	}
	return diffs
}

func (x contrast) finish(sums []float64, iv stats.Interval) Difference {
	d := x.Difference
	a, b := x.values(sums)
	d.A, d.B, d.Diff = inUnit(d.Unit, a), inUnit(d.Unit, b), inUnit(d.Unit, b-a)
	if d.Diff == nil {
		d.Noise, d.Note = true, "undefined: "+x.why
		return d
	}
	width := iv.Low != iv.High
	if width {
		d.Low, d.High = inUnit(d.Unit, iv.Low), inUnit(d.Unit, iv.High)
	} else if d.Note == "" {
		d.Note = noWidthOfQuestions
	}
	d.Noise = d.holdsZero()
	if d.Table != nil {
		p := math.Round(stats.McNemar(d.Table.OnlyA, d.Table.OnlyB)*1e6) / 1e6
		d.P, d.Noise = &p, p >= alpha || width && d.Noise
	}
	return d
}
