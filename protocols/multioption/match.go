package multioption

import (
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of two runs of opposite goals.
const (
	goalsDiffer     = "best-and-worst-differ"
	goalsContradict = "best-and-worst-contradict"
	goalsByChance   = "best-and-worst-by-chance"
)

// Match is what two runs of opposite goals say of each other: a judge that knows the best from the worst never calls
// one option both. There is nothing for runs of one goal.
//
//	best-and-worst-differ       the option most often called the best is another
//	                            than the one most often called the worst; options
//	                            that share the first position share the item
//	best-and-worst-contradict   shown in the same order, one option is called both
//	best-and-worst-by-chance    the same of two judges that name any position
func (f *choices) Match(c *scoring.Comparison, other scoring.Scorer, joined []scoring.Joined, b stats.Bootstrap) {
	if f.goal == other.(*choices).goal {
		return
	}
	rows := scoring.ByCluster(joined, func(p scoring.Joined) []float64 {
		best, worst := p.A.Of.(countedChoices).ballot, p.B.Of.(countedChoices).ballot
		row := make([]float64, 6)
		row[0], row[1] = modesDiffer(best, worst)
		row[2], row[3], row[4] = contradictions(best, worst)
		row[5] = row[3]
		return row
	})
	list := []scoring.Metric{
		{
			Name:    goalsDiffer,
			Kind:    scoring.Mean,
			Columns: scoring.Span{0, 2},
			Missing: "item left out where one goal has no verdict",
		},
		{
			Name:    goalsContradict,
			Kind:    scoring.Several,
			Columns: scoring.Span{2, 4},
			Missing: "left out where one goal has no verdict",
		},
		{Name: goalsByChance, Kind: scoring.Known, Columns: scoring.Span{4, 6}, Missing: "none"},
	}
	for i := range list {
		list[i].None = "no order of the same options got a verdict under both goals"
	}
	c.Together = scoring.SampleOf("item", list, rows).Results(scoring.Overall, list, b)
	if chance := &c.Together[2]; chance.Value != nil {
		chance.Note = "exact"
	}
}

// modesDiffer is how probable it is that an option drawn from those most often called the best is another than one
// drawn from those most often called the worst.
func modesDiffer(a, b *ballot) (num, den float64) {
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

// contradictions counts the orders in which both goals name the same option, and
// what two judges that name any position would come to.
func contradictions(a, b *ballot) (same, judged, chance float64) {
	if !slices.Equal(a.ids, b.ids) {
		return 0, 0, 0
	}
	alike := 0.0 // how probable it is that two options drawn are the same
	for c := range a.ids {
		for d := range a.ids {
			alike += scoring.One(a.class[c] == a.class[d]) / float64(len(a.ids)*len(a.ids))
		}
	}
	for i, order := range a.orders {
		j := slices.IndexFunc(b.orders, func(o []int) bool { return slices.Equal(o, order) })
		if j < 0 {
			continue
		}
		c, d := a.chosen(i), b.chosen(j)
		if c == judging.Nobody || d == judging.Nobody {
			continue
		}
		same += scoring.One(a.class[c] == a.class[d])
		judged++
		chance += alike
	}
	return same, judged, chance
}
