package multioption

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of a choice among several options. The three scores have more, which are named after them: what a random and
// an always-first judge score on the same items, and how far the judge is on the way from random to perfect.
const (
	GradeScore  = "grade"
	LLMScore    = "llm"
	ChoiceScore = "choice"

	OfRandom   = "-random"
	OfFirst    = "-first"
	overRandom = "-over-random"
	byUsable   = "-usable" // of the Grade score: by one policy, whichever the run is scored by
	byStrict   = "-strict"

	everyRight     = "right-every-order" // the headline where items have a label
	optionAccuracy = "accuracy"          // also OfRandom
	modeAccuracy   = "accuracy-mode"
	sameChoice     = "same-choice"
	UnrelatedRate  = "unrelated"
)

// countedChoices is all that the metrics need of a ballot.
type countedChoices struct {
	*ballot
	*chance
	scored  grades // by the run's policy
	missing scoring.MissingPolicy
}

// Metrics is the table of metrics of several options, in which [MissingStrict] differs from the default.
//
//go:embed metrics.yaml
var Metrics string

// scores are the three of the paper, the headline first.
var scores = []struct {
	name string
	of   func(grades) float64
}{
	{name: GradeScore, of: func(g grades) float64 { return g.grade }},
	{name: LLMScore, of: func(g grades) float64 { return g.llm }},
	{name: ChoiceScore, of: func(g grades) float64 { return g.choice }},
}

// variants are what there is of each of the three: the score, that of judges without judgment, and how far the judge is
// on the way between.
var variants = []struct {
	metric scoring.Metric                // its name is a suffix
	grades func(t countedChoices) grades // nil: of two of the others
}{
	{
		metric: scoring.Metric{Kind: scoring.Mean},
		grades: func(t countedChoices) grades { return t.scored },
	},
	{
		metric: scoring.Metric{Name: OfRandom, Kind: scoring.Known},
		grades: func(t countedChoices) grades { return t.random },
	},
	{
		metric: scoring.Metric{Name: OfFirst, Kind: scoring.Known},
		grades: func(t countedChoices) grades { return t.first },
	},
	{metric: scoring.Metric{Name: overRandom, Kind: scoring.Ratio}},
}

// itemMetrics are those of choices that are not named after one of the scores.
var itemMetrics = []scoring.Summed[countedChoices]{
	{Metric: scoring.Metric{Name: GradeScore + byUsable, Kind: scoring.Mean}, Adds: gradeBy(scoring.MissingUsable)},
	{Metric: scoring.Metric{Name: GradeScore + byStrict, Kind: scoring.Mean}, Adds: gradeBy(scoring.MissingStrict)},
	{Metric: scoring.Metric{Name: optionAccuracy, Kind: scoring.Mean}, Adds: rightShare},
	{
		Metric: scoring.Metric{
			Name: optionAccuracy + OfRandom,
			Kind: scoring.Known,
			None: "no items of which the right option is known",
		},
		Adds: randomRight,
	},
	{Metric: scoring.Metric{Name: modeAccuracy, Kind: scoring.Mean}, Adds: modeRight},
	{Metric: scoring.Metric{Name: sameChoice}, Adds: alwaysOne},
	{
		Metric: scoring.Metric{Name: UnrelatedRate, Kind: scoring.Several},
		Adds:   unrelatedChosen,
	},
}

// gradeBy returns the Grade score of a ballot under a policy.
func gradeBy(policy scoring.MissingPolicy) func(t countedChoices) (num, den float64) {
	return func(t countedChoices) (num, den float64) { return t.ballot.grades(policy).grade, 1 }
}

// optionMetrics lists the metrics of a choice among several options (PROTOCOLS.md §3). Where items have a label, the
// headline says how often the choice is right; the Grade score, which a judge that is steadily wrong has too, does not.
func optionMetrics(labelled bool) []scoring.Summed[countedChoices] {
	list := []scoring.Summed[countedChoices]{{Metric: scoring.Metric{Name: everyRight}, Adds: rightInEvery}}
	headline := GradeScore
	if labelled {
		headline = everyRight
	}
	for _, v := range variants {
		for _, score := range scores {
			m := v.metric
			m.Name = score.name + m.Name
			if m.Name == GradeScore+overRandom {
				m.Compared = scoring.Whole
			}
			list = append(list, scoring.Summed[countedChoices]{
				Metric: m,
				Adds: func(t countedChoices) (num, den float64) {
					if v.grades != nil {
						return score.of(v.grades(t)), 1
					}
					den = score.of(t.perfect) - score.of(t.random)
					if math.Abs(den) < tiny { // all are as good as perfect on it, as on two orders of three options
						return 0, 0
					}
					return score.of(t.scored) - score.of(t.random), den
				},
			})
		}
	}
	list = append(list, itemMetrics...)
	for i := range list {
		if list[i].Name == headline {
			list[i].Headline = true
		}
	}
	return list
}

