package answer

import "gavel/scoring"

// Parts into which the answers to labelled questions fall.
const (
	PartRight   = "right"   // the answer is right
	PartWrong   = "wrong"   // the answer is wrong
	PartMissing = "missing" // no answer could be read
)

// Part returns the part of u, a question with its answer: right, wrong or missing; "" if the
// dataset has no label for it.
func (*answers) Part(u scoring.Unit) string {
	switch a := u.Data.(scoreRow); {
	case a.gold == "":
		return ""
	case a.right:
		return PartRight
	case a.hasAnswer:
		return PartWrong
	}
	return PartMissing
}
