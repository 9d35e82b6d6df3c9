package pairwise

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"unicode/utf8"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// feature is something that can be counted in a response without understanding it.
type feature struct {
	name, about string
	find        *regexp.Regexp // what is counted; nil: characters
}

// features are those that studies of judges name: length first of all (Dubois et al., arXiv 2404.04475), then looks.
var features = []feature{
	{name: scoring.Length, about: "characters"},
	{
		name:  "Markdown",
		about: "headings and bold or italic words",
		find:  regexp.MustCompile(`(?m)^#{1,6} |\*\*[^*\n]+\*\*|__[^_\n]+__`),
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
	if f.find == nil {
		return math.Log(1 + float64(utf8.RuneCountInString(text)))
	}
	return math.Log(1 + float64(len(f.find.FindAllStringIndex(text, -1))))
}

// swayed is a pair with what its first response has more of than its second.
type swayed struct {
	pair
	more    []float64 // a value a feature
	cluster int
}

// Sway says what goes with the verdicts of a run of pairs beside what is right. It reads the texts of the items in the
// run's folder and asks nothing.
func Sway(dir string, how judging.Reading, b stats.Bootstrap) (*scoring.Sway, error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Spec.Protocol != Protocol.Name || m.Spec.Goal != Protocol.Goal {
		return nil, fmt.Errorf("%s: what sways a judge is told of runs of pairs alone, asked which is better", dir)
	}
	items, err := texts(dir)
	if err != nil {
		return nil, err
	}
	scorer := NewScorer(m).(*pairs)
	clusterOf := map[string]string{}
	_, err = judging.EachVerdict(dir, how, func(r *judging.Record, _ judging.Asker, v judging.Verdict) error {
		if of, _ := r.Cluster(); of != nil {
			clusterOf[r.Item] = of(r.Item)
		}
		_, err := scorer.Add(r, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	scorer.Finish()
	out := &scoring.Sway{Run: dir, Judge: m.Spec.Model.Name, Dataset: m.Dataset.Name, Causes: []scoring.Cause{}}
	clusters := map[string]int{}
	var rows []swayed
	for _, u := range scorer.rows {
		more := items[u.item]
		if u.gold < 0 || more == nil || !u.judgments[0].decided() && !u.judgments[1].decided() {
			continue
		}
		name := cmp.Or(clusterOf[u.item], u.item)
		if _, ok := clusters[name]; !ok {
			clusters[name] = len(clusters)
		}
		rows = append(rows, swayed{pair: u, more: more, cluster: clusters[name]})
	}
	out.Pairs = len(rows)
	for k, f := range features {
		out.Causes = append(out.Causes, f.cause(k, rows, b))
	}
	out.Rules = rules(rows)
	regress(out, rows, b)
	return out, nil
}

// texts are, for each pair of a run's folder, what the first response has more of; none of a pair whose texts are not
// known or the same.
func texts(dir string) (map[string][]float64, error) {
	set, err := datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		return nil, err
	}
	defer set.Close()
	out := map[string][]float64{}
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		if len(item.Candidates) != 2 || item.Candidates[0].Text == item.Candidates[1].Text {
			continue
		}
		more := make([]float64, len(features))
		for k, f := range features {
			more[k] = f.of(item.Candidates[0].Text) - f.of(item.Candidates[1].Text)
		}
		out[item.ID] = more
	}
	return out, nil
}

// cause counts what goes with a feature.
func (f feature) cause(k int, rows []swayed, b stats.Bootstrap) scoring.Cause {
	c := scoring.Cause{Name: f.name, About: f.about}
	var differ []swayed
	var more, less [2]int // right in both orders, of pairs
	for _, u := range rows {
		if u.more[k] == 0 {
			continue
		}
		differ = append(differ, u)
		side := &less
		if u.gold == u.has(k) {
			side = &more
		}
		side[0] += int(scoring.One(u.strict()))
		side[1]++
	}
	c.Pairs = len(differ)
	c.Named = named(differ, b, func(u swayed, g judgment) bool { return g.choice == u.has(k) })
	c.More = shareOf(more, b.Level)
	c.Less = shareOf(less, b.Level)
	return c
}

// has is the response that has more of a feature.
func (u swayed) has(k int) int8 {
	if u.more[k] > 0 {
		return 0
	}
	return 1
}

// named is the share of the verdicts that are so. The two of a pair depend on each other.
func named(rows []swayed, b stats.Bootstrap, is func(swayed, judgment) bool) scoring.Proportion {
	var counts stats.Rows
	var with, verdicts float64
	for _, u := range rows {
		row := []float64{0, 0}
		for _, g := range u.judgments {
			if g.decided() {
				row[0] += scoring.One(is(u, g))
				row[1]++
			}
		}
		counts.Add(row)
		with += row[0]
		verdicts += row[1]
	}
	if verdicts == 0 {
		return scoring.Proportion{}
	}
	ends := &stats.Beside{
		Low:  []stats.Extra{{Columns: []int{1}, Values: []float64{1}}},
		High: []stats.Extra{{Columns: []int{0, 1}, Values: []float64{1, 1}}},
		Mass: 0.5,
	}
	ratio := func(sums []float64) float64 { return sums[0] / sums[1] }
	in := b.Smoothed(&counts, []stats.Statistic{{Of: ratio, Beside: ends}})[0]
	return scoring.Proportion{
		Value: scoring.Percent(with / verdicts),
		Low:   scoring.Percent(in.Low),
		High:  scoring.Percent(in.High),
		N:     int(verdicts),
	}
}

// shareOf is so many of so many.
func shareOf(of [2]int, level float64) scoring.Proportion {
	s := scoring.Proportion{N: of[1]}
	if of[1] > 0 {
		in := stats.Blaker(of[0], of[1], level)
		s.Value = scoring.Percent(float64(of[0]) / float64(of[1]))
		s.Low = scoring.Percent(in.Low)
		s.High = scoring.Percent(in.High)
	}
	return s
}

// rules are what rules that do not read get right in both orders: pairs with as much of it on both sides are wrong.
func rules(rows []swayed) []scoring.Rule {
	all := []scoring.Rule{{Name: "always the first", Value: 0}, {Name: "one coin for both orders", Value: 50}}
	if len(rows) == 0 {
		return all
	}
	for k, words := range [][2]string{{"the longer", "the shorter"}, {"more Markdown", "less Markdown"}} {
		var right [2]float64
		for _, u := range rows {
			if u.more[k] != 0 {
				right[(u.has(k)+2-u.gold)%2]++
			}
		}
		for side, name := range words {
			all = append(all, scoring.Rule{Name: name, Value: *scoring.Percent(right[side] / float64(len(rows)))})
		}
	}
	return all
}

// fewestEvents is how many verdicts for each coefficient a regression needs: Peduzzi et al., Journal of Clinical
// Epidemiology 49 (1996), 1373–1379.
const fewestEvents = 10

// regress fits the verdicts to what is right, the place and the features that differ between responses, in units of
// their standard deviation.
func regress(out *scoring.Sway, rows []swayed, b stats.Bootstrap) {
	place := scoring.Cause{Name: "the place", About: "shown first", Pairs: len(rows)}
	place.Named = named(rows, b, func(_ swayed, g judgment) bool { return g.choice == g.first })
	var used []int
	var spread []float64
	for k := range features {
		squares := 0.0
		for _, u := range rows {
			squares += u.more[k] * u.more[k]
		}
		if out.Causes[k].Pairs >= fewestEvents {
			used = append(used, k)
			spread = append(spread, math.Sqrt(squares/float64(len(rows))))
		}
	}
	var x [][]float64
	var y []bool
	var cluster []int
	right := 0
	for _, u := range rows {
		for _, g := range u.judgments {
			if !g.decided() {
				continue
			}
			row := []float64{1 - 2*float64(u.gold), 1 - 2*float64(g.first)}
			for i, k := range used {
				row = append(row, u.more[k]/spread[i])
			}
			x = append(x, row)
			y = append(y, g.choice == 0)
			cluster = append(cluster, u.cluster)
			right += int(scoring.One(g.choice == u.gold))
		}
	}
	out.Judgments = len(y)
	if len(y) > 0 {
		out.Right = scoring.Percent(float64(right) / float64(len(y)))
	}
	var fit *stats.Logistic
	switch {
	case len(rows) == 0:
		out.Why = "No pair has a label, the texts of both responses and a verdict: what sways the judge cannot be told."
	case len(y) < fewestEvents*(2+len(used)):
		out.Why = fmt.Sprintf("Too few verdicts (%d) to tell what sways the judge: %d causes need %d.", len(y), 1+len(used),
			fewestEvents*(2+len(used)))
	default:
		fit = stats.Logit(x, y, cluster)
		if fit == nil {
			out.Why = fmt.Sprintf("What sways the judge cannot be told apart: something decides nearly every verdict "+
				"(%.0f %% name the response shown first).", *place.Named.Value)
		}
	}
	if fit != nil {
		out.Level = rightWhereEqual(fit, b.Level, len(y))
		var p []float64
		for j := 1; j < len(fit.Beta); j++ {
			p = append(p, fit.Test(j))
		}
		p = stats.Holm(p)
		odds := func(j int, unit float64) *scoring.Odds {
			in := fit.Interval(j, b.Level)
			return &scoring.Odds{
				Ratio: *scoring.Fraction(math.Exp(unit * fit.Beta[j])),
				Low:   *scoring.Fraction(math.Exp(unit * in.Low)),
				High:  *scoring.Fraction(math.Exp(unit * in.High)),
				P:     *scoring.Precise(p[j-1]),
			}
		}
		place.Odds = odds(1, 2) // from shown second to shown first
		for i, k := range used {
			out.Causes[k].Odds = odds(2+i, 1)
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
