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

	optionAccuracy = "accuracy" // also OfRandom
	modeAccuracy   = "accuracy-mode"
	sameChoice     = "same-choice"
	UnrelatedRate  = "unrelated"
)

// tallied is all that the metrics need of a ballot.
type tallied struct {
	*ballot
	*chance
	scored  grades // by the run's policy
	strict  grades
	usable  grades
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

var (
	noItems = scoring.Because("no items")
	noRight = scoring.Because("no items of which the right option is known")
)

// optionMetrics lists the scores of a choice among several options (PROTOCOLS.md §3) and what goes with
// them, the headline first.
func optionMetrics(policy scoring.MissingPolicy) []scoring.Summed[tallied] {
	has := scoring.Metric{Unit: scoring.UnitScore, Missing: byPolicy(policy), Kind: scoring.Mean}
	random, first := scoring.Metric{Unit: scoring.UnitScore, Missing: nobodyHas, Kind: scoring.Known},
		scoring.Metric{Unit: scoring.UnitScore, Missing: "none is", Kind: scoring.Known}
	over := scoring.Metric{Unit: scoring.UnitScore, Missing: byPolicy(policy), Kind: scoring.Ratio}
	list := slices.Concat(
		scoreMetrics("", has, func(t tallied, of score) (float64, float64) { return of(t.scored), 1 }),
		scoreMetrics(OfRandom, random, func(t tallied, of score) (float64, float64) { return of(t.random), 1 }),
		scoreMetrics(OfFirst, first, func(t tallied, of score) (float64, float64) { return of(t.first), 1 }),
		scoreMetrics(overRandom, over, func(t tallied, of score) (num, den float64) {
			den = of(t.perfect) - of(t.random)
			if math.Abs(den) < tiny { // all are as good as perfect on it, as on two orders of three options
				return 0, 0
			}
			return of(t.scored) - of(t.random), den
		}),
		[]scoring.Summed[tallied]{
			{
				Metric: scoring.Metric{
					Name:    GradeScore + byUsable,
					Unit:    scoring.UnitScore,
					Kind:    scoring.Mean,
					Missing: byPolicy(scoring.MissingUsable),
					Why:     noItems,
				},
				Adds: func(t tallied) (float64, float64) { return t.usable.grade, 1 },
			},
			{
				Metric: scoring.Metric{
					Name:    GradeScore + byStrict,
					Unit:    scoring.UnitScore,
					Kind:    scoring.Mean,
					Missing: byPolicy(scoring.MissingStrict),
					Why:     noItems,
				},
				Adds: func(t tallied) (float64, float64) { return t.strict.grade, 1 },
			},
			{
				Metric: scoring.Metric{
					Name:     optionAccuracy,
					Kind:     scoring.Mean,
					Missing:  wrongUnless(policy),
					Why:      noRight,
					Compared: scoring.Whole,
				},
				Adds: rightShare,
			},
			{
				Metric: scoring.Metric{
					Name:    optionAccuracy + OfRandom,
					Kind:    scoring.Known,
					Missing: nobodyHas,
					Why:     noRight,
				},
				Adds: randomRight,
			},
			{
				Metric: scoring.Metric{
					Name:     modeAccuracy,
					Kind:     scoring.Mean,
					Missing:  "left out, an item without any is wrong",
					Why:      noRight,
					Compared: scoring.Whole,
				},
				Adds: modeRight,
			},
			{
				Metric: scoring.Metric{
					Name:     sameChoice,
					Missing:  "not the same",
					Why:      noItems,
					Compared: scoring.Whole,
				},
				Adds: alwaysOne,
			},
			{
				Metric: scoring.Metric{
					Name:     UnrelatedRate,
					Kind:     scoring.Several,
					Missing:  leftOut,
					Why:      scoring.Because("no judgments with a verdict, of items with an unrelated option"),
					Compared: scoring.Whole,
				},
				Adds: unrelatedChosen,
			},
		},
	)
	for i := range list {
		switch m := &list[i].Metric; m.Name {
		case GradeScore:
			m.Compared, m.Headline = scoring.ByGroup, true
		case LLMScore, ChoiceScore, GradeScore + overRandom:
			m.Compared = scoring.Whole
		}
	}
	return list
}

// tiny is what differences of scores may be off by.
const tiny = 1e-9

// score is one of the three.
type score func(grades) float64

// scoreMetrics are the same thing of each of the three scores.
func scoreMetrics(
	suffix string, m scoring.Metric, adds func(tallied, score) (num, den float64),
) []scoring.Summed[tallied] {
	metric := func(name string, of score) scoring.Summed[tallied] {
		m.Name, m.Why = name+suffix, noItems
		return scoring.Summed[tallied]{Metric: m, Adds: func(t tallied) (float64, float64) { return adds(t, of) }}
	}
	return []scoring.Summed[tallied]{
		metric(GradeScore, func(g grades) float64 { return g.grade }),
		metric(LLMScore, func(g grades) float64 { return g.llm }),
		metric(ChoiceScore, func(g grades) float64 { return g.choice }),
	}
}

func rightShare(t tallied) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	right, of := 0, len(t.positions)
	if t.missing == scoring.MissingUsable {
		of = max(1, t.ballot.usable())
	}
	for i := range t.positions {
		if c := t.chosen(i); c != judging.Nobody && t.isRight(c) {
			right++
		}
	}
	return float64(right) / float64(of), 1
}

