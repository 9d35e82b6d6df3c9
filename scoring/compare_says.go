package scoring

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/scoring/stats"
)

// mostPairs is how many are named as what would tell two judges apart.
const mostPairs = 100_000

// say says what the comparison comes to.
func (c *Comparison) say() {
	first, rest := c.Sentences()
	c.Says = strings.TrimSuffix(first+" "+rest, " ")
}

// Sentences are the answer, and what there is to say of the pairs where each judge agrees with itself.
func (c *Comparison) Sentences() (first, rest string) {
	names := c.Names()
	if d := c.Alike; d != nil && d.Diff != nil && (c.A.ID == "" || c.A.ID != c.B.ID) {
		rest = c.amongAlike(*d, names)
	}
	return c.answer(names), rest
}

// Call the judges by names that people gave them; "" for none.
func (c *Comparison) Call(a, b string) {
	c.called = [2]string{a, b}
	c.say()
}

// Names are what the two judges are called; see [NamesOf].
func (c *Comparison) Names() [2]string { return [2]string(NamesOf([]Side{c.A, c.B}, c.called[:]...)) }

// Headline is the difference that stands for the comparison; nil where there is none.
func (c *Comparison) Headline() *Difference {
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Group == Overall && d.Mode != ModeDifference && (d.Metric == c.stands || c.stands == "") {
			return d
		}
	}
	return nil
}

// answer says whether the judges can be told apart by the headline.
func (c *Comparison) answer(names [2]string) string {
	d := c.Headline()
	switch {
	case c.A.ID != "" && c.A.ID == c.B.ID:
		return "Both are the same run."
	case d == nil || d.Diff == nil:
		return "The two cannot be compared: the headline has no value in one of them."
	}
	switch {
	case c.A.silent && c.B.silent:
		return "There is nothing to compare: neither judge gives a verdict."
	case c.A.silent && d.Noise:
		return fmt.Sprintf("There is nothing to compare: %s gives no verdict.", names[0])
	case c.B.silent && d.Noise:
		return fmt.Sprintf("There is nothing to compare: %s gives no verdict.", names[1])
	}
	both := c.both(*d)
	if w := c.Within; w != nil && w.Verdict == WithinMargin {
		says := fmt.Sprintf("They are the same within %g points: %s.", w.Points, both)
		if t := w.Turned; t != nil && 2*min(t[0], t[1]) > c.N {
			says += fmt.Sprintf(
				" That says little: the verdicts of both change with the order, on %d and %d of them.", t[0], t[1])
		}
		return says
	}
	how := "is better"
	if c.words.Best != Higher {
		how = "is higher"
	}
	says := ""
	switch {
	case d.P == nil:
		says = "Nobody can say whether they differ, since there is no test: " + both + "."
	case !d.Noise:
		says = fmt.Sprintf("%s %s by %s%s: %s.", d.ahead(names), how, d.points(), d.ends(), both)
	case !d.holdsZero() && withinFloor(d.Diff, d.Floor):
		says = fmt.Sprintf("They cannot be told apart: %s, and asking one of them again makes as large a difference.", both)
	default:
		says = fmt.Sprintf("They cannot be told apart: %s.%s", both, d.would())
	}
	if w := c.Within; w != nil && w.Verdict == CannotSay && w.Pairs != nil {
		says += fmt.Sprintf(" Some %s pairs would show whether they are the same within %g points, if they are.",
			roundUp(*w.Pairs), w.Points)
	}
	return says
}

// both says what the two come to: "correct in both orders on 58 and 62 % of the same 350 pairs".
func (c *Comparison) both(d Difference) string {
	name := cmp.Or(c.words.Label, d.Metric)
	same := fmt.Sprintf("the same %d %s%s", c.N, cmp.Or(c.Unit, "pair"), plural(c.N))
	if d.A == nil || d.B == nil {
		return name + " on " + same
	}
	if d.Unit != "" {
		return fmt.Sprintf("%s %.2f and %.2f on %s", name, Unsigned(*d.A, 2), Unsigned(*d.B, 2), same)
	}
	if !strings.HasPrefix(name, "right") {
		return fmt.Sprintf("%s %.0f and %.0f %% on %s", name, Unsigned(*d.A, 0), Unsigned(*d.B, 0), same)
	}
	return fmt.Sprintf("%s on %.0f and %.0f %% of %s", name, Unsigned(*d.A, 0), Unsigned(*d.B, 0), same)
}

// ahead is which of two names has more.
func (d Difference) ahead(names [2]string) string { return names[int(One(*d.Diff > 0))] }

// points is how large the difference is, without its sign.
func (d Difference) points() string {
	size := math.Abs(*d.Diff)
	switch {
	case d.Unit != "":
		return fmt.Sprintf("%.2f", size)
	case size < 1:
		return fmt.Sprintf("%.1f points", size)
	case math.Round(size) == 1:
		return "1 point"
	}
	return fmt.Sprintf("%.0f points", size)
}

// ends are those of the interval of what points says.
func (d Difference) ends() string {
	if d.Low == nil || d.High == nil {
		return ""
	}
	low, high := *d.Low, *d.High
	if *d.Diff < 0 {
		low, high = -high, -low
	}
	places := 0
	switch {
	case d.Unit != "":
		places = 2
	case math.Abs(*d.Diff) < 1:
		places = 1
	}
	return fmt.Sprintf(" [%.*f, %.*f]", places, Unsigned(low, places), places, Unsigned(high, places))
}

// would says how many pairs would tell the judges apart that go on as they did; "" where nobody knows.
func (d Difference) would() string {
	if d.Table == nil || d.Test != "" {
		return ""
	}
	n := float64(d.Table.N())
	apart := math.Abs(float64(d.Table.OnlyA-d.Table.OnlyB)) / n
	pairs := stats.PairsToTell(apart, float64(d.Table.OnlyA+d.Table.OnlyB)/n, planAlpha, planPower)
	if !(pairs > n && pairs <= mostPairs) {
		return ""
	}
	return fmt.Sprintf(" Some %s pairs would do.", roundUp(int(pairs)))
}

// roundUp is a number of pairs in three digits, in words.
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

// amongAlike says who is right where each judge agrees with itself.
func (c *Comparison) amongAlike(d Difference, names [2]string) string {
	where := fmt.Sprintf("the %d pairs where each judge gives the same verdict in both orders", d.N)
	if d.N == 1 {
		where = strings.Replace(where, "pairs", "pair", 1)
	}
	first := c.Headline()
	if d.Noise {
		return fmt.Sprintf("On %s they cannot be told apart.", where)
	}
	start := "On "
	if first == nil || first.Noise || first.Diff != nil && (*first.Diff > 0) != (*d.Diff > 0) {
		start = "But on "
	}
	return fmt.Sprintf("%s%s, %s is right %s more often%s.", start, where, d.ahead(names), d.points(), d.ends())
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
