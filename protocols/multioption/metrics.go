package multioption

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of a choice among several options. The three scores have variants, named by a suffix: the score of a
// random and of an always-first judge on the same items, and the judge's position between random and perfect.
const (
	GradeScore  = "grade"
	LLMScore    = "llm"
	ChoiceScore = "choice"

	RandomJudgeSuffix = "-random"
	AlwaysFirstSuffix = "-first"
	overRandomSuffix  = "-over-random"
	usableSuffix      = "-usable" // the Grade score by the policy usable, whatever the run's policy
	strictSuffix      = "-strict" // the Grade score by the policy strict, whatever the run's policy

	rightInAllOrders   = "right-every-order" // share of items right in every order; the headline if items have a label
	judgmentAccuracy   = "accuracy"          // share of right judgments; also with RandomJudgeSuffix
	mostChosenAccuracy = "accuracy-mode"     // share of items whose most often chosen option is right
	sameChoiceRate     = "same-choice"       // share of items with the same choice in every order
	UnrelatedRate      = "unrelated"         // share of verdicts for the unrelated option
)

// scoredBallot holds an item with its judgments and all that metrics need of it.
type scoredBallot struct {
	*ballot
	*chance
	judgeScores   itemScores            // scores of the judge, by the policy missing
	missingPolicy scoring.MissingPolicy // how judgments without a verdict count
}

// MetricsYAML is the YAML table that labels and defines the metrics of several options. Its keys missing-strict say how
// a metric counts missing verdicts under the policy [scoring.MissingStrict].
//
//go:embed metrics.yaml
var MetricsYAML string

// scoreNames lists the paper's three scores (arXiv 2406.12043), in the order of [itemScores].
var scoreNames = []string{GradeScore, LLMScore, ChoiceScore}

// scoreVariants lists the forms of each score: the judge's, those of judges that do not read, and the judge's position
// between random and perfect.
var scoreVariants = []struct {
	metric scoring.Metric                  // its name is a suffix
	grades func(t scoredBallot) itemScores // whose scores; nil: computed from two of the others
}{
	{
		metric: scoring.Metric{Kind: scoring.KindMean},
		grades: func(t scoredBallot) itemScores { return t.judgeScores },
	},
	{
		metric: scoring.Metric{Name: RandomJudgeSuffix, Kind: scoring.KindFromItems},
		grades: func(t scoredBallot) itemScores { return t.randomPosition },
	},
	{
		metric: scoring.Metric{Name: AlwaysFirstSuffix, Kind: scoring.KindFromItems},
		grades: func(t scoredBallot) itemScores { return t.alwaysFirst },
	},
	{metric: scoring.Metric{Name: overRandomSuffix, Kind: scoring.KindRatio}},
}

// itemMetrics computes the metrics that are not variants of a score.
var itemMetrics = []scoring.SumMetric[scoredBallot]{
	{
		Metric:       scoring.Metric{Name: GradeScore + usableSuffix, Kind: scoring.KindMean},
		Contribution: gradeUnderPolicy(scoring.MissingUsable),
	},
	{
		Metric:       scoring.Metric{Name: GradeScore + strictSuffix, Kind: scoring.KindMean},
		Contribution: gradeUnderPolicy(scoring.MissingStrict),
	},
	{Metric: scoring.Metric{Name: judgmentAccuracy, Kind: scoring.KindMean}, Contribution: rightShare},
	{
		Metric: scoring.Metric{
			Name:          judgmentAccuracy + RandomJudgeSuffix,
			Kind:          scoring.KindFromItems,
			NoValueReason: "no items of which the right option is known",
		},
		Contribution: randomRight,
	},
	{Metric: scoring.Metric{Name: mostChosenAccuracy, Kind: scoring.KindMean}, Contribution: modeRight},
	{Metric: scoring.Metric{Name: sameChoiceRate}, Contribution: sameChoiceInAllOrders},
	{
		Metric:       scoring.Metric{Name: UnrelatedRate, Kind: scoring.KindTrials},
		Contribution: unrelatedChosen,
	},
}

