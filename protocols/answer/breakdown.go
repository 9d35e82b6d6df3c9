package answer

import "gavel/scoring"

// Parts into which the answers to labelled questions fall.
const (
	OutcomeRight   = "right"   // the answer is right
	OutcomeWrong   = "wrong"   // the answer is wrong
	OutcomeMissing = "missing" // no answer could be read
)

// UnitOutcome returns the part of u, a question with its answer: right, wrong or missing; "" if the
// dataset has no label for it.
func (*answerScorer) UnitOutcome(u scoring.Unit) string {
	switch a := u.Data.(questionAnswer); {
	case a.gold == "":
		return ""
	case a.isRight:
		return OutcomeRight
	case a.hasAnswer:
		return OutcomeWrong
	}
	return OutcomeMissing
}
