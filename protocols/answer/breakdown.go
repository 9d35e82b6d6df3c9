package answer

import "gavel/scoring"

// Parts of the questions with a label.
const (
	PartRight   = "right"   // the answer is right
	PartWrong   = "wrong"   // the answer is wrong
	PartMissing = "missing" // no answer could be read
)

// Part returns the part that a question belongs to; "" without a label.
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
