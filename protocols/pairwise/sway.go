package pairwise

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// feature is something that can be counted in a response without understanding it.
type feature struct {
	name, about string
	find        *regexp.Regexp // what is counted; nil: characters
	marks       []string       // a line without any of them has none of it; nil: what is counted may begin on another line
}

// features are those that studies of judges name: length first of all (Dubois et al., arXiv 2404.04475), then looks.
var features = []feature{
	{name: scoring.Length, about: "characters"},
	{
		name:  "Markdown",
		about: "headings and bold or italic words",
		find:  regexp.MustCompile(`^#{1,6} |\*\*[^*\n]+\*\*|__[^_\n]+__`),
		marks: []string{"#", "**", "__"},
	},
	{
		name:  "lists",
		about: "lines that begin with a mark or a number",
		find:  regexp.MustCompile(`(?m)^\s*(?:[-*•]|\d+[.)])\s`),
	},
	{
		name:  "code",
		about: "lines that begin or end a block of code, and words in backquotes",
		find:  regexp.MustCompile("(?m)^\\s*```|`[^`\n]+`"),
	},
	{name: "numbers", about: "numbers", find: regexp.MustCompile(`\d+(?:[.,]\d+)*`)},
	{
		name:  "hedging",
		about: "may, might, could, perhaps, possibly, probably, likely, seems, generally, usually",
		find:  regexp.MustCompile(`(?i)\b(?:may|might|could|perhaps|possibly|probably|likely|seems?|generally|usually)\b`),
	},
	{
		name:  "first person",
		about: "I, me, my, we, our",
		find:  regexp.MustCompile(`\b(?:I|me|my|My|we|We|our|Our)\b`),
	},
}

// of is how much of it a text has: the logarithm of one more than the count, so that ratios count.
func (f feature) of(text string) float64 {
	n := 0
	switch {
	case f.find == nil:
		n = utf8.RuneCountInString(text)
	case f.marks == nil:
		n = len(f.find.FindAllStringIndex(text, -1))
	default:
		for line := range strings.Lines(text) {
			if slices.ContainsFunc(f.marks, func(mark string) bool { return strings.Contains(line, mark) }) {
				n += len(f.find.FindAllStringIndex(line, -1))
			}
		}
	}
	return math.Log(1 + float64(n))
}

// more is how much more of it the first of two responses has.
func (f feature) more(of []judging.Response) float64 { return f.of(of[0].Text) - f.of(of[1].Text) }

// swayed is a pair with what its first response has more of than its second.
type swayed struct {
	pair
	more    []float64 // a value a feature
	cluster int
}

// Sway says what goes with the verdicts on pairs beside what is right; see [scoring.Swayer].
func (f *pairs) Sway(
	responses scoring.Responses, clusterOf func(id string) string, b stats.Bootstrap,
) (*scoring.Sway, error) {
	if f.manifest.Spec.Goal != Protocol.Goal {
		return nil, nil
	}
	own := own{family: familyOf(f.manifest.Spec.Model.Name)}
	rows, err := f.counted(responses, clusterOf, func(of []judging.Response) (more []float64) {
		for _, feature := range features {
			more = append(more, feature.more(of))
		}
		return append(more, own.more(of))
	})
	if err != nil {
		return nil, err
	}
	out := &scoring.Sway{
		Pairs:  len(rows),
		Causes: []scoring.Cause{},
		Strict: shareOf(rows, b, swayed.bothRight),
	}
	for k, f := range features {
		out.Causes = append(out.Causes, f.cause(k, rows, b))
	}
	if own.told {
		itself := feature{name: scoring.Itself, about: "a response by a model of its own family"}
		out.Causes = append(out.Causes, itself.cause(len(features), rows, b))
	}
	out.Itself = own.why()
	out.Rules = rules(rows, b)
	regress(out, rows, b)
	return out, nil
}

