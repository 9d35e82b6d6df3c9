package selfreference

import "gavel/scoring"

// Parts of the judged answers, by the verdicts without and with the judge's own answer. A run that has one mode uses
// only PartRight, PartWrong and PartMissing.
const (
	PartRight   = "right"   // right both times
	PartHelped  = "helped"  // right with its own answer only
	PartHarmed  = "harmed"  // right without its own answer only
	PartWrong   = "wrong"   // wrong both times
	PartMissing = "missing" // a judgment without a verdict
)

// Part returns the part that a judged answer belongs to.
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
