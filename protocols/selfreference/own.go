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
	OwnRightAccuracy      = "own-right-accuracy"  // share of right judgments where the judge's own answer is right
	OwnWrongAccuracy      = "own-wrong-accuracy"  // share of right judgments where the judge's own answer is wrong
	SameAsOwnAcceptance   = "own-same-correct"    // of answers equal to the judge's own: share called Correct
	OtherThanOwnRejection = "own-other-incorrect" // of answers that differ from the judge's own: share called Incorrect
	OwnAnswerSidingRate   = "own-sided"           // share of judgments that side with the judge's own answer either way
)

// Values of judgment.sameAsOwn: whether the agent's answer equals the judge's own.
const (
	sameUnknown int8 = iota // not known, or the judge has no answer
	sameAnswer
	otherAnswer
)

// equalsOwnAnswer returns whether the agent's answer of a record equals the judge's own. If either is right, the labels
// decide; otherwise the values that were read from both.
func equalsOwnAnswer(r *judging.Record) int8 {
	right := r.Gold == labelCorrect
	switch {
	case r.Own == nil:
		return sameUnknown
	case r.Own.Right && right:
		return sameAnswer
	case r.Own.Right || right:
		return otherAnswer
	case r.AgentFinalAnswer == nil:
		return sameUnknown
	case *r.AgentFinalAnswer != "" &&
		(*r.AgentFinalAnswer == r.Own.Value || answer.SameNumber(*r.AgentFinalAnswer, r.Own.Value)):
		return sameAnswer
	}
	return otherAnswer
}

// fillRecord stores in the record who gave the answer and, if the judge has an answer too, the
// value read from the agent's.
func fillRecord(r *judging.Record, item datasets.Item, _ judging.Presentation) {
	r.SetAnsweredQuestion(item.Answered)
	if a := item.Answered; a != nil && a.Own != nil {
		r.AgentFinalAnswer = new(answer.ReadValue(a.QuestionShape, a.Text))
	}
}

// modeJudgment is the judgment of an answer in one mode, with the verdict of that mode.
type modeJudgment struct {
	judgment
	verdict int8 // calledCorrect, calledIncorrect or noVerdict
}

// prefersOwnAnswer reports whether the judge sides with itself: it calls an equal answer Correct or another Incorrect.
func (j modeJudgment) prefersOwnAnswer() bool {
	return j.sameAsOwn == sameAnswer && j.verdict == calledCorrect ||
		j.sameAsOwn == otherAnswer && j.verdict == calledIncorrect
}

// isRight reports whether the verdict says correctly whether the agent's answer is right.
func (j modeJudgment) isRight() bool {
	return j.verdict != noVerdict && (j.verdict == calledCorrect) == j.answerIsRight
}

// rightIn reports whether the verdict in a mode is correct.
func (j judgment) rightIn(mode int) bool {
	return modeJudgment{judgment: j, verdict: j.verdicts[mode]}.isRight()
}

// accuracyByOwnAnswer returns the share of correct judgments where the judge's own answer is right, or wrong.
func accuracyByOwnAnswer(ownAnswer int8) func(modeJudgment) (num, den float64) {
	return func(j modeJudgment) (num, den float64) {
		den = scoring.Indicator(j.ownAnswer == ownAnswer)
		return den * scoring.Indicator(j.isRight()), den
	}
}

// ownSideShare returns a function that returns a judgment's numerator and denominator in the share that sides with the
// judge's own answer, among answers that equal it or differ from it, as same lists.
func ownSideShare(same ...int8) func(modeJudgment) (num, den float64) {
	return func(j modeJudgment) (num, den float64) {
		den = scoring.Indicator(slices.Contains(same, j.sameAsOwn))
		return den * scoring.Indicator(j.prefersOwnAnswer()), den
	}
}

// ownMetrics computes the metrics of how the judge treats its own answer, over all judgments only, not by group.
var ownMetrics = []scoring.SumMetric[modeJudgment]{
	ownMetric(OwnRightAccuracy, accuracyByOwnAnswer(ownRight)),
	ownMetric(OwnWrongAccuracy, accuracyByOwnAnswer(ownWrong)),
	ownMetric(SameAsOwnAcceptance, ownSideShare(sameAnswer)),
	ownMetric(OtherThanOwnRejection, ownSideShare(otherAnswer)),
	ownMetric(OwnAnswerSidingRate, ownSideShare(sameAnswer, otherAnswer)),
}

// ownMetric returns a metric of judgments; adds returns a judgment's numerator and denominator in it.
func ownMetric(name string, adds func(modeJudgment) (num, den float64)) scoring.SumMetric[modeJudgment] {
	return scoring.SumMetric[modeJudgment]{Metric: shareMetric(name, 0), Contribution: adds}
}

// shareMetric returns the metric of a share whose numerator is in a column and whose denominator is in the next.
func shareMetric(name string, column int) scoring.Metric {
	return scoring.Metric{
		Name:        name,
		Kind:        scoring.KindTrials,
		Columns:     scoring.ColumnSpan{column, column + 2},
		SubtrahendN: func(c []float64) float64 { return c[1] },
	}
}

// Misled is the metric of error propagation: of the judgments that are right without the reference, those that are not
// right with it.
const Misled = "misled"

// misledResults returns the result of [Misled] for a run with both modes, unless the reference is the own answer.
func (f *selfReferenceScorer) misledResults(
	rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap,
) []scoring.Result {
	if !f.hasMode[0] || !f.hasMode[1] || referenceSetting(rep.Settings) == ReferenceOwn {
		return nil
	}
	return sheet.WithMetrics([]scoring.Metric{shareMetric(Misled, 0)}, 2, func(u scoring.Unit) []float64 {
		j := u.Data.(judgment)
		if !j.rightIn(0) || !countsVerdict(rep.Missing, j.verdicts[1]) {
			return nil
		}
		return []float64{scoring.Indicator(!j.rightIn(1)), 1}
	}).ScoreAsGroup(scoring.Overall, rep.Bootstrap.Unit, b)
}

// ownResults returns the results of [ownMetrics] for each mode and, over the judgments that count in both, the
// difference.
func (f *selfReferenceScorer) ownResults(
	rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap,
) []scoring.Result {
	width := 2 * len(ownMetrics)
	list := f.metricsInModes(scoring.AssignColumns(ownMetrics), width, rep.Missing)
	return sheet.WithMetrics(list, 4*width, func(u scoring.Unit) []float64 {
		j := u.Data.(judgment)
		row := make([]float64, 4*width)
		j.eachCountedVerdict(rep.Missing, func(table int, verdict int8) {
			scoring.FillRow(ownMetrics, modeJudgment{judgment: j, verdict: verdict}, row[table*width:])
		})
		return row
	}).ScoreAsGroup(scoring.Overall, rep.Bootstrap.Unit, b)
}