// counted are the pairs with a label and two responses that are not the same, with what the first has more of.
func (f *pairs) counted(
	responses scoring.Responses, clusterOf func(id string) string, count func(of []judging.Response) []float64,
) (rows []swayed, err error) {
	at := map[string]int{}
	for i, u := range f.rows {
		at[u.item] = i
	}
	more := make([][]float64, len(f.rows))
	err = responses(func(id string, of []judging.Response) {
		i, ok := at[id]
		if ok && len(of) == 2 && of[0].Text != of[1].Text {
			more[i] = count(of)
		}
	})
	if err != nil {
		return nil, err
	}
	clusters := map[string]int{}
	for i, u := range f.rows {
		if u.gold < 0 || more[i] == nil {
			continue
		}
		name := u.item
		if clusterOf != nil {
			name = clusterOf(u.item)
		}
		if _, ok := clusters[name]; !ok {
			clusters[name] = len(clusters)
		}
		rows = append(rows, swayed{pair: *u, more: more[i], cluster: clusters[name]})
	}
	return rows, nil
}

// cause counts what goes with a feature.
func (f feature) cause(k int, rows []swayed, b stats.Bootstrap) scoring.Cause {
	var more, less []swayed // pairs whose better response has more of it, and less
	for _, u := range rows {
		switch {
		case u.more[k] == 0:
		case u.gold == u.has(k):
			more = append(more, u)
		default:
			less = append(less, u)
		}
	}
	return scoring.Cause{
		Name:  f.name,
		About: f.about,
		Pairs: len(more) + len(less),
		Named: named(slices.Concat(more, less), b, func(u swayed, g judgment) bool { return g.choice == u.has(k) }),
		More:  shareOf(more, b, swayed.bothRight),
		Less:  shareOf(less, b, swayed.bothRight),
	}
}

// has is the response that has more of a feature.
func (u swayed) has(k int) int8 {
	if u.more[k] > 0 {
		return 0
	}
	return 1
}

// bothRight counts the pair, and whether it is correct in both orders.
func (u swayed) bothRight() (with, of int) { return int(scoring.One(u.strict())), 1 }

// named is the share of the verdicts that are so.
func named(rows []swayed, b stats.Bootstrap, is func(swayed, judgment) bool) scoring.Proportion {
	return shareOf(rows, b, func(u swayed) (with, of int) {
		for _, g := range u.judgments {
			if g.decided() {
				with += int(scoring.One(is(u, g)))
				of++
			}
		}
		return with, of
	})
}

// shareOf is the share of what pairs count; what belongs together is counted together.
func shareOf(rows []swayed, b stats.Bootstrap, count func(swayed) (with, of int)) scoring.Proportion {
	var counts scoring.Tally[int, [2]int]
	for _, u := range rows {
		with, of := count(u)
		if of > 0 {
			c := counts.Of(u.cluster)
			c[0] += with
			c[1] += of
		}
	}
	return scoring.ProportionOf(counts.Values, b)
}

// fewestEvents is how many verdicts for each coefficient a regression needs: Peduzzi et al., Journal of Clinical
// Epidemiology 49 (1996), 1373–1379.
const fewestEvents = 10

// design is a regression of verdicts: a row for each, with what is right, the place, and the features that are used, in
// units of their standard deviation.
type design struct {
	used    []int // features
	x       [][]float64
	y       []bool // it names the first of the pair's responses
	cluster []int
	right   int // of the verdicts
}

// designOf takes the features in which enough pairs differ.
func designOf(rows []swayed, causes []scoring.Cause) (d design) {
	var spread []float64
	for k, c := range causes {
		if c.Pairs < fewestEvents {
			continue
		}
		squares := 0.0
		for _, u := range rows {
			squares += u.more[k] * u.more[k]
		}
		d.used = append(d.used, k)
		spread = append(spread, math.Sqrt(squares/float64(len(rows))))
	}
	for _, u := range rows {
		for _, g := range u.judgments {
			if !g.decided() {
				continue
			}
			row := []float64{1 - 2*float64(u.gold), 1 - 2*float64(g.first)}
			for i, k := range d.used {
				row = append(row, u.more[k]/spread[i])
			}
			d.x = append(d.x, row)
			d.y = append(d.y, g.choice == 0)
			d.cluster = append(d.cluster, u.cluster)
			d.right += int(scoring.One(g.choice == u.gold))
		}
	}
	return d
}

