package selfreference

import "gavel/scoring"

// Parts of the judged answers, by what the judge says of them without its own answer and with it. Where it was asked in
// one mode only, right and wrong are of that one.
const (
	PartRight   = "right"   // right both times
	PartHelped  = "helped"  // right with its own answer only
	PartHarmed  = "harmed"  // right without its own answer only
	PartWrong   = "wrong"   // wrong both times
	PartMissing = "missing" // a judgment without a verdict
)

// Part that a judged answer is in.
func (*judgments) Part(u scoring.Unit) string {
	j := u.Of.(judgment)
	var right, wrong [2]bool
	for m, said := range j.said {
		switch said {
		case saidNothing:
			return PartMissing
		case notAsked:
		default:
			right[m] = (said == saidCorrect) == j.right
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
