package multioption

import (
	"cmp"
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

// byPolicy says how judgments without a verdict count in the three scores.
func byPolicy(policy scoring.MissingPolicy) string {
	if policy == scoring.MissingStrict {
		return "strict: no choice, an item without any scores 0"
	}
	return "usable: left out, which costs LLM score; an item without any scores 0"
}

// wrongUnless says how they count where a judgment is right or wrong.
func wrongUnless(policy scoring.MissingPolicy) string {
	if policy == scoring.MissingStrict {
		return "wrong"
	}
	return "left out, an item without any is wrong"
}

const (
	leftOut   = "left out"
	nobodyHas = "none where the judge has none"
)

const (
	noItems = "no items"
	noRight = "no items of which the right option is known"
)

const paper = "Grade Score, arXiv 2406.12043"

// scores are the three of the paper, the headline first.
var scores = []struct {
	name string
	of   func(grades) float64
	term scoring.Term
}{
	{
		name: GradeScore,
		of:   func(g grades) float64 { return g.grade },
		term: scoring.Term{
			Label:  "Grade score",
			Short:  "Grade",
			Best:   scoring.Higher,
			Plain:  "chooses the option and not the position: harmonic mean of LLM score and choice score, from 0 to 1",
			Source: paper,
			Chance: "above 0: see grade-random",
		},
	},
	{
		name: LLMScore,
		of:   func(g grades) float64 { return g.llm },
		term: scoring.Term{
			Label:  "LLM score",
			Short:  "LLM",
			Best:   scoring.Higher,
			Plain:  "how evenly the positions are chosen; 1 is no position bias",
			Source: paper,
			Others: "normalised entropy",
		},
	},
	{
		name: ChoiceScore,
		of:   func(g grades) float64 { return g.choice },
		term: scoring.Term{
			Label:  "choice score",
			Short:  "choice",
			Best:   scoring.Higher,
			Plain:  "how often the same option is chosen, wherever it is shown",
			Source: paper,
			Others: "mode frequency",
		},
	},
}

// variants are what there is of each of the three: the score, that of judges without judgment, and how far the judge is
// on the way between. What has no Missing counts by the policy of the run.
var variants = []struct {
	suffix string
	metric scoring.Metric
	grades func(t countedChoices) grades // nil: of two of the others
}{
	{
		metric: scoring.Metric{Kind: scoring.Mean, Compared: scoring.Whole},
		grades: func(t countedChoices) grades { return t.scored },
	},
	{
		suffix: OfRandom,
		metric: scoring.Metric{
			Missing: nobodyHas,
			Kind:    scoring.Known,
			Term: scoring.Term{
				Label:  "*, of a random judge",
				Short:  "random",
				Metric: "*" + OfRandom,
				Called: []string{"random judge"},
				Plain:  "the score of a judge that names positions at random, on the same items",
				Source: "exact, or simulated",
				Others: "random baseline",
			},
		},
		grades: func(t countedChoices) grades { return t.random },
	},
	{
		suffix: OfFirst,
		metric: scoring.Metric{
			Missing: "none is",
			Kind:    scoring.Known,
			Term: scoring.Term{
				Label:  "*, of always the first",
				Short:  "always first",
				Metric: "*" + OfFirst,
				Plain:  "the score of a judge that always names the first position, on the same items",
				Source: "computed",
				Others: "position baseline",
			},
		},
		grades: func(t countedChoices) grades { return t.first },
	},
	{
		suffix: overRandom,
		metric: scoring.Metric{
			Kind: scoring.Ratio,
			Term: scoring.Term{
				Label:  "*, from random (0) to perfect (1)",
				Short:  "over random",
				Metric: "*" + overRandom,
				Called: []string{"random 0 to perfect 1"},
				Best:   scoring.Higher,
				Plain:  "how far the judge is on the way from a random judge (0) to a perfect one (1)",
				Source: "(judge − random) / (perfect − random)",
				Others: "chance-corrected score",
			},
		},
	},
}

// everyMetric is the headline where items have a label.
var everyMetric = scoring.Summed[countedChoices]{
	Metric: scoring.Metric{
		Name: everyRight,
		Term: scoring.Term{
			Label:  "correct in every order",
			Short:  "every order",
			Best:   scoring.Higher,
			Plain:  "items of which every judgment names the best option (of the goal worst: the worst)",
			Source: "share of items, as GRP's of pairs",
			Others: "worst-case accuracy",
		},
		Missing: "wrong",
		None:    noRight,
	},
	Adds: rightInEvery,
}

// itemMetrics are the others. What has no Missing counts by the policy of the run.
var itemMetrics = []scoring.Summed[countedChoices]{
	{
		Metric: scoring.Metric{
			Name: GradeScore + byUsable,
			Term: scoring.Term{
				Label:  "Grade score of usable judgments",
				Short:  "Grade, usable",
				Plain:  "Grade score over the judgments that have a verdict, as the authors count",
				Source: paper,
			},
			Unit:    scoring.UnitScore,
			Kind:    scoring.Mean,
			Missing: byPolicy(scoring.MissingUsable),
			None:    noItems,
		},
		Adds: func(t countedChoices) (float64, float64) { return t.ballot.grades(scoring.MissingUsable).grade, 1 },
	},
	{
		Metric: scoring.Metric{
			Name: GradeScore + byStrict,
			Term: scoring.Term{
				Label:  "Grade score of all judgments",
				Short:  "Grade, strict",
				Plain:  "Grade score over all judgments: one without a verdict chooses nothing",
				Source: "gavel",
			},
			Unit:    scoring.UnitScore,
			Kind:    scoring.Mean,
			Missing: byPolicy(scoring.MissingStrict),
			None:    noItems,
		},
		Adds: func(t countedChoices) (float64, float64) { return t.ballot.grades(scoring.MissingStrict).grade, 1 },
	},
	{
		Metric: scoring.Metric{
			Name: optionAccuracy,
			Term: scoring.Term{
				Label:  "correct over all orders",
				Short:  "all orders",
				Best:   scoring.Higher,
				Plain:  "judgments that name the best option (of the goal worst: the worst)",
				Source: "share of judgments, mean over items",
				Others: "accuracy",
			},
			Kind:     scoring.Mean,
			None:     noRight,
			Compared: scoring.Whole,
		},
		Adds: rightShare,
	},
	{
		Metric: scoring.Metric{
			Name:    optionAccuracy + OfRandom,
			Kind:    scoring.Known,
			Missing: nobodyHas,
			None:    noRight,
		},
		Adds: randomRight,
	},
	{
		Metric: scoring.Metric{
			Name: modeAccuracy,
			Term: scoring.Term{
				Label:  "correct by majority",
				Short:  "majority",
				Best:   scoring.Higher,
				Plain:  "items of which the option chosen most often is the right one",
				Source: "share of items",
				Others: "majority vote, self-consistency",
			},
			Kind:     scoring.Mean,
			Missing:  "left out, an item without any is wrong",
			None:     noRight,
			Compared: scoring.Whole,
		},
		Adds: modeRight,
	},
	{
		Metric: scoring.Metric{
			Name: sameChoice,
			Term: scoring.Term{
				Label:  "consistency",
				Short:  "consistent",
				Best:   scoring.Higher,
				Plain:  "items with the same choice in every order",
				Source: "share of items",
				Others: "consistency",
			},
			Missing:  "not the same",
			None:     noItems,
			Compared: scoring.Whole,
		},
		Adds: alwaysOne,
	},
	{
		Metric: scoring.Metric{
			Name: UnrelatedRate,
			Term: scoring.Term{
				Label:  "chooses the unrelated option",
				Short:  "unrelated",
				Best:   scoring.Lower,
				Plain:  "judgments that choose the option that answers another question",
				Source: "share of judgments with a verdict",
				Others: "attention check",
			},
			Kind:     scoring.Several,
			Missing:  leftOut,
			None:     "no judgments with a verdict, of items with an unrelated option",
			Compared: scoring.Whole,
		},
		Adds: unrelatedChosen,
	},
}

// optionMetrics lists the metrics of a choice among several options (PROTOCOLS.md §3). Where items have a label, the
// headline says how often the choice is right; the Grade score, which a judge that is steadily wrong has too, does not.
func optionMetrics(policy scoring.MissingPolicy, labelled bool) []scoring.Summed[countedChoices] {
	list := []scoring.Summed[countedChoices]{everyMetric}
	headline := GradeScore
	if labelled {
		headline = everyRight
	}
	for _, v := range variants {
		for _, score := range scores {
			m := v.metric
			m.Name = score.name + v.suffix
			m.Unit = scoring.UnitScore
			m.Missing = cmp.Or(m.Missing, byPolicy(policy))
			m.None = noItems
			if v.suffix == "" {
				m.Term = score.term
			}
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
	for _, m := range itemMetrics {
		m.Missing = cmp.Or(m.Missing, wrongUnless(policy))
		list = append(list, m)
	}
	for i := range list {
		if list[i].Name == headline {
			list[i].Compared = scoring.ByGroup
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
	list := optionMetrics(how, f.labelled)
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
	s := &scoring.Sheet{Metrics: scoring.Lay(list, 0), Width: 2 * len(list), Units: make([]scoring.Unit, len(all)),
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