// tiny is what differences of scores may be off by.
const tiny = 1e-9

func rightInEvery(t countedChoices) (num, den float64) {
	for i := range t.positions {
		if c := t.chosen(i); c == judging.Nobody || !t.isRight(c) {
			return 0, scoring.One(len(t.right) > 0)
		}
	}
	return 1, 1
}

func rightShare(t countedChoices) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	right, of := 0, len(t.positions)
	if t.missing == scoring.MissingUsable {
		of = max(1, t.usable())
	}
	for i := range t.positions {
		if c := t.chosen(i); c != judging.Nobody && t.isRight(c) {
			right++
		}
	}
	return float64(right) / float64(of), 1
}

func modeRight(t countedChoices) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	modes := t.modes()
	for _, c := range modes {
		num += scoring.One(t.isRight(c)) / float64(len(modes))
	}
	return num, 1
}

func randomRight(t countedChoices) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	for c := range t.ids {
		num += scoring.One(t.isRight(c)) / float64(len(t.ids))
	}
	heard := float64(t.usable()) / float64(len(t.positions)) // the random judge is silent where the judge was
	if t.missing == scoring.MissingUsable {
		heard = scoring.One(heard > 0)
	}
	return num * heard, 1
}

func alwaysOne(t countedChoices) (num, den float64) {
	return scoring.One(slices.Max(t.choiceCounts()) == len(t.positions)), 1
}

func unrelatedChosen(t countedChoices) (num, den float64) {
	if t.unrelated == judging.Nobody {
		return 0, 0
	}
	for i := range t.positions {
		num += scoring.One(t.chosen(i) == t.unrelated)
	}
	return num, float64(t.usable())
}

// Sheet lays out the items, in groups by how many options they have.
func (f *choices) Sheet(how scoring.MissingPolicy, seed uint64) *scoring.Sheet {
	list := optionMetrics(f.labelled)
	all := make([]countedChoices, len(f.ballots))
	for i, c := range chances(f.ballots, how, seed) {
		b := f.ballots[i]
		all[i] = countedChoices{ballot: b, chance: c, scored: b.grades(how), missing: how}
	}
	for i := range list {
		if m := &list[i]; m.Kind == scoring.Ratio {
			m.Least = min(-1, worst(m, all)) // −1 where the judge is silent, which random judges are then too
		}
	}
	s := &scoring.Sheet{Metrics: scoring.Lay(list), Width: 2 * len(list), Units: make([]scoring.Unit, len(all)),
		Divisions: []func(a, b string) int{func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }}}
	for i, t := range all {
		u := scoring.Unit{ID: t.item, Groups: []string{optionsGroup(t.options())}, Row: make([]float64, s.Width), Of: t}
		scoring.Fill(list, t, u.Row)
		u.Asked, u.Gold = f.asked(t.ballot)
		s.Units[i] = u
	}
	return s
}

// worst is the metric of a judge that scores 0 on all of them.
func worst(m *scoring.Summed[countedChoices], all []countedChoices) float64 {
	sums := make([]float64, 2)
	for _, t := range all {
		t.scored = grades{}
		num, den := m.Adds(t)
		sums[0] += num
		sums[1] += den
	}
	return sums[0] / sums[1]
}

// asked is what runs must agree on: which options it is right to name. Under the goal worst that is another one where
// an unrelated one is shown.
func (f *choices) asked(b *ballot) (asked, gold string) {
	asked = f.goal
	if f.goal == GoalWorst && b.unrelated != judging.Nobody {
		asked += " of " + b.ids[b.unrelated]
	}
	return asked, strings.Join(b.idsOf(b.right), " ")
}

// Extend adds how often each position was chosen, how the chance of the Grade score was come by, and warnings.
func (f *choices) Extend(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	rep.Goal = f.goal
	parts := map[string][]countedChoices{}
	for _, u := range s.Units {
		for _, group := range []string{scoring.Overall, u.Groups[0]} {
			parts[group] = append(parts[group], u.Of.(countedChoices))
		}
	}
	for i, r := range rep.Results {
		if r.Metric == GradeScore+OfRandom && len(s.Units) > 0 {
			rep.Results[i].Note = chanceNote(parts[r.Group], b.Seed)
		}
	}
	groups := slices.DeleteFunc(slices.Collect(maps.Keys(parts)), func(g string) bool { return g == scoring.Overall })
	slices.SortFunc(groups, s.Divisions[0])
	for _, g := range groups {
		rep.Results = append(rep.Results, positions(g, parts[g], s, rep.Bootstrap.Unit, b)...)
	}
	rep.Warnings = append(rep.Warnings, f.warnings(parts[scoring.Overall], rep.Missing)...)
}
