package scoring

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/scoring/stats"
)

// mostPairs is the largest number of pairs that is named as needed.
const mostPairs = 100_000

// say says what the comparison comes to.
func (c *Comparison) say() {
	first, rest := c.Sentences([2]string(NamesOf([]Side{c.A, c.B})))
	c.Says = strings.TrimSuffix(first+" "+rest, " ")
}

// Sentences returns the answer, and what to say of the pairs where both judges are consistent, under the names given.
func (c *Comparison) Sentences(names [2]string) (first, rest string) {
	if d := c.Alike; d != nil && d.Diff != nil && !c.SameRun() {
		rest = c.amongAlike(*d, names)
	}
	return c.answer(names), rest
}

// SameRun reports whether a run is compared with itself.
func (c *Comparison) SameRun() bool { return c.A.ID != "" && c.A.ID == c.B.ID }

// Headline returns the difference that stands for the comparison; nil where there is none.
func (c *Comparison) Headline() *Difference {
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Group == Overall && d.Mode != ModeDifference && (d.Metric == c.stands.Name || c.stands.Name == "") {
			return d
		}
	}
	return nil
}

// answer says which judge is better by the headline, and whether that is significant.
func (c *Comparison) answer(names [2]string) string {
	d := c.Headline()
	switch {
	case c.SameRun():
		return "Both are the same run."
	case d == nil || d.Diff == nil:
		return "The runs cannot be compared: one of them has no value of the headline metric."
	case c.A.silent && c.B.silent:
		return "Nothing to compare: neither judge gives a verdict."
	case c.A.silent && d.Noise:
		return fmt.Sprintf("Nothing to compare: %s gives no verdict.", names[0])
	case c.B.silent && d.Noise:
		return fmt.Sprintf("Nothing to compare: %s gives no verdict.", names[1])
	}
	both := c.both(*d)
	if w := c.Within; w != nil && w.Verdict == WithinMargin {
		says := fmt.Sprintf("The same within %g points: %s.", w.Points, both)
		if t := w.Turned; t != nil && 2*min(t[0], t[1]) > c.N {
			says += fmt.Sprintf(" But both judges change most verdicts with the order, %d and %d of them: "+
				"equal scores say little here.", t[0], t[1])
		}
		return says
	}
	how := "better"
	if c.stands.Term.Best != Higher {
		how = "higher"
	}
	says := ""
	switch {
	case d.P == nil:
		says = "No significance test for this difference: " + both + "."
	case !d.Noise:
		says = fmt.Sprintf("%s is %s by %s%s: %s.", d.ahead(names), how, d.points(), d.ends(), both)
	case !d.holdsZero() && withinFloor(d.Diff, d.Floor):
		says = "No significant difference: " + both + ", and asking one of the judges again makes as large a difference."
	default:
		says = "No significant difference: " + both + "." + d.needed()
	}
	if w := c.Within; w != nil && w.Verdict == CannotSay && w.Pairs != nil {
		says += fmt.Sprintf(" About %s pairs are needed to show that they are the same within %g points, if they are.",
			roundUp(*w.Pairs), w.Points)
	}
	return says
}

// both gives the values of the two: "correct in both orders on 58 % and 62 % of the same 350 pairs".
func (c *Comparison) both(d Difference) string {
	name := cmp.Or(c.stands.Term.Label, d.Metric)
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

// ahead returns the one of two names that has more.
func (d Difference) ahead(names [2]string) string { return names[int(One(*d.Diff > 0))] }

// places returns the decimals with which sentences show the difference.
func (d Difference) places() int {
	switch {
	case d.Unit != "":
		return 2
	case math.Abs(*d.Diff) < 1:
		return 1
	}
	return 0
}

// points returns how large the difference is, without its sign.
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

// ends returns the interval of what points says.
func (d Difference) ends() string {
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

// needed says how many pairs would separate judges that go on as they did; "" where that is not known.
func (d Difference) needed() string {
	if d.Table == nil || d.Test != "" {
		return ""
	}
	n := float64(d.Table.N())
	apart := math.Abs(float64(d.Table.OnlyA-d.Table.OnlyB)) / n
	pairs := stats.PairsToTell(apart, float64(d.Table.OnlyA+d.Table.OnlyB)/n, planAlpha, planPower)
	if !(pairs > n && pairs <= mostPairs) {
		return ""
	}
	return fmt.Sprintf(" About %s pairs are needed to separate them.", roundUp(int(pairs)))
}

// roundUp returns a number of pairs, rounded up to three digits, in words.
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

// amongAlike says which judge is more accurate where both are consistent.
func (c *Comparison) amongAlike(d Difference, names [2]string) string {
	where := fmt.Sprintf("n the %d pair%s where both judges are consistent", d.N, plural(d.N))
	first := c.Headline()
	switch {
	case d.Noise:
		return "O" + where + ": no significant difference."
	case first == nil || first.Noise || first.Diff != nil && (*first.Diff > 0) != (*d.Diff > 0):
		where = "But o" + where
	default:
		where = "O" + where
	}
	return fmt.Sprintf("%s, %s is correct %s more often%s.", where, d.ahead(names), d.points(), d.ends())
}

// AlikeOf compares two runs on a group where each agrees with itself, from the counts of who is right there.
func AlikeOf(metric, group string, t Table2x2) *Difference {
	n := t.N()
	if n == 0 {
		return nil
	}
	share := func(k int) *float64 { return Percent(float64(k) / float64(n)) }
	iv := stats.Paired(float64(t.OnlyB), float64(t.OnlyA), float64(n), 0.95)
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
	d.Noise = d.holdsZero() || *d.P >= alpha
	return d
}

// Holm corrects the p of some differences by Holm's method over them, and says which may be noise by that.
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
