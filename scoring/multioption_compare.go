package scoring

import (
	"fmt"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// comparedOptions are the metrics that a comparison prints.
var comparedOptions = []struct {
	name   string
	groups bool // also by number of options
}{
	{GradeScore, true},
	{LLMScore, false},
	{ChoiceScore, false},
	{GradeScore + OverRandom, false},
	{OptionAccuracy, false},
	{ModeAccuracy, false},
	{SameChoice, false},
	{UnrelatedRate, false},
}

func optionMetricNamed(name string) optionMetric {
	i := slices.IndexFunc(optionMetrics, func(m optionMetric) bool { return m.name == name })
	return optionMetrics[i]
}

// twice is an item of two runs.
type twice struct{ a, b tally }

// compare pairs items. Number and texts of the options may differ between the
// runs by an unrelated one; what is right to name differs with the goal.
func (f *multiOption) compare(other Scorer, boot stats.Bootstrap) (differences []Difference, n, onlyA, onlyB int, err error) {
	g, ok := other.(*multiOption)
	if !ok {
		return nil, 0, 0, 0, errOtherFamily
	}
	pairs := pairBallots(f, g, boot.Seed)
	for _, p := range pairs {
		alike := f.goal == g.goal && (f.goal != judging.GoalWorst || p.a.unrelated == p.b.unrelated)
		if alike && !slices.Equal(p.a.rightIDs(), p.b.rightIDs()) {
			return nil, 0, 0, 0, fmt.Errorf("they disagree on which option of item %s is the %s: they are of different datasets", p.a.item, f.goal)
		}
	}
	for _, c := range comparedOptions {
		m := optionMetricNamed(c.name)
		overall := m.difference(Overall, pairs, boot)
		if overall.A == nil && overall.B == nil {
			continue // neither run has it
		}
		differences = append(differences, overall)
		groups := byOptions(ballotsOf(pairs))
		if !c.groups || len(groups) < 2 {
			continue
		}
		for _, n := range groups {
			in := slices.DeleteFunc(slices.Clone(pairs), func(p twice) bool { return p.a.options() != n })
			differences = append(differences, m.difference(optionsGroup(n), in, boot))
		}
	}
	return differences, len(pairs), len(f.ballots) - len(pairs), len(g.ballots) - len(pairs), nil
}

// rightIDs names the options that are right to name.
func (b *ballot) rightIDs() []string {
	var ids []string
	for _, c := range b.right {
		ids = append(ids, b.ids[c])
	}
	return ids
}

// pairBallots pairs the items of both runs by id; both lists are sorted by it.
func pairBallots(f, g *multiOption, seed uint64) []twice {
	var a, b []*ballot
	for i, j := 0, 0; i < len(f.ballots) && j < len(g.ballots); {
		switch c := strings.Compare(f.ballots[i].item, g.ballots[j].item); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			a, b = append(a, f.ballots[i]), append(b, g.ballots[j])
			i, j = i+1, j+1
		}
	}
	ta, tb := f.tallies(a, seed), g.tallies(b, seed)
	pairs := make([]twice, len(a))
	for i := range pairs {
		pairs[i] = twice{ta[i], tb[i]}
	}
	return pairs
}

func ballotsOf(pairs []twice) []*ballot {
	out := make([]*ballot, len(pairs))
	for i, p := range pairs {
		out[i] = p.a.ballot
	}
	return out
}

// difference resamples items with both runs' judgments.
func (m optionMetric) difference(group string, pairs []twice, b stats.Bootstrap) Difference {
	rows := make([][]float64, len(pairs))
	var sum [4]float64
	for i, p := range pairs {
		an, ad := m.share(p.a)
		bn, bd := m.share(p.b)
		rows[i] = []float64{an, ad, bn, bd}
		for k, v := range rows[i] {
			sum[k] += v
		}
	}
	diff := func(s []float64) float64 { return s[2]/s[3] - s[0]/s[1] }
	iv := b.Sums(rows, 1, func(s, out []float64) { out[0] = diff(s) })[0]
	d := Difference{
		Metric: m.name, Group: group, Unit: m.unit, N: len(pairs),
		A: m.rounded(sum[0] / sum[1]), B: m.rounded(sum[2] / sum[3]), Diff: m.rounded(diff(sum[:])),
		Low: m.rounded(iv.Low), High: m.rounded(iv.High),
	}
	if d.Diff == nil {
		d.Noise, d.Note = true, "undefined: no "+m.n+" in one of the runs"
		return d
	}
	d.Noise = d.holdsZero()
	return d
}