func modeRight(t tallied) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	modes := t.modes()
	for _, c := range modes {
		num += scoring.One(t.isRight(c)) / float64(len(modes))
	}
	return num, 1
}

func randomRight(t tallied) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	for c := range t.ids {
		num += scoring.One(t.isRight(c)) / float64(len(t.ids))
	}
	heard := float64(t.ballot.usable()) / float64(len(t.positions)) // the random judge is silent where the judge was
	if t.missing == scoring.MissingUsable {
		heard = scoring.One(heard > 0)
	}
	return num * heard, 1
}

func alwaysOne(t tallied) (num, den float64) {
	return scoring.One(slices.Max(t.choiceCounts()) == len(t.positions)), 1
}

func unrelatedChosen(t tallied) (num, den float64) {
	if t.unrelated == judging.Nobody {
		return 0, 0
	}
	for i := range t.positions {
		num += scoring.One(t.chosen(i) == t.unrelated)
	}
	return num, float64(t.ballot.usable())
}

// Sheet lays out the items, in groups by how many options they have.
func (f *choices) Sheet(how scoring.MissingPolicy, seed uint64) *scoring.Sheet {
	list := optionMetrics(how)
	all := make([]tallied, len(f.ballots))
	for i, c := range chances(f.ballots, how, seed) {
		b := f.ballots[i]
		t := tallied{
			ballot:  b,
			chance:  c,
			missing: how,
			usable:  b.grades(scoring.MissingUsable),
			strict:  b.grades(scoring.MissingStrict),
		}
		t.scored = t.usable
		if how == scoring.MissingStrict {
			t.scored = t.strict
		}
		all[i] = t
	}
	for i := range list {
		if m := &list[i]; m.Kind == scoring.Ratio {
			m.Least = min(-1, worst(m, all)) // −1 where the judge is silent, which random judges are then too
		}
	}
	s := &scoring.Sheet{Metrics: scoring.Lay(list, 0), Width: 2 * len(list), Units: make([]scoring.Unit, len(all)),
		Divisions: []func(a, b string) int{func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }}}
	for i, t := range all {
		p := &scoring.Pattern{Groups: []string{optionsGroup(t.options())}, Row: make([]float64, s.Width), Of: t}
		scoring.Fill(list, t, p.Row)
		p.Asked, p.Gold = f.asked(t.ballot)
		s.Units[i] = scoring.Unit{ID: t.item, Pattern: p}
	}
	return s
}

// worst is the metric of a judge that scores 0 on all of them.
func worst(m *scoring.Summed[tallied], all []tallied) float64 {
	num, den := 0.0, 0.0
	for _, t := range all {
		t.scored = grades{}
		x, y := m.Adds(t)
		num, den = num+x, den+y
	}
	return num / den
}

// asked is what runs must agree on: which options it is right to name. Under the goal worst that is another one where
// an unrelated one is shown.
func (f *choices) asked(b *ballot) (asked, gold string) {
	asked = f.goal
	if f.goal == GoalWorst && b.unrelated != judging.Nobody {
		asked += " of " + b.ids[b.unrelated]
	}
	var ids []string
	for _, c := range b.right {
		ids = append(ids, b.ids[c])
	}
	return asked, strings.Join(ids, " ")
}

// Extend adds how often each position was chosen, how the chance of the Grade score was come by, and warnings.
func (f *choices) Extend(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	rep.Goal = f.goal
	parts := map[string][]tallied{}
	for _, u := range s.Units {
		for _, group := range []string{scoring.Overall, u.Groups[0]} {
			parts[group] = append(parts[group], u.Of.(tallied))
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
		rep.Results = append(rep.Results, positions(g, parts[g])...)
	}
	rep.Warnings = append(rep.Warnings, f.warnings(parts[scoring.Overall], rep.Missing)...)
}
