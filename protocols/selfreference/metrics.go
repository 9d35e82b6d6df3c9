package selfreference

import (
	_ "embed"
	"math"
	"strings"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of the answer and self-reference protocols (PROTOCOLS.md §2). With y* = the agent is right, y = judged
// Correct, G = the judge's own answer is right, J = (y = y*), A = y*.
const (
	AgentAccuracy = "agent-accuracy" // share of answers with A
	Accuracy      = "accuracy"       // share of judgments with J
	Precision     = "precision"      // of "Correct" (Eq. 7)
	Recall        = "recall"         // of "Correct" (Eq. 8)
	F1            = "f1"             // of "Correct" (Eq. 9)
	F1JPlus       = "f1-j-plus"      // where the judge itself is right
	F1JMinus      = "f1-j-minus"     // where it is not
	F1Delta       = "f1-delta"       // the former less the latter
	// share judged Correct − share that is; overall it is the average of the groups weighted by n
	Overconfidence = "overconfidence"

	// The four subsets: by whether the judge itself is right, and the agent.
	// Their F1 is that of the subset's own label.
	JPlusCorrect      = "j-plus-correct-accuracy"
	JPlusIncorrect    = "j-plus-incorrect-accuracy"
	JMinusCorrect     = "j-minus-correct-accuracy"
	JMinusIncorrect   = "j-minus-incorrect-accuracy"
	JPlusCorrectF1    = "j-plus-correct-f1"
	JPlusIncorrectF1  = "j-plus-incorrect-f1"
	JMinusCorrectF1   = "j-minus-correct-f1"
	JMinusIncorrectF1 = "j-minus-incorrect-f1"

	CorrelationGJ = "r-gj" // Eq. 13
	CorrelationGA = "r-ga"
	CorrelationJA = "r-ja"
	PartialGJ     = "r-gj-a" // Eq. 14: r_GJ|A
)

// Metrics is the table of metrics of self-reference.
//
//go:embed metrics.yaml
var Metrics string

// answerMetrics are of the judge's own answers and of the agents'.
var answerMetrics = []scoring.Metric{
	{
		Name:    scoring.GenerationAccuracy,
		Columns: scoring.Span{columnOwnRight, columnRight},
		N:       func(c []float64) float64 { return c[1] },
		Once:    true,
	},
	{
		Name:    AgentAccuracy,
		Kind:    scoring.Several,
		Columns: scoring.Span{columnRight, columnTables},
		Once:    true,
	},
}

// confusion counts judgments. fn takes in those without a verdict on a right answer: they are not judged Correct. lost
// is those on a wrong one, which are neither judged Correct nor judged right.
type confusion struct{ tp, fp, fn, tn, lost float64 }

func (c confusion) n() float64     { return c.tp + c.fp + c.fn + c.tn + c.lost }
func (c confusion) right() float64 { return c.tp + c.tn }
func (c confusion) agent() float64 { return c.tp + c.fn }
func (c confusion) f1() float64    { return 2 * c.tp / (2*c.tp + c.fp + c.fn) }

// A table is a confusion by each kind of the judge's own answer, one after the other: some columns of a row.
const (
	confusionWidth = 5
	tableWidth     = confusionWidth * ownKinds
)

func ownIs(own int) func(t []float64) confusion {
	return func(t []float64) confusion {
		c := t[own*confusionWidth:][:confusionWidth]
		return confusion{tp: c[0], fp: c[1], fn: c[2], tn: c[3], lost: c[4]}
	}
}

// known are the judgments where the judge has an answer of its own.
func known(t []float64) confusion { return ownIs(ownRight)(t).and(ownIs(ownWrong)(t)) }

func all(t []float64) confusion { return known(t).and(ownIs(ownUnknown)(t)) }

func (c confusion) and(b confusion) confusion {
	return confusion{
		tp:   c.tp + b.tp,
		fp:   c.fp + b.fp,
		fn:   c.fn + b.fn,
		tn:   c.tn + b.tn,
		lost: c.lost + b.lost,
	}
}

// tally counts one judgment in a table.
func tally(t []float64, own int8, right bool, said int8) {
	cell := 0
	switch {
	case right && said != saidCorrect:
		cell = 2
	case !right && said == saidCorrect:
		cell = 1
	case !right && said == saidIncorrect:
		cell = 3
	case !right:
		cell = 4
	}
	t[int(own)*confusionWidth+cell]++
}

// modeMetrics lists the metrics of one mode in the order tables print them. Their functions see a table. An F1 is of
// a share: with s = TP/(TP+FP+FN), F1 = 2s/(1+s). So it is 0, not undefined, where precision has nothing to be a
// share of but there was something to find.
var modeMetrics = []scoring.Metric{
	{
		Name:  Accuracy,
		N:     nAll,
		Share: func(t []float64) (float64, float64) { c := all(t); return c.right(), c.n() },
	},
	{
		Name:  Precision,
		Kind:  scoring.Several,
		N:     func(t []float64) float64 { c := all(t); return c.tp + c.fp },
		Share: func(t []float64) (float64, float64) { c := all(t); return c.tp, c.tp + c.fp },
	},
	{
		Name:  Recall,
		Kind:  scoring.Several,
		N:     func(t []float64) float64 { return all(t).agent() },
		Share: func(t []float64) (float64, float64) { c := all(t); return c.tp, c.agent() },
	},
	f1Of(F1, all), f1OfRight, f1OfWrong,
	{
		Name:  F1Delta,
		Kind:  scoring.Ratio,
		N:     nKnown,
		Value: f1Delta,
		Parts: []scoring.Metric{f1OfRight, f1OfWrong},
	},
	{
		Name:  Overconfidence,
		Kind:  scoring.Ratio,
		N:     nAll,
		Value: func(t []float64) float64 { c := all(t); return (c.fp - c.fn) / c.n() },
	}, // (tp+fp) − (tp+fn)
	subset(JPlusCorrect, ownRight, true, false), subset(JPlusCorrectF1, ownRight, true, true),
	subset(JPlusIncorrect, ownRight, false, false), subset(JPlusIncorrectF1, ownRight, false, true),
	subset(JMinusCorrect, ownWrong, true, false), subset(JMinusCorrectF1, ownWrong, true, true),
	subset(JMinusIncorrect, ownWrong, false, false), subset(JMinusIncorrectF1, ownWrong, false, true),
	correlation(scoring.Metric{Name: CorrelationGJ, Value: rGJ}, varG, varJ),
	correlation(scoring.Metric{Name: CorrelationGA, Value: rGA, Once: true}, varG, varA),
	correlation(scoring.Metric{Name: CorrelationJA, Value: rJA}, varJ, varA),
	correlation(scoring.Metric{Name: PartialGJ, Value: rGJA}, varG, varJ, varA),
}

// The F1 of the judgments of questions that the judge itself answers right, and wrong.
var (
	f1OfRight = f1Of(F1JPlus, ownIs(ownRight))
	f1OfWrong = f1Of(F1JMinus, ownIs(ownWrong))
)

// tableCells are what a judgment with a verdict may be: by the judge's own answer, then as it is tallied. What is the
// same in both modes and in both runs is whether the agent's answer is right.
var tableCells = func() (cells []scoring.Cell) {
	for _, own := range []int{ownRight, ownWrong} {
		for tallied := range confusionWidth - 1 { // tp, fp, fn, tn
			row := make([]float64, tableWidth)
			row[own*confusionWidth+tallied] = 1
			// of a right answer tp and fn, of a wrong one fp and tn
			cells = append(cells, scoring.Cell{Row: row, Of: tallied % 2})
		}
	}
	return cells
}()

// variable is what a correlation is of: whether answers or judgments are right.
type variable struct {
	name, noun string
	scoring.Class
}

var (
	varG = variable{name: "G", noun: "the judge's own answers", Class: scoring.Class{
		Words: [2]string{"the judge's own answer is right", "the judge's own answer is wrong"},
		Count: func(t []float64) (a, b float64) { return ownIs(ownRight)(t).n(), ownIs(ownWrong)(t).n() },
	}}
	varJ = variable{name: "J", noun: "the judgments", Class: scoring.Class{
		Words: [2]string{"a judgment is right", "a judgment is wrong"},
		Count: func(t []float64) (a, b float64) { c := known(t); return c.right(), c.n() - c.right() },
	}}
	varA = variable{name: "A", noun: "the agents' answers", Class: scoring.Class{
		Words: [2]string{"an agent's answer is right", "an agent's answer is wrong"},
		Count: func(t []float64) (a, b float64) { c := known(t); return c.agent(), c.n() - c.agent() },
	}}
)

// correlation returns a metric of how closely variables go together, with what all such have.
func correlation(m scoring.Metric, of ...variable) scoring.Metric {
	m.Kind = scoring.Correlation
	m.N = nKnown
	m.Why = func(t []float64) string { return constant(t, of) }
	for _, v := range of {
		m.Classes = append(m.Classes, v.Class)
	}
	return m
}

func nAll(t []float64) float64   { return all(t).n() }
func nKnown(t []float64) float64 { return known(t).n() }

// f1Of is the F1 of "Correct" among some of the judgments.
func f1Of(name string, of func(t []float64) confusion) scoring.Metric {
	m := scoring.Metric{
		Name:  name,
		Kind:  scoring.Several,
		Curve: f1,
		N:     func(t []float64) float64 { return of(t).n() },
		Share: func(t []float64) (float64, float64) { c := of(t); return c.tp, c.tp + c.fp + c.fn },
		Why: func(t []float64) string {
			if of(t).n() == 0 {
				return ""
			}
			return "no agent's answer there is right and none was judged Correct"
		},
	}
	if name == F1 {
		m.Headline = true
	}
	return m
}

func f1(share float64) float64 { return 2 * share / (1 + share) }

func f1Delta(t []float64) float64 { return ownIs(ownRight)(t).f1() - ownIs(ownWrong)(t).f1() }

// subset is how well the judge does where its own answer and the agent's are right or wrong as given. All there have
// one label, so that nothing is wrongly given that label: precision is 1, and with recall s the F1 of it is 2s/(1+s).
func subset(name string, own int, agentRight, isF1 bool) scoring.Metric {
	m := scoring.Metric{Name: name, Kind: scoring.Several}
	if isF1 {
		m.Curve = f1
	}
	m.Share = func(t []float64) (float64, float64) {
		c := ownIs(own)(t)
		if agentRight {
			return c.tp, c.agent()
		}
		return c.tn, c.n() - c.agent()
	}
	m.None = "no question has the judge's own answer " + rightOrWrong(own == ownRight) +
		" and an agent's " + rightOrWrong(agentRight)
	return m
}

func rGJ(t []float64) float64 {
	g, c := ownIs(ownRight)(t), known(t)
	return stats.Binary(c.n(), g.n(), c.right(), g.right())
}

func rGA(t []float64) float64 {
	g, c := ownIs(ownRight)(t), known(t)
	return stats.Binary(c.n(), g.n(), c.agent(), g.agent())
}

func rJA(t []float64) float64 {
	c := known(t)
	return stats.Binary(c.n(), c.right(), c.agent(), c.tp)
}

func rGJA(t []float64) float64 { return stats.Partial(rGJ(t), rGA(t), rJA(t)) }

// constant says which of the variables has no variance; where all have, one of G and J is A itself or its opposite.
func constant(t []float64, of []variable) string {
	if nKnown(t) == 0 {
		return "there is no judgment with an answer of the judge's own"
	}
	var found []string
	for _, v := range of {
		right, wrong := v.Count(t)
		if right == 0 || wrong == 0 {
			found = append(found, v.name+" has no variance: "+v.noun+" are all "+rightOrWrong(wrong == 0))
		}
	}
	switch {
	case found != nil:
		return strings.Join(found, "; ")
	case math.Abs(rGA(t)) == 1:
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
