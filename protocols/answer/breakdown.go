package answer

import "gavel/scoring"

// Parts of the questions with a label.
const (
	PartRight   = "right"   // the answer is right
	PartWrong   = "wrong"   // it is not
	PartMissing = "missing" // the reply has no answer that can be read
)

// Part that a question is in.
func (*answers) Part(u scoring.Unit) string {
	switch a := u.Of.(scoreRow); {
	case a.gold == "":
		return ""
	case a.right:
		return PartRight
	case a.read:
		return PartWrong
	}
	return PartMissing
}
