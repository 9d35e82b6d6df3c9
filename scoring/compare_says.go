package scoring

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// maxPairsToSuggest is the largest number of pairs that a sentence suggests to judge.
const maxPairsToSuggest = 100_000

// describe sets Says: which judge is better, in one or two sentences.
func (c *Comparison) describe() {
	first, rest := c.Sentences([2]string(DisplayNames([]Side{c.A, c.B})))
	c.Says = strings.TrimSuffix(first+" "+rest, " ")
}

// Sentences returns two sentences: which judge is better by the headline metric, and which one is better on the pairs
// where both are consistent, or "". names are the judges' names, first that of A.
func (c *Comparison) Sentences(names [2]string) (first, rest string) {
	if d := c.WhenConsistent; d != nil && d.BMinusA != nil && !c.SameRun() {
		rest = c.consistentPairsSentence(*d, names)
	}
	return c.answer(names), rest
}

// SameRun reports whether A and B are the same run.
func (c *Comparison) SameRun() bool { return c.A.ID != "" && c.A.ID == c.B.ID }

// HeadlineDifference returns the difference between the runs by the headline metric over all units; nil without one.
func (c *Comparison) HeadlineDifference() *Difference {
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Group == Overall && d.Mode != ModeDifference && cmp.Or(c.HeadlineMode, d.Mode) == d.Mode &&
			(d.Metric == c.headlineMetric.Name || c.headlineMetric.Name == "") {
			return d
		}
	}
	return nil
}

// answer returns the sentence on which judge is better by the headline metric, and whether that is significant.
func (c *Comparison) answer(names [2]string) string {
	d := c.HeadlineDifference()
	switch {
	case c.SameRun():
		return phrases.Sentence("compare.same-run")
	case d == nil || d.BMinusA == nil:
		return phrases.Sentence("compare.no-headline")
	case c.A.lacksVerdicts && c.B.lacksVerdicts:
		return phrases.Sentence("compare.no-verdicts")
	case c.A.lacksVerdicts && d.NotSignificant:
		return phrases.Sentence("compare.no-verdict", names[0])
	case c.B.lacksVerdicts && d.NotSignificant:
		return phrases.Sentence("compare.no-verdict", names[1])
	}
	both := c.bothValues(*d)
	if w := c.MarginTest; w != nil && w.Verdict == WithinMargin {
		text := phrases.Sentence("compare.within", w.Points, both)
		if t := w.ChangedWithOrder; t != nil && 2*min(t[0], t[1]) > c.N {
			text += " " + phrases.Sentence("compare.both-inconsistent", t[0], t[1], c.counted())
		}
		return text
	}
	leads := "compare.better"
	if c.headlineMetric.Term.Direction != Higher {
		leads = "compare.higher"
	}
	text := ""
	switch {
	case d.P == nil:
		text = phrases.Sentence("compare.untested", both)
	case !d.NotSignificant:
		text = phrases.Sentence(leads, d.leader(names), d.points(), d.intervalText(), both)
	case !d.containsZero() && withinFloor(d.BMinusA, d.Floor):
		text = phrases.Sentence("compare.within-noise", both)
	default:
		text = phrases.Sentence("compare.no-difference", both)
		if pairs := d.PairsNeeded(); pairs != "" {
			text += " " + phrases.Sentence("compare.pairs-needed", pairs)
		}
	}
	if w := c.MarginTest; w != nil && w.Verdict == MarginInconclusive && w.PairsNeeded != nil {
		text += " " + phrases.Sentence("compare.pairs-to-equate", formatRoundedUp(*w.PairsNeeded), w.Points)
	}
	return text
}

// bothValues returns the headline values of both judges in words:
// "correct in both orders on 58 % and 62 % of the same 350 pairs".
func (c *Comparison) bothValues(d Difference) string {
	name := cmp.Or(c.headlineMetric.Term.Label, d.Metric)
	code, places := "compare.shares", 0
	switch {
	case d.A == nil || d.B == nil:
		return phrases.Sentence("compare.units", name, c.counted())
	case d.Unit != "":
		code, places = "compare.values", 2
	case strings.HasPrefix(name, "right"), strings.HasPrefix(name, "correct"):
		code = "compare.shares-correct"
	}
	return phrases.Sentence(code, name, WithoutNegativeZero(*d.A, places), WithoutNegativeZero(*d.B, places), c.counted())
}

// counted returns the number of compared units in words: "350 pairs".
func (c *Comparison) counted() string { return phrases.CountWithNoun(c.N, cmp.Or(c.Unit, "pair")) }

// leader returns the name of the judge with the higher value; names are those of A and B.
func (d Difference) leader(names [2]string) string { return names[int(Indicator(*d.BMinusA > 0))] }