// gradeUnderPolicy returns a function that returns an item's numerator and denominator in the mean Grade score, under a
// policy for missing verdicts.
func gradeUnderPolicy(policy scoring.MissingPolicy) func(t scoredBallot) (num, den float64) {
	return func(t scoredBallot) (num, den float64) { return t.ballot.scores(policy)[gradeIndex], 1 }
}

// choiceMetrics lists the metrics of a choice among several options (PROTOCOLS.md §3). Where items have a label, the
// headline is how often the choice is right. The Grade score is not, since a judge that is consistently wrong has a
// high one too.
func choiceMetrics(labelled bool) []scoring.SumMetric[scoredBallot] {
	list := []scoring.SumMetric[scoredBallot]{{Metric: scoring.Metric{Name: rightInAllOrders}, Contribution: rightInEvery}}
	headline := GradeScore
	if labelled {
		headline = rightInAllOrders
	}
	for _, v := range scoreVariants {
		for i, name := range scoreNames {
			m := v.metric
			m.Name = name + m.Name
			if m.Name == GradeScore+overRandomSuffix {
				m.ComparisonScope = scoring.ScopeOverall
			}
			list = append(list, scoring.SumMetric[scoredBallot]{
				Metric: m,
				Contribution: func(t scoredBallot) (num, den float64) {
					if v.grades != nil {
						return v.grades(t)[i], 1
					}
					den = t.perfect[i] - t.randomPosition[i]
					if math.Abs(den) < roundingTolerance { // random is as good as perfect, as with two orders of three options
						return 0, 0
					}
					return t.judgeScores[i] - t.randomPosition[i], den
				},
			})
		}
	}
	list = append(list, itemMetrics...)
	for i := range list {
		list[i].Headline = list[i].Name == headline
	}
	return list
}

// roundingTolerance bounds the rounding error of differences of scores.
const roundingTolerance = 1e-9

// rightInEvery returns an item's numerator and denominator in the share of items whose choice is right in every order.
func rightInEvery(t scoredBallot) (num, den float64) {
	for i := range t.positions {
		if !t.isRightOption(t.choice(i)) {
			return 0, scoring.Indicator(len(t.rightOptions) > 0)
		}
	}
	return 1, 1
}

// rightShare returns an item's numerator and denominator in the mean share of its judgments that are right.
func rightShare(t scoredBallot) (num, den float64) {
	if len(t.rightOptions) == 0 {
		return 0, 0
	}
	right, total := 0, len(t.positions)
	if t.missingPolicy == scoring.MissingUsable {
		total = max(1, t.verdictCount())
	}
	for i := range t.positions {
		if t.isRightOption(t.choice(i)) {
			right++
		}
	}
	return float64(right) / float64(total), 1
}

// modeRight returns an item's numerator and denominator in the share of items whose most often chosen option is right;
// if several options are tied, the share of right ones among them counts.
func modeRight(t scoredBallot) (num, den float64) {
	if len(t.rightOptions) == 0 {
		return 0, 0
	}
	modes := t.modes()
	for _, c := range modes {
		num += scoring.Indicator(t.isRightOption(c)) / float64(len(modes))
	}
	return num, 1
}

// randomRight returns an item's numerator and denominator in the expected value of rightShare for a guessing judge.
func randomRight(t scoredBallot) (num, den float64) {
	if len(t.rightOptions) == 0 {
		return 0, 0
	}
	for c := range t.ids {
		num += scoring.Indicator(t.isRightOption(c)) / float64(len(t.ids))
	}
	withVerdict := float64(t.verdictCount()) / float64(len(t.positions)) // none where the judge has none
	if t.missingPolicy == scoring.MissingUsable {
		withVerdict = scoring.Indicator(withVerdict > 0)
	}
	return num * withVerdict, 1
}

// sameChoiceInAllOrders returns an item's numerator and denominator in the share of items with the same choice in all
// orders.
func sameChoiceInAllOrders(t scoredBallot) (num, den float64) {
	return scoring.Indicator(slices.Max(t.choiceCounts()) == len(t.positions)), 1
}

