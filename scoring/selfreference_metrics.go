package scoring

import (
	"math"
	"strings"

	"gavel/scoring/stats"
)

// Metrics of the answer and self-reference protocols (PROTOCOLS.md §2). With y*
// = the agent is right, y = judged Correct, G = the judge's own answer is right,
// J = (y = y*), A = y*.
const (
	GenerationAccuracy = "generation-accuracy" // share of questions with G (Eq. 3)
	AgentAccuracy      = "agent-accuracy"      // share of answers with A
	Accuracy           = "accuracy"            // share of judgments with J
	Precision          = "precision"           // of "Correct" (Eq. 7)
	Recall             = "recall"              // of "Correct" (Eq. 8)
	F1                 = "f1"                  // of "Correct" (Eq. 9)
	F1JPlus            = "f1-j-plus"           // where the judge itself is right
	F1JMinus           = "f1-j-minus"          // where it is not
	F1Delta            = "f1-delta"            // the former less the latter
	Overconfidence     = "overconfidence"      // share judged Correct − share that is; overall it is the average of the groups weighted by n

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

// confusion counts judgments. fn takes in those without a verdict on a right
// answer: they are not judged Correct. lost is those on a wrong one, which are
// neither judged Correct nor judged right.
type confusion struct{ tp, fp, fn, tn, lost float64 }

func (c confusion) n() float64     { return c.tp + c.fp + c.fn + c.tn + c.lost }
func (c confusion) right() float64 { return c.tp + c.tn }
func (c confusion) agent() float64 { return c.tp + c.fn }
func (c confusion) f1() float64    { return 2 * c.tp / (2*c.tp + c.fp + c.fn) }

// table is a confusion by each kind of the judge's own answer, one after the
// other: a stretch of a resampled row.
type table []float64

const (
	confusionWidth = 5
	tableWidth     = confusionWidth * ownKinds
)

func (t table) of(own int) confusion {
	c := t[own*confusionWidth:][:confusionWidth]
	return confusion{c[0], c[1], c[2], c[3], c[4]}
}

// known are the judgments where the judge has an answer of its own.
func (t table) known() confusion {
	a, b := t.of(ownRight), t.of(ownWrong)
	return confusion{a.tp + b.tp, a.fp + b.fp, a.fn + b.fn, a.tn + b.tn, a.lost + b.lost}
}

func (t table) all() confusion {
	a, b := t.known(), t.of(ownUnknown)
	return confusion{a.tp + b.tp, a.fp + b.fp, a.fn + b.fn, a.tn + b.tn, a.lost + b.lost}
}

// add counts one judgment.
func (t table) add(own int8, right bool, said int8) {
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

// measure is a metric of one mode: a share, or something else of the counts.
type measure struct {
	name    string
	unit    string
	missing string // how a judgment without a verdict counts under the policy wrong

	n func(table) float64
	// share is numerator and denominator. Where f1 is set the value is the F1
	// that belongs to the share: with s = TP/(TP+FP+FN), F1 = 2s/(1+s). So it is
	// 0, not undefined, where precision has nothing to be a share of but there
	// was something to find.
	share func(table) (num, den float64)
	f1    bool
	value func(table) float64 // where it is no share
	why   func(table) string  // undefined, and why
	once  bool                // the same in both modes: there is no difference
}

func (m measure) of(t table) float64 {
	if m.share == nil {
		return m.value(t)
	}
	num, den := m.share(t)
	return m.fromShare(num / den) // 0/0 is NaN: undefined
}

func (m measure) fromShare(s float64) float64 {
	if m.f1 {
		return 2 * s / (1 + s)
	}
	return s
}

const notJudgedCorrect = "not judged Correct"

// measures lists the metrics of one mode in the order tables print them.
var measures = []measure{
	{name: Accuracy, missing: "wrong", n: nAll, why: because("there is no judgment"),
		share: func(t table) (float64, float64) { c := t.all(); return c.right(), c.n() }},
	{name: Precision, missing: notJudgedCorrect, n: func(t table) float64 { c := t.all(); return c.tp + c.fp }, why: because("nothing was judged Correct"),
		share: func(t table) (float64, float64) { c := t.all(); return c.tp, c.tp + c.fp }},
	{name: Recall, missing: notJudgedCorrect, n: func(t table) float64 { return t.all().agent() }, why: because("no agent's answer is right"),
		share: func(t table) (float64, float64) { c := t.all(); return c.tp, c.agent() }},
	f1Of(F1, table.all, "there is no judgment"),
	f1Of(F1JPlus, ownIs(ownRight), "the judge answered no question right"),
	f1Of(F1JMinus, ownIs(ownWrong), "the judge answered no question wrong"),
	{name: F1Delta, missing: notJudgedCorrect, n: nKnown, value: f1Delta, why: because("one of the two F1 is")},
	{name: Overconfidence, missing: notJudgedCorrect, n: nAll, why: because("there is no judgment"),
		value: func(t table) float64 { c := t.all(); return (c.fp - c.fn) / c.n() }}, // (tp+fp) − (tp+fn)
	subset(JPlusCorrect, ownRight, true, false), subset(JPlusCorrectF1, ownRight, true, true),
	subset(JPlusIncorrect, ownRight, false, false), subset(JPlusIncorrectF1, ownRight, false, true),
	subset(JMinusCorrect, ownWrong, true, false), subset(JMinusCorrectF1, ownWrong, true, true),
	subset(JMinusIncorrect, ownWrong, false, false), subset(JMinusIncorrectF1, ownWrong, false, true),
	{name: CorrelationGJ, unit: UnitCorrelation, missing: "wrong", n: nKnown, value: rGJ, why: constant("G", "J")},
	{name: CorrelationGA, unit: UnitCorrelation, missing: "counts: it is not about the judgment", n: nKnown, value: rGA, why: constant("G", "A"), once: true},
	{name: CorrelationJA, unit: UnitCorrelation, missing: "wrong", n: nKnown, value: rJA, why: constant("J", "A")},
	{name: PartialGJ, unit: UnitCorrelation, missing: "wrong", n: nKnown, value: rGJA, why: constant("G", "J", "A")},
}

func measureNamed(name string) measure {
	for _, m := range measures {
		if m.name == name {
			return m
		}
	}
	panic("no measure " + name)
}

func nAll(t table) float64   { return t.all().n() }
func nKnown(t table) float64 { return t.known().n() }

func ownIs(own int) func(table) confusion { return func(t table) confusion { return t.of(own) } }

func because(reason string) func(table) string { return func(table) string { return reason } }

// f1Of is the F1 of "Correct" among some of the judgments.
func f1Of(name string, of func(table) confusion, none string) measure {
	return measure{
		name: name, missing: notJudgedCorrect, f1: true,
		n:     func(t table) float64 { return of(t).n() },
		share: func(t table) (float64, float64) { c := of(t); return c.tp, c.tp + c.fp + c.fn },
		why: func(t table) string {
			if of(t).n() == 0 {
				return none
			}
			return "no agent's answer there is right and none was judged Correct"
		},
	}
}

func f1Delta(t table) float64 { return t.of(ownRight).f1() - t.of(ownWrong).f1() }

// subset is how well the judge does where its own answer and the agent's are
// right or wrong as given. All there have one label, so that nothing is wrongly
// given that label: precision is 1, and with recall s the F1 of it is 2s/(1+s).
func subset(name string, own int, agentRight, f1 bool) measure {
	m := measure{name: name, missing: "wrong", f1: f1}
	m.share = func(t table) (float64, float64) {
		c := t.of(own)
		if agentRight {
			return c.tp, c.agent()
		}
		return c.tn, c.n() - c.agent()
	}
	m.n = func(t table) float64 { _, n := m.share(t); return n }
	word := func(right bool) string {
		if right {
			return "right"
		}
		return "wrong"
	}
	m.why = because("no question has the judge's own answer " + word(own == ownRight) + " and an agent's " + word(agentRight))
	return m
}

func rGJ(t table) float64 {
	g, c := t.of(ownRight), t.known()
	return stats.Binary(c.n(), g.n(), c.right(), g.right())
}

func rGA(t table) float64 {
	g, c := t.of(ownRight), t.known()
	return stats.Binary(c.n(), g.n(), c.agent(), g.agent())
}

func rJA(t table) float64 {
	c := t.known()
	return stats.Binary(c.n(), c.right(), c.agent(), c.tp)
}

func rGJA(t table) float64 { return stats.Partial(rGJ(t), rGA(t), rJA(t)) }

// constant says which of the variables has no variance; where all have, one of
// G and J is A itself or its opposite.
func constant(variables ...string) func(table) string {
	return func(t table) string {
		c := t.known()
		if c.n() == 0 {
			return "there is no judgment with an answer of the judge's own"
		}
		var found []string
		for _, v := range variables {
			ones := map[string]float64{"G": t.of(ownRight).n(), "J": c.right(), "A": c.agent()}[v]
			what := map[string]string{"G": "G has no variance: the judge's own answers are all ", "J": "J has no variance: the judgments are all ", "A": "A has no variance: the agents' answers are all "}[v]
			switch ones {
			case c.n():
				found = append(found, what+"right")
			case 0:
				found = append(found, what+"wrong")
			}
		}
		if len(found) > 0 {
			return strings.Join(found, "; ")
		}
		if math.Abs(rGA(t)) == 1 {
			return "r-ga is 1 or −1: once A is known nothing of G is left"
		}
		return "r-ja is 1 or −1: once A is known nothing of J is left"
	}
}
