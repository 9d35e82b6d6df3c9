package selfreference

import (
	_ "embed"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of judged answers (PROTOCOLS.md §2; equations of arXiv 2509.19880). An agent is the model that gave the
// judged answer. A says that the agent's answer is right, G that the judge's own answer is right, J that the judgment
// is right.
const (
	AgentAccuracy        = "agent-accuracy" // share of answers that are right (A)
	Accuracy             = "accuracy"       // share of judgments that are right (J)
	Precision            = "precision"      // of the verdict Correct; Eq. 7 of arXiv 2509.19880
	Recall               = "recall"         // of the verdict Correct; Eq. 8
	F1                   = "f1"             // F1 of the verdict Correct (Eq. 9)
	F1OwnRight           = "f1-j-plus"      // F1 where the judge's own answer is right
	F1OwnWrong           = "f1-j-minus"     // F1 where the judge's own answer is wrong
	F1OwnRightMinusWrong = "f1-delta"       // F1JPlus minus F1JMinus
	// share judged Correct minus share that is right; over all answers: the average of the groups weighted by n
	Overconfidence = "overconfidence"

	// Four subsets of judgments: by whether the judge's own answer (J plus or minus) and the agent's answer are right.
	// F1 in a subset is that of the label that is right there.
	BothRightAccuracy      = "j-plus-correct-accuracy"
	OnlyOwnRightAccuracy   = "j-plus-incorrect-accuracy"
	OnlyAgentRightAccuracy = "j-minus-correct-accuracy"
	BothWrongAccuracy      = "j-minus-incorrect-accuracy"
	BothRightF1            = "j-plus-correct-f1"
	OnlyOwnRightF1         = "j-plus-incorrect-f1"
	OnlyAgentRightF1       = "j-minus-correct-f1"
	BothWrongF1            = "j-minus-incorrect-f1"

	CorrelationGJ = "r-gj"   // correlation of G and J (Eq. 13)
	CorrelationGA = "r-ga"   // correlation of G and A
	CorrelationJA = "r-ja"   // correlation of J and A
	PartialGJ     = "r-gj-a" // partial correlation of G and J given A (Eq. 14)
)

// MetricsYAML is the YAML table that labels and defines the metrics of self-reference.
//
//go:embed metrics.yaml
var MetricsYAML string

// answerMetrics computes how often the answers are right: the judge's own and the agents'.
var answerMetrics = []scoring.Metric{
	{
		Name:      scoring.GenerationAccuracy,
		Columns:   scoring.ColumnSpan{sheetColumnOwnRight, sheetColumnRight},
		N:         func(c []float64) float64 { return c[1] },
		AskedOnce: true,
	},
	{
		Name:      AgentAccuracy,
		Kind:      scoring.KindTrials,
		Columns:   scoring.ColumnSpan{sheetColumnRight, columnFirstTable},
		AskedOnce: true,
	},
}

// confusion counts judgments: right answers called Correct (tp) or not (fn), wrong answers called Correct (fp) or
// Incorrect (tn), and wrong answers without a verdict (lost). fn includes right answers without a verdict, since the
// judge does not call them Correct.
type confusion struct{ tp, fp, fn, tn, wrongWithoutVerdict float64 }

func (c confusion) n() float64          { return c.tp + c.fp + c.fn + c.tn + c.wrongWithoutVerdict }
func (c confusion) right() float64      { return c.tp + c.tn }
func (c confusion) agentRight() float64 { return c.tp + c.fn }
func (c confusion) f1() float64         { return 2 * c.tp / (2*c.tp + c.fp + c.fn) }

// Numbers of columns of a table, a part of a sheet's row: a confusion for each kind of the judge's own answer (right,
// wrong, unknown), one after the other.
const (
	confusionWidth = 5
	tableWidth     = confusionWidth * ownAnswerKindCount
)

// confusionWhereOwnAnswerIs returns a function that returns from a table the confusion for some kinds of the judge's
// own answer.
func confusionWhereOwnAnswerIs(kinds ...int) func(t []float64) confusion {
	return func(t []float64) confusion {
		var c [confusionWidth]float64
		for _, kind := range kinds {
			floats.Add(c[:], t[kind*confusionWidth:][:confusionWidth])
		}
		return confusion{tp: c[0], fp: c[1], fn: c[2], tn: c[3], wrongWithoutVerdict: c[4]}
	}
}

// Confusions over the questions that the judge itself answers right, wrong, or either of them, and over all.
var (
	ownRightConfusion      = confusionWhereOwnAnswerIs(ownRight)
	ownWrongConfusion      = confusionWhereOwnAnswerIs(ownWrong)
	confusionWithOwnAnswer = confusionWhereOwnAnswerIs(ownRight, ownWrong)
	totalConfusion         = confusionWhereOwnAnswerIs(ownRight, ownWrong, ownUnknown)
)

// tally adds one judgment to a table t. right says that the judged answer is right.
func tally(t []float64, ownAnswer int8, right bool, verdict int8) {
	cell := 0
	switch {
	case right && verdict != calledCorrect:
		cell = 2
	case !right && verdict == calledCorrect:
		cell = 1
	case !right && verdict == calledIncorrect:
		cell = 3
	case !right:
		cell = 4
	}
	t[int(ownAnswer)*confusionWidth+cell]++
}

// modeMetrics computes the metrics of one mode, in the order in which reports print them, from the sums of a table (see
// tableWidth). F1 is computed from a share: with s = TP/(TP+FP+FN), F1 = 2s/(1+s). So it is 0, not undefined, where
// nothing was judged Correct although some answers were right.
var modeMetrics = []scoring.Metric{
	{
		Name:          Accuracy,
		N:             nAll,
		ShareFromSums: func(t []float64) (float64, float64) { c := totalConfusion(t); return c.right(), c.n() },
	},
	{
		Name:          Precision,
		Kind:          scoring.KindTrials,
		N:             func(t []float64) float64 { c := totalConfusion(t); return c.tp + c.fp },
		ShareFromSums: func(t []float64) (float64, float64) { c := totalConfusion(t); return c.tp, c.tp + c.fp },
	},
	{
		Name:          Recall,
		Kind:          scoring.KindTrials,
		N:             func(t []float64) float64 { return totalConfusion(t).agentRight() },
		ShareFromSums: func(t []float64) (float64, float64) { c := totalConfusion(t); return c.tp, c.agentRight() },
	},
	f1Metric(F1, totalConfusion), f1WhereOwnRight, f1WhereOwnWrong,
	{
		Name:            F1OwnRightMinusWrong,
		Kind:            scoring.KindRatio,
		N:               nKnown,
		Value:           f1OwnRightMinusWrong,
		DifferenceParts: []scoring.Metric{f1WhereOwnRight, f1WhereOwnWrong},
	},
	{
		Name:  Overconfidence,
		Kind:  scoring.KindRatio,
		N:     nAll,
		Value: func(t []float64) float64 { c := totalConfusion(t); return (c.fp - c.fn) / c.n() },
	}, // (tp+fp) − (tp+fn)
	subsetMetric(BothRightAccuracy, ownRight, true, false), subsetMetric(BothRightF1, ownRight, true, true),
	subsetMetric(OnlyOwnRightAccuracy, ownRight, false, false), subsetMetric(OnlyOwnRightF1, ownRight, false, true),
	subsetMetric(OnlyAgentRightAccuracy, ownWrong, true, false), subsetMetric(OnlyAgentRightF1, ownWrong, true, true),
	subsetMetric(BothWrongAccuracy, ownWrong, false, false), subsetMetric(BothWrongF1, ownWrong, false, true),
	correlation(scoring.Metric{Name: CorrelationGJ, Value: ownJudgmentCorrelation}, ownAnswerVariable, judgmentVariable),
	correlation(
		scoring.Metric{Name: CorrelationGA, Value: ownAgentCorrelation, AskedOnce: true},
		ownAnswerVariable, agentVariable,
	),
	correlation(scoring.Metric{Name: CorrelationJA, Value: judgmentAgentCorrelation}, judgmentVariable, agentVariable),
	correlation(
		scoring.Metric{Name: PartialGJ, Value: partialCorrelation},
		ownAnswerVariable, judgmentVariable, agentVariable,
	),
}

// F1 over the questions that the judge itself answers right, and over those that it answers wrong.
var (
	f1WhereOwnRight = f1Metric(F1OwnRight, ownRightConfusion)
	f1WhereOwnWrong = f1Metric(F1OwnWrong, ownWrongConfusion)
)

// possibleTables lists the tables of single judgments with a verdict and an own answer of the judge. Key says whether
// the agent's answer is right, which is the same in both modes and in both runs of a comparison.
var possibleTables = func() (cells []scoring.PossibleRow) {
	for _, own := range []int{ownRight, ownWrong} {
		for tallied := range confusionWidth - 1 { // tp, fp, fn, tn
			row := make([]float64, tableWidth)
			row[own*confusionWidth+tallied] = 1
			// tp and fn are of right answers, fp and tn of wrong ones
			cells = append(cells, scoring.PossibleRow{Row: row, MatchKey: tallied % 2})
		}
	}
	return cells
}()

// variable is a side of a correlation: G, J or A; whether the judge's own answers, the judgments or the
// agents' answers are right.
type variable struct {
	name, noun string
	scoring.BinaryVariable
}

var (
	ownAnswerVariable = variable{name: "G", noun: "the judge's own answers", BinaryVariable: scoring.BinaryVariable{
		Words:       [2]string{"the judge's own answer is right", "the judge's own answer is wrong"},
		CountValues: func(t []float64) (a, b float64) { return ownRightConfusion(t).n(), ownWrongConfusion(t).n() },
	}}
	judgmentVariable = variable{name: "J", noun: "the judgments", BinaryVariable: scoring.BinaryVariable{
		Words:       [2]string{"a judgment is right", "a judgment is wrong"},
		CountValues: func(t []float64) (a, b float64) { c := confusionWithOwnAnswer(t); return c.right(), c.n() - c.right() },
	}}
	agentVariable = variable{name: "A", noun: "the agents' answers", BinaryVariable: scoring.BinaryVariable{
		Words: [2]string{"an agent's answer is right", "an agent's answer is wrong"},
		CountValues: func(t []float64) (a, b float64) {
			c := confusionWithOwnAnswer(t)
			return c.agentRight(), c.n() - c.agentRight()
		},
	}}
)

// correlation completes m, a correlation of the given variables, with what all such metrics have in common.
func correlation(m scoring.Metric, variables ...variable) scoring.Metric {
	m.Kind = scoring.KindCorrelation
	m.N = nKnown
	m.Reason = func(t []float64) string { return undefinedCorrelation(t, variables) }
	for _, v := range variables {
		m.CorrelationVariables = append(m.CorrelationVariables, v.BinaryVariable)
	}
	return m
}

func nAll(t []float64) float64   { return totalConfusion(t).n() }
func nKnown(t []float64) float64 { return confusionWithOwnAnswer(t).n() }

// f1Metric returns the metric F1 of the verdict Correct over the judgments that count selects from a table.
func f1Metric(name string, count func(t []float64) confusion) scoring.Metric {
	return scoring.Metric{
		Name:           name,
		Headline:       name == F1,
		Kind:           scoring.KindTrials,
		ValueFromShare: f1FromShare,
		N:              func(t []float64) float64 { return count(t).n() },
		ShareFromSums:  func(t []float64) (float64, float64) { c := count(t); return c.tp, c.tp + c.fp + c.fn },
		Reason: func(t []float64) string {
			if count(t).n() == 0 {
				return ""
			}
			return "no agent's answer there is right and none was judged Correct"
		},
	}
}

func f1FromShare(share float64) float64 { return 2 * share / (1 + share) }

func f1OwnRightMinusWrong(t []float64) float64 {
	return ownRightConfusion(t).f1() - ownWrongConfusion(t).f1()
}

// subsetMetric returns the metric of one of the four subsets: by whether the judge's own answer and the agent's are
// right. All answers of a subset have one label, so precision is 1 and, with recall s, F1 is 2s/(1+s).
func subsetMetric(name string, ownAnswer int, agentRight, isF1 bool) scoring.Metric {
	m := scoring.Metric{Name: name, Kind: scoring.KindTrials}
	if isF1 {
		m.ValueFromShare = f1FromShare
	}
	m.ShareFromSums = func(t []float64) (float64, float64) {
		c := confusionWhereOwnAnswerIs(ownAnswer)(t)
		if agentRight {
			return c.tp, c.agentRight()
		}
		return c.tn, c.n() - c.agentRight()
	}
	m.NoValueReason = "no question has the judge's own answer " + rightOrWrong(ownAnswer == ownRight) +
		" and an agent's " + rightOrWrong(agentRight)
	return m
}

func ownJudgmentCorrelation(t []float64) float64 {
	g, c := ownRightConfusion(t), confusionWithOwnAnswer(t)
	return stats.BinaryCorrelation(c.n(), g.n(), c.right(), g.right())
}

func ownAgentCorrelation(t []float64) float64 {
	g, c := ownRightConfusion(t), confusionWithOwnAnswer(t)
	return stats.BinaryCorrelation(c.n(), g.n(), c.agentRight(), g.agentRight())
}

func judgmentAgentCorrelation(t []float64) float64 {
	c := confusionWithOwnAnswer(t)
	return stats.BinaryCorrelation(c.n(), c.right(), c.agentRight(), c.tp)
}

func partialCorrelation(t []float64) float64 {
	return stats.Partial(ownJudgmentCorrelation(t), ownAgentCorrelation(t), judgmentAgentCorrelation(t))
}

// undefinedCorrelation explains why a correlation is undefined: it names the variables that are the same in all
// judgments. If all vary, G or J equals A or its opposite.
func undefinedCorrelation(t []float64, variables []variable) string {
	if nKnown(t) == 0 {
		return "there is no judgment with an answer of the judge's own"
	}
	var reasons []string
	for _, v := range variables {
		right, wrong := v.CountValues(t)
		if right == 0 || wrong == 0 {
			reasons = append(reasons, v.name+" has no variance: "+v.noun+" are all "+rightOrWrong(wrong == 0))
		}
	}
	switch {
	case reasons != nil:
		return strings.Join(reasons, "; ")
	case math.Abs(ownAgentCorrelation(t)) == 1:
		return "r-ga is 1 or −1: once A is known nothing of G is left"
	}
	return "r-ja is 1 or −1: once A is known nothing of J is left"
}

func rightOrWrong(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}