// places returns the number of decimals with which sentences print the difference.
func (d Difference) places() int {
	switch {
	case d.Unit != "":
		return 2
	case math.Abs(*d.BMinusA) < 1:
		return 1
	}
	return 0
}

// points returns the size of the difference in words, without its sign: "4 points".
func (d Difference) points() string {
	size := fmt.Sprintf("%.*f", d.places(), math.Abs(*d.BMinusA))
	switch {
	case d.Unit != "":
		return size
	case size == "1":
		return "1 point"
	}
	return size + " points"
}

// intervalText returns the interval of [Difference.points], from the leader's view and with a leading space: " [2, 9]";
// "" without an interval.
func (d Difference) intervalText() string {
	if d.Low == nil || d.High == nil {
		return ""
	}
	low, high := *d.Low, *d.High
	if *d.BMinusA < 0 {
		low, high = -high, -low
	}
	places := d.places()
	return fmt.Sprintf(
		" [%.*f, %.*f]", places, WithoutNegativeZero(low, places), places, WithoutNegativeZero(high, places),
	)
}

// PairsNeeded returns the number of pairs, rounded up, on which the observed difference would be significant; "" if it
// is significant, or if there is no such number up to maxPairsToSuggest.
func (d Difference) PairsNeeded() string {
	if d.Table == nil || d.Test != "" || !d.NotSignificant {
		return ""
	}
	n := float64(d.Table.N())
	gap := math.Abs(float64(d.Table.OnlyA-d.Table.OnlyB)) / n
	pairs := stats.PairsToDetect(gap, float64(d.Table.OnlyA+d.Table.OnlyB)/n, planAlpha, planPower)
	if !(pairs > n && pairs <= maxPairsToSuggest) {
		return ""
	}
	return formatRoundedUp(int(pairs))
}

// formatRoundedUp formats a number of pairs, rounded up to about three digits: "1,240".
func formatRoundedUp(n int) string {
	step := 1
	for n > 1000*step {
		step *= 10
	}
	if n > 100 {
		step = max(step, 10)
	}
	return humanize.Comma(int64((n + step - 1) / step * step))
}

// consistentPairsSentence returns the sentence on which judge is more accurate on the pairs where both are consistent.
// d is the difference on these pairs.
func (c *Comparison) consistentPairsSentence(d Difference, names [2]string) string {
	pairs := phrases.CountWithNoun(d.N, "pair")
	if d.NotSignificant {
		return phrases.Sentence("compare.consistent-tied", pairs)
	}
	code := "compare.consistent"
	if first := c.HeadlineDifference(); first == nil || first.NotSignificant ||
		first.BMinusA != nil && (*first.BMinusA > 0) != (*d.BMinusA > 0) {
		code = "compare.consistent-but"
	}
	return phrases.Sentence(code, pairs, d.leader(names), d.points(), d.intervalText())
}

// ConsistentDifference returns the difference in accuracy of two runs on the units where both are consistent; nil if
// there are none. t counts these units by the runs that are right on them.
func ConsistentDifference(metric, group string, t Table2x2) *Difference {
	n := t.N()
	if n == 0 {
		return nil
	}
	share := func(k int) *float64 { return Percent(float64(k) / float64(n)) }
	iv := stats.PairedInterval(float64(t.OnlyB), float64(t.OnlyA), float64(n), 0.95)
	d := &Difference{
		Metric:         metric,
		Group:          group,
		A:              share(t.Both + t.OnlyA),
		B:              share(t.Both + t.OnlyB),
		BMinusA:        Percent(float64(t.OnlyB-t.OnlyA) / float64(n)),
		Low:            Percent(iv.Low),
		High:           Percent(iv.High),
		IntervalMethod: IntervalByBonettPrice,
		N:              n,
		Table:          &t,
		P:              RoundToTwelveDigits(stats.McNemar(t.OnlyA, t.OnlyB)),
	}
	d.NotSignificant = d.containsZero() || *d.P >= alpha
	return d
}

// ApplyHolmToFamily applies Holm's method to some differences as one family, whatever families they belonged to before.
// It returns those that have a test.
func ApplyHolmToFamily(differences []*Difference) (tested []*Difference) {
	for _, d := range differences {
		d.NotSignificant = d.P == nil
		if d.P != nil {
			d.NotSignificant = d.containsZero() || withinFloor(d.BMinusA, d.Floor)
			tested = append(tested, d)
		}
	}
	ApplyHolm(tested)
	return tested
}

// ApplyHolm corrects the p-values of differences for multiple tests by Holm's method and marks those that are not
// significant.
func ApplyHolm(differences []*Difference) {
	p := make([]float64, len(differences))
	for i, d := range differences {
		p[i] = *d.P
	}
	for i, adjusted := range stats.Holm(p) {
		differences[i].Holm = RoundToTwelveDigits(adjusted)
		differences[i].NotSignificant = differences[i].NotSignificant || adjusted >= alpha
	}
}