// unrelatedChosen returns an item's numerator and denominator in the share of verdicts for the unrelated option.
func unrelatedChosen(t scoredBallot) (num, den float64) {
	if t.unrelated == judging.NoCandidate {
		return 0, 0
	}
	for i := range t.positions {
		num += scoring.Indicator(t.choice(i) == t.unrelated)
	}
	return num, float64(t.verdictCount())
}

// Sheet returns the sheet from which metrics are computed: a row for each item, grouped by the number of options.
func (f *multiOptionScorer) Sheet(policy scoring.MissingPolicy, seed uint64) *scoring.Sheet {
	list := append(choiceMetrics(f.labelled), f.axisMetrics()...)
	all := make([]scoredBallot, len(f.ballots))
	for i, c := range chances(f.ballots, policy, seed) {
		b := f.ballots[i]
		all[i] = scoredBallot{ballot: b, chance: c, judgeScores: b.scores(policy), missingPolicy: policy}
	}
	for i := range list {
		if m := &list[i]; m.Kind == scoring.KindRatio {
			m.MinUnitValue = min(-1, lowestMetricValue(m, all)) // −1 without any verdict, where random judges have none either
		}
	}
	s := &scoring.Sheet{
		Metrics:     scoring.AssignColumns(list),
		ColumnCount: 2 * len(list),
		Units:       make([]scoring.Unit, len(all)),
		Divisions: []func(a, b string) int{
			func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) },
		},
	}
	for i, t := range all {
		u := scoring.Unit{
			ID:     t.item,
			Groups: []string{fmt.Sprintf("%d options", t.ownOptionCount())}, // the same with and without an unrelated option
			Row:    make([]float64, s.ColumnCount),
			Data:   t,
		}
		scoring.FillRow(list, t, u.Row)
		u.QuestionOfGold, u.Gold = f.taskAndGold(t.ballot)
		s.Units[i] = u
	}
	return s
}

// lowestMetricValue returns the value of a metric for a judge that scores 0 on all items: the lowest value it can have.
func lowestMetricValue(m *scoring.SumMetric[scoredBallot], all []scoredBallot) float64 {
	sums := make([]float64, 2)
	for _, t := range all {
		t.judgeScores = itemScores{}
		num, den := m.Contribution(t)
		sums[0] += num
		sums[1] += den
	}
	return sums[0] / sums[1]
}

// taskAndGold returns on what two runs must agree to be comparable on an item: the goal, and the options that are right
// to name. With the goal worst, both depend on the unrelated option.
func (f *multiOptionScorer) taskAndGold(b *ballot) (task, gold string) {
	task = f.goal
	if f.goal == GoalWorst && b.unrelated != judging.NoCandidate {
		task += " of " + b.ids[b.unrelated]
	}
	return task, strings.Join(b.idsOf(b.rightOptions), " ")
}

// ExtendReport adds to the report the metrics of positions, a note on how the chance of the Grade score
// was computed, and warnings.
func (f *multiOptionScorer) ExtendReport(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	rep.Goal = f.goal
	parts := map[string][]scoredBallot{}
	for _, u := range s.Units {
		for _, group := range []string{scoring.Overall, u.Groups[0]} {
			parts[group] = append(parts[group], u.Data.(scoredBallot))
		}
	}
	for i, r := range rep.Results {
		if r.Metric == GradeScore+RandomJudgeSuffix && len(s.Units) > 0 {
			rep.Results[i].Note = chanceNote(parts[r.Group], b.Seed)
		}
	}
	all := parts[scoring.Overall]
	delete(parts, scoring.Overall)
	for _, g := range slices.SortedFunc(maps.Keys(parts), s.Divisions[0]) {
		rep.Results = append(rep.Results, positionTable(g, parts[g], s, rep.Bootstrap.Unit, b)...)
	}
	grades := s.WithMetrics(scoring.AssignColumns(gradeMetrics), 2*len(gradeMetrics), func(u scoring.Unit) []float64 {
		return u.Data.(scoredBallot).gradeRow[:]
	})
	rep.Results = append(rep.Results, grades.ScoreAsGroup(scoring.Overall, rep.Bootstrap.Unit, b)...)
	rep.Warnings = append(rep.Warnings, f.warnings(all, rep.Missing)...)
}
