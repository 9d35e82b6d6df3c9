package scoring

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/scoring/stats"
)

// maxPairs is the largest sample size that a sentence suggests.
const maxPairs = 100_000

// describe sets Says.
func (c *Comparison) describe() {
	first, rest := c.Sentences([2]string(NamesOf([]Side{c.A, c.B})))
	c.Says = strings.TrimSuffix(first+" "+rest, " ")
}

// Sentences returns the answer, and a sentence about the pairs where both judges are consistent, or "". names are the
// judges' names.
func (c *Comparison) Sentences(names [2]string) (first, rest string) {
	if d := c.WhenConsistent; d != nil && d.Diff != nil && !c.SameRun() {
		rest = c.whereConsistent(*d, names)
	}
	return c.answer(names), rest
}

// SameRun reports whether a run is compared with itself.
func (c *Comparison) SameRun() bool { return c.A.ID != "" && c.A.ID == c.B.ID }

// Headline returns the difference of the headline metric; nil if there is none.
func (c *Comparison) Headline() *Difference {
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Group == Overall && d.Mode != ModeDifference && (d.Metric == c.headline.Name || c.headline.Name == "") {
			return d
		}
	}
	return nil
}

// answer returns which judge is better by the headline, and whether that is significant.
func (c *Comparison) answer(names [2]string) string {
	d := c.Headline()
	switch {
	case c.SameRun():
		return "Both are the same run."
	case d == nil || d.Diff == nil:
		return "The runs cannot be compared: one of them has no value of the headline metric."
	case c.A.noVerdicts && c.B.noVerdicts:
		return "Nothing to compare: neither judge gives a verdict."
	case c.A.noVerdicts && d.Noise:
		return fmt.Sprintf("Nothing to compare: %s gives no verdict.", names[0])
	case c.B.noVerdicts && d.Noise:
		return fmt.Sprintf("Nothing to compare: %s gives no verdict.", names[1])
	}
	both := c.both(*d)
	if w := c.MarginTest; w != nil && w.Verdict == WithinMargin {
		text := fmt.Sprintf("The same within %g points: %s.", w.Points, both)
		if t := w.ChangedWithOrder; t != nil && 2*min(t[0], t[1]) > c.N {
			text += fmt.Sprintf(" But both judges change most verdicts with the order, %d and %d of them: "+
				"equal scores say little here.", t[0], t[1])
		}
		return text
	}
	adjective := "better"
	if c.headline.Term.Best != Higher {
		adjective = "higher"
	}
	text := ""
	switch {
	case d.P == nil:
		text = "No significance test for this difference: " + both + "."
	case !d.Noise:
		text = fmt.Sprintf("%s is %s by %s%s: %s.", d.leader(names), adjective, d.points(), d.intervalText(), both)
	case !d.containsZero() && withinFloor(d.Diff, d.Floor):
		text = "No significant difference: " + both +
			", and repeating one of the runs changes it by as much."
	default:
		text = "No significant difference: " + both + "." + d.pairsNeeded()
	}
	if w := c.MarginTest; w != nil && w.Verdict == CannotSay && w.Pairs != nil {
		text += fmt.Sprintf(" About %s pairs are needed to show that they are the same within %g points, if they are.",
			roundUp(*w.Pairs), w.Points)
	}
	return text
}

// both returns both values: "correct in both orders on 58 % and 62 % of the same 350 pairs".
func (c *Comparison) both(d Difference) string {
	name := cmp.Or(c.headline.Term.Label, d.Metric)
	same := fmt.Sprintf("the same %d %s%s", c.N, cmp.Or(c.Unit, "pair"), plural(c.N))
	switch {
	case d.A == nil || d.B == nil:
		return name + " on " + same
	case d.Unit != "":
		return fmt.Sprintf("%s %.2f and %.2f on %s", name, Unsigned(*d.A, 2), Unsigned(*d.B, 2), same)
	case strings.HasPrefix(name, "right"), strings.HasPrefix(name, "correct"):
		name += " on"
		same = "of " + same
	default:
		same = "on " + same
	}
	return fmt.Sprintf("%s %.0f %% and %.0f %% %s", name, Unsigned(*d.A, 0), Unsigned(*d.B, 0), same)
}

