package multioption

import (
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of two runs with opposite goals, best and worst; see [multiOptionScorer.Match].
const (
	bestAndWorstDiffer     = "best-and-worst-differ"
	bestAndWorstContradict = "best-and-worst-contradict"
	bestAndWorstByChance   = "best-and-worst-by-chance"
)

// ExtendComparison compares two runs with opposite goals: a judge that can rank the options never names one option as
// both best and worst. Runs with the same goal have no such metrics.
//
//	best-and-worst-differ       the option most often named best is another
//	                            than the one most often named worst; tied
//	                            options share the item
//	best-and-worst-contradict   in the same order, one option is named as both
//	best-and-worst-by-chance    the same for two judges that name a random position
func (f *multiOptionScorer) ExtendComparison(
	c *scoring.Comparison, other scoring.Scorer, items []scoring.SharedUnit, b stats.Bootstrap,
) {
	if f.goal == other.(*multiOptionScorer).goal {
		return
	}
	rows := scoring.ClusterSums(items, func(p scoring.SharedUnit) []float64 {
		best, worst := p.A.Data.(scoredBallot).ballot, p.B.Data.(scoredBallot).ballot
		row := make([]float64, 6)
		row[0], row[1] = goalChoicesDiffer(best, worst)
		row[2], row[3], row[4] = contradictions(best, worst)
		row[5] = row[3]
		return row
	})
	list := []scoring.Metric{
		{
			Name:        bestAndWorstDiffer,
			Kind:        scoring.KindMean,
			Columns:     scoring.ColumnSpan{0, 2},
			MissingRule: "item left out where one goal has no verdict",
		},
		{
			Name:        bestAndWorstContradict,
			Kind:        scoring.KindTrials,
			Columns:     scoring.ColumnSpan{2, 4},
			MissingRule: "left out where one goal has no verdict",
		},
		{Name: bestAndWorstByChance, Kind: scoring.KindFromItems, Columns: scoring.ColumnSpan{4, 6}, MissingRule: "none"},
	}
	for i := range list {
		list[i].NoValueReason = "no order of the same options got a verdict under both goals"
	}
	c.BestWorstChoices = scoring.IndependentRows("item", list, rows).Results(scoring.Overall, list, b)
	if chance := &c.BestWorstChoices[2]; chance.Value != nil {
		chance.Note = "exact"
	}
}

// goalChoicesDiffer returns an item's numerator and denominator in the metric bestAndWorstDiffer: the probability that
// an option drawn from those most often named best differs from one drawn from those most often named worst. a and b
// are the item's judgments under both goals.
func goalChoicesDiffer(a, b *ballot) (num, den float64) {
	best, worst := a.idsOf(a.modes()), b.idsOf(b.modes())
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

// contradictions counts the orders of an item in which both goals name the same option, and all orders judged under
// both goals. chance is the expected count of two judges that name random positions.
func contradictions(a, b *ballot) (same, total, chance float64) {
	if !slices.Equal(a.ids, b.ids) {
		return 0, 0, 0
	}
	alike := 0.0 // the probability that two random options are equal
	for c := range a.ids {
		for d := range a.ids {
			alike += scoring.Indicator(a.equalTextClass[c] == a.equalTextClass[d]) / float64(len(a.ids)*len(a.ids))
		}
	}
	for i, order := range a.orders {
		j := slices.IndexFunc(b.orders, func(o []int) bool { return slices.Equal(o, order) })
		if j < 0 {
			continue
		}
		c, d := a.choice(i), b.choice(j)
		if c == judging.NoCandidate || d == judging.NoCandidate {
			continue
		}
		same += scoring.Indicator(a.equalTextClass[c] == a.equalTextClass[d])
		total++
		chance += alike
	}
	return same, total, chance
}
