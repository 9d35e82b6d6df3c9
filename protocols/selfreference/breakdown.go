package selfreference

import "gavel/scoring"

// Parts into which judged answers fall, by the verdicts without and with the judge's own answer shown. A run that has
// one mode uses only OutcomeRight, OutcomeWrong and OutcomeMissing.
const (
	OutcomeRight   = "right"   // both verdicts are right
	OutcomeHelped  = "helped"  // the verdict is right only with the own answer shown
	OutcomeHarmed  = "harmed"  // the verdict is right only without the own answer
	OutcomeWrong   = "wrong"   // both verdicts are wrong
	OutcomeMissing = "missing" // a judgment has no verdict
)

// UnitOutcome returns the part of a judged answer, such as helped or harmed.
func (*selfReferenceScorer) UnitOutcome(u scoring.Unit) string {
	j := u.Data.(judgment)
	var right, wrong [2]bool
	for m, verdict := range j.verdicts {
		switch verdict {
		case noVerdict:
			return OutcomeMissing
		case notAsked:
		default:
			right[m] = (verdict == calledCorrect) == j.answerIsRight
			wrong[m] = !right[m]
		}
	}
	switch {
	case right[1] && wrong[0]:
		return OutcomeHelped
	case right[0] && wrong[1]:
		return OutcomeHarmed
	case right[0] || right[1]:
		return OutcomeRight
	}
	return OutcomeWrong
}