// leader returns the name of the judge with the higher value.
func (d Difference) leader(names [2]string) string { return names[int(Indicator(*d.Diff > 0))] }

// places returns the number of decimals for sentences.
func (d Difference) places() int {
	switch {
	case d.Unit != "":
		return 2
	case math.Abs(*d.Diff) < 1:
		return 1
	}
	return 0
}

// points returns the size of the difference, without its sign.
func (d Difference) points() string {
	size := fmt.Sprintf("%.*f", d.places(), math.Abs(*d.Diff))
	switch {
	case d.Unit != "":
		return size
	case size == "1":
		return "1 point"
	}
	return size + " points"
}

// intervalText returns the interval of points, with a leading space; "" without an interval.
func (d Difference) intervalText() string {
	if d.Low == nil || d.High == nil {
		return ""
	}
	low, high := *d.Low, *d.High
	if *d.Diff < 0 {
		low, high = -high, -low
	}
	places := d.places()
	return fmt.Sprintf(" [%.*f, %.*f]", places, Unsigned(low, places), places, Unsigned(high, places))
}

// pairsNeeded returns a sentence with the sample size at which the observed difference would be significant; ""
// if there is none.
func (d Difference) pairsNeeded() string {
	if d.Table == nil || d.Test != "" {
		return ""
	}
	n := float64(d.Table.N())
	gap := math.Abs(float64(d.Table.OnlyA-d.Table.OnlyB)) / n
	pairs := stats.PairsToDetect(gap, float64(d.Table.OnlyA+d.Table.OnlyB)/n, planAlpha, planPower)
	if !(pairs > n && pairs <= maxPairs) {
		return ""
	}
	return fmt.Sprintf(" About %s pairs are needed to separate them.", roundUp(int(pairs)))
}

// roundUp formats a number of pairs, rounded up to about three digits.
func roundUp(n int) string {
	step := 1
	for n > 1000*step {
		step *= 10
	}
	if n > 100 {
		step = max(step, 10)
	}
	return humanize.Comma(int64((n + step - 1) / step * step))
}

// whereConsistent returns which judge is more accurate on the pairs where both are consistent.
func (c *Comparison) whereConsistent(d Difference, names [2]string) string {
	scope := fmt.Sprintf("n the %d pair%s where both judges are consistent", d.N, plural(d.N))
	first := c.Headline()
	switch {
	case d.Noise:
		return "O" + scope + ": no significant difference."
	case first == nil || first.Noise || first.Diff != nil && (*first.Diff > 0) != (*d.Diff > 0):
		scope = "But o" + scope
	default:
		scope = "O" + scope
	}
	return fmt.Sprintf("%s, %s is correct %s more often%s.", scope, d.leader(names), d.points(), d.intervalText())
}

// ConsistentDifference returns the difference of two runs on the units where both are consistent, from the counts of
// right ones.
func ConsistentDifference(metric, group string, t Table2x2) *Difference {
	n := t.N()
	if n == 0 {
		return nil
	}
	share := func(k int) *float64 { return Percent(float64(k) / float64(n)) }
	iv := stats.PairedInterval(float64(t.OnlyB), float64(t.OnlyA), float64(n), 0.95)
	d := &Difference{
		Metric:   metric,
		Group:    group,
		A:        share(t.Both + t.OnlyA),
		B:        share(t.Both + t.OnlyB),
		Diff:     Percent(float64(t.OnlyB-t.OnlyA) / float64(n)),
		Low:      Percent(iv.Low),
		High:     Percent(iv.High),
		Interval: ByPairs,
		N:        n,
		Table:    &t,
		P:        Precise(stats.McNemar(t.OnlyA, t.OnlyB)),
	}
	d.Noise = d.containsZero() || *d.P >= alpha
	return d
}

// Holm corrects the p-values of differences by Holm's method and marks those that are not significant.
func Holm(differences []*Difference) {
	p := make([]float64, len(differences))
	for i, d := range differences {
		p[i] = *d.P
	}
	for i, adjusted := range stats.Holm(p) {
		differences[i].Holm = Precise(adjusted)
		differences[i].Noise = differences[i].Noise || adjusted >= alpha
	}
}
