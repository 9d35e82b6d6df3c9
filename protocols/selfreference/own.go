package selfreference

import (
	"slices"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of how the judge treats its own answer to the question, in each mode and as the difference of both modes.
const (
	OwnRightAccuracy  = "own-right-accuracy"  // share of right judgments where the judge's own answer is right
	OwnWrongAccuracy  = "own-wrong-accuracy"  // share of right judgments where the judge's own answer is wrong
	OwnSameCorrect    = "own-same-correct"    // of answers equal to the judge's own: share called Correct
	OwnOtherIncorrect = "own-other-incorrect" // of answers that differ from the judge's own: share called Incorrect
	OwnSided          = "own-sided"           // share of judgments that side with the judge's own answer either way
)

// Values of judgment.same: whether the agent's answer equals the judge's own.
const (
	sameUnknown int8 = iota // not known, or the judge has no answer
	sameAnswer
	otherAnswer
)

// sameAs returns whether the agent's answer of a record equals the judge's own. If either is right, the labels decide;
// otherwise the values that were read from both.
func sameAs(r *judging.Record) int8 {
	right := r.Gold == labelCorrect
	switch {
	case r.Own == nil:
		return sameUnknown
	case r.Own.Right && right:
		return sameAnswer
	case r.Own.Right || right:
		return otherAnswer
	case r.Said == nil:
		return sameUnknown
	case *r.Said != "" && (*r.Said == r.Own.Value || answer.SameNumber(*r.Said, r.Own.Value)):
		return sameAnswer
	}
	return otherAnswer
}

// describe stores in the record who gave the answer and, if the judge has an answer too, the
// value read from the agent's.
func describe(r *judging.Record, item datasets.Item, _ judging.Presentation) {
	r.Describe(item.Answered)
	if a := item.Answered; a != nil && a.Own != nil {
		r.Said = new(answer.ReadValue(a.Of, a.Text))
	}
}

// modeJudgment is the judgment of an answer in one mode, with the verdict of that mode.
type modeJudgment struct {
	judgment
	verdict int8 // calledCorrect, calledIncorrect or noVerdict
}

// sides reports whether the judge sides with its own answer: it calls an equal answer Correct or another one Incorrect.
func (j modeJudgment) sides() bool {
	return j.same == sameAnswer && j.verdict == calledCorrect || j.same == otherAnswer && j.verdict == calledIncorrect
}

// isRight reports whether the verdict says correctly whether the agent's answer is right.
func (j modeJudgment) isRight() bool {
	return j.verdict != noVerdict && (j.verdict == calledCorrect) == j.right
}

// rightWhere returns a function that returns a judgment's numerator and denominator in the share of right judgments,
// among those with the given kind of own answer, ownRight or ownWrong.
func rightWhere(ownAnswer int8) func(modeJudgment) (num, den float64) {
	return func(j modeJudgment) (num, den float64) {
		den = scoring.Indicator(j.ownAnswer == ownAnswer)
		return den * scoring.Indicator(j.isRight()), den
	}
}

// sidedWhere returns a function that returns a judgment's numerator and denominator in the share that sides with the
// judge's own answer, among answers that equal it or differ from it, as same lists.
func sidedWhere(same ...int8) func(modeJudgment) (num, den float64) {
	return func(j modeJudgment) (num, den float64) {
		den = scoring.Indicator(slices.Contains(same, j.same))
		return den * scoring.Indicator(j.sides()), den
	}
}

// ownMetrics computes the metrics of how the judge treats its own answer, over all judgments only, not by group.
var ownMetrics = []scoring.SumMetric[modeJudgment]{
	ownMetric(OwnRightAccuracy, rightWhere(ownRight)),
	ownMetric(OwnWrongAccuracy, rightWhere(ownWrong)),
	ownMetric(OwnSameCorrect, sidedWhere(sameAnswer)),
	ownMetric(OwnOtherIncorrect, sidedWhere(otherAnswer)),
	ownMetric(OwnSided, sidedWhere(sameAnswer, otherAnswer)),
}

// ownMetric returns a metric of judgments; adds returns a judgment's numerator and denominator in it.
func ownMetric(name string, adds func(modeJudgment) (num, den float64)) scoring.SumMetric[modeJudgment] {
	all := func(c []float64) float64 { return c[1] }
	return scoring.SumMetric[modeJudgment]{Metric: scoring.Metric{Name: name, Kind: scoring.Several, All: all}, Adds: adds}
}

// ownResults returns the results of [ownMetrics] for each mode and, over the judgments that count in both, the
// difference.
func (f *judgments) ownResults(rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap) []scoring.Result {
	width := 2 * len(ownMetrics)
	list := f.inModes(scoring.AssignColumns(ownMetrics), width, rep.Missing)
	return sheet.WithMetrics(list, 4*width, func(u scoring.Unit) []float64 {
		j := u.Data.(judgment)
		row := make([]float64, 4*width)
		j.count(rep.Missing, func(table int, verdict int8) {
			scoring.FillRow(ownMetrics, modeJudgment{judgment: j, verdict: verdict}, row[table*width:])
		})
		return row
	}).ScoreAs(scoring.Overall, rep.Bootstrap.Unit, b)
}