// regress says what each cause does by itself, and puts the place before them.
func regress(out *scoring.Sway, rows []swayed, b stats.Bootstrap) {
	place := scoring.Cause{Name: "the place", About: "shown first", Pairs: len(rows)}
	place.Named = named(rows, b, func(_ swayed, g judgment) bool { return g.choice == g.first })
	d := designOf(rows, out.Causes)
	out.Judgments = len(d.y)
	need := fewestEvents * (2 + len(d.used))
	switch {
	case len(rows) == 0:
		out.Why = "No pair has a label and the texts of both responses: what sways the judge cannot be told."
	case !slices.ContainsFunc(out.Causes, func(c scoring.Cause) bool { return c.Pairs > 0 }):
		out.Why = "The texts of the responses are not in the run's folder: what sways the judge cannot be told."
	case len(d.y) < need:
		out.Why = fmt.Sprintf("Too few verdicts (%d) to tell what sways the judge: %d causes need %d.", len(d.y),
			1+len(d.used), need)
	default:
		out.Right = scoring.Percent(float64(d.right) / float64(len(d.y)))
		fit := stats.Logit(d.x, d.y, d.cluster)
		if fit == nil {
			out.Why = fmt.Sprintf("The effects of the features cannot be separated: one decides nearly every verdict "+
				"(%.0f %% are right, %.0f %% name the response shown first), or the pairs belong to too few groups.",
				*out.Right, *place.Named.Value)
			break
		}
		out.Level = rightWhereEqual(fit, b.Level, len(d.y))
		odds := oddsOf(fit, b.Level)
		place.Odds = odds[0]
		for i, k := range d.used {
			out.Causes[k].Odds = odds[1+i]
		}
	}
	size := func(c scoring.Cause) float64 {
		if c.Odds == nil {
			return -1
		}
		return math.Abs(math.Log(c.Odds.Ratio))
	}
	slices.SortStableFunc(out.Causes, func(a, b scoring.Cause) int { return cmp.Compare(size(b), size(a)) })
	out.Causes = slices.Insert(out.Causes, 0, place)
}

// oddsOf are those of the place, from shown second to shown first, and of the features; nil where no cluster tells.
func oddsOf(fit *stats.Logistic, level float64) (all []*scoring.Odds) {
	var p []float64
	for j := 1; j < len(fit.Beta); j++ {
		p = append(p, fit.Test(j))
	}
	for i, adjusted := range stats.Holm(p) {
		if !fit.Tells(1 + i) {
			all = append(all, nil)
			continue
		}
		unit := 1.0
		if i == 0 {
			unit = 2 // the place is +1 or −1
		}
		in := fit.Interval(1+i, level)
		ratio := func(beta float64) float64 { return *scoring.Fraction(math.Exp(min(max(unit*beta, -50), 50))) }
		all = append(all, &scoring.Odds{
			Ratio: ratio(fit.Beta[1+i]),
			Low:   ratio(in.Low),
			High:  ratio(in.High),
			P:     *scoring.Precise(adjusted),
		})
	}
	return all
}

// rightWhereEqual is how often a verdict is right where all features are equal, with half of the right responses shown
// first.
func rightWhereEqual(fit *stats.Logistic, level float64, n int) *scoring.Proportion {
	at := func(shift float64) float64 {
		l := stats.Logistic{Beta: []float64{fit.Beta[0] + shift, fit.Beta[1]}}
		return (l.P([]float64{1, 1}) + l.P([]float64{1, -1})) / 2
	}
	in := fit.Interval(0, level)
	return &scoring.Proportion{
		Value: scoring.Percent(at(0)),
		Low:   scoring.Percent(at(in.Low - fit.Beta[0])),
		High:  scoring.Percent(at(in.High - fit.Beta[0])),
		N:     n,
	}
}