// Metrics of two runs of opposite goals.
const (
	GoalsDiffer     = "best-and-worst-differ"
	GoalsContradict = "best-and-worst-contradict"
	GoalsByChance   = "best-and-worst-by-chance"
)

// together is what two runs of opposite goals say of each other: a judge that
// knows the best from the worst never calls one option both. It is empty for
// runs of one goal.
//
//	best-and-worst-differ       the option most often called the best is another
//	                            than the one most often called the worst; options
//	                            that share the first place share the item
//	best-and-worst-contradict   shown in the same order, one option is called both
//	best-and-worst-by-chance    the same of two judges that name any place
func (f *multiOption) together(c *Comparison, other Scorer, boot stats.Bootstrap) {
	g, ok := other.(*multiOption)
	if !ok || f.goal == g.goal {
		return
	}
	pairs := pairBallots(f, g, boot.Seed)
	rows := make([][]float64, len(pairs))
	sums := make([]float64, 6)
	for i, p := range pairs {
		row := make([]float64, 6)
		row[0], row[1] = modesDiffer(p)
		row[2], row[3], row[4] = contradictions(p)
		row[5] = share(row[1] > 0)
		rows[i] = row
		for k, v := range row {
			sums[k] += v
		}
	}
	iv := boot.Sums(rows, 2, func(s, out []float64) { out[0], out[1] = s[0]/s[1], s[2]/s[3] })
	differ := Result{Metric: GoalsDiffer, Group: Overall, N: int(sums[1]), Missing: "item left out where one goal has no verdict"}
	contradict := Result{Metric: GoalsContradict, Group: Overall, N: int(sums[3]), Missing: "left out where one goal has no verdict"}
	chance := Result{Metric: GoalsByChance, Group: Overall, N: int(sums[3]), Missing: "none", Value: percent(sums[4] / sums[3]), Note: "exact"}
	fill := func(r *Result, num, den float64, iv stats.Interval, items int) {
		switch {
		case den == 0:
			r.Note = neitherGoal
			return
		case num == 0 || num == den:
			iv, r.Note = alike(num > 0, items, boot.Level), allAlike
		}
		r.Value, r.Low, r.High = percent(num/den), percent(iv.Low), percent(iv.High)
	}
	fill(&differ, sums[0], sums[1], iv[0], int(sums[1]))
	with := 0
	for _, row := range rows {
		if row[3] > 0 {
			with++
		}
	}
	fill(&contradict, sums[2], sums[3], iv[1], with)
	if sums[3] == 0 {
		chance.Note = neitherGoal
	}
	c.Together = []Result{differ, contradict, chance}
}

const neitherGoal = "undefined: no order of the same options got a verdict under both goals"

// modesDiffer is how probable it is that an option drawn from those most often
// called the best is another than one drawn from those most often called the
// worst.
func modesDiffer(p twice) (num, den float64) {
	best, worst := p.a.modeIDs(), p.b.modeIDs()
	if len(best) == 0 || len(worst) == 0 {
		return 0, 0
	}
	same := 0
	for _, id := range best {
		if slices.Contains(worst, id) {
			same++
		}
	}
	return 1 - float64(same)/float64(len(best)*len(worst)), 1
}

func (b *ballot) modeIDs() []string {
	var ids []string
	for _, c := range b.modes() {
		ids = append(ids, b.ids[c])
	}
	return ids
}

// contradictions counts the orders in which both goals name the same option, and
// what two judges that name any place would come to.
func contradictions(p twice) (same, judged, chance float64) {
	if !slices.Equal(p.a.ids, p.b.ids) {
		return 0, 0, 0
	}
	alike := 0.0 // how probable it is that two options drawn are the same
	for c := range p.a.ids {
		for d := range p.a.ids {
			alike += share(p.a.class[c] == p.a.class[d]) / float64(len(p.a.ids)*len(p.a.ids))
		}
	}
	for i, order := range p.a.orders {
		j := slices.IndexFunc(p.b.orders, func(o []int) bool { return slices.Equal(o, order) })
		if j < 0 {
			continue
		}
		c, d := p.a.chosen(i), p.b.chosen(j)
		if c == judging.Nobody || d == judging.Nobody {
			continue
		}
		same += share(p.a.class[c] == p.a.class[d])
		judged++
		chance += alike
	}
	return same, judged, chance
}
