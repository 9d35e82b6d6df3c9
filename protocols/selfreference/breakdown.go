package selfreference

import "gavel/scoring"

// Parts into which judged answers fall, by the verdicts without and with the judge's own answer shown. A run that has
// one mode uses only PartRight, PartWrong and PartMissing.
const (
	PartRight   = "right"   // both verdicts are right
	PartHelped  = "helped"  // the verdict is right only with the own answer shown
	PartHarmed  = "harmed"  // the verdict is right only without the own answer
	PartWrong   = "wrong"   // both verdicts are wrong
	PartMissing = "missing" // a judgment has no verdict
)

// Part returns the part of a judged answer, such as helped or harmed.
func (*judgments) Part(u scoring.Unit) string {
	j := u.Data.(judgment)
	var right, wrong [2]bool
	for m, verdict := range j.verdicts {
		switch verdict {
		case noVerdict:
			return PartMissing
		case notAsked:
		default:
			right[m] = (verdict == calledCorrect) == j.right
			wrong[m] = !right[m]
		}
	}
	switch {
	case right[1] && wrong[0]:
		return PartHelped
	case right[0] && wrong[1]:
		return PartHarmed
	case right[0] || right[1]:
		return PartRight
	}
	return PartWrong
}
