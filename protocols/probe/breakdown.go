package probe

import "gavel/scoring"

// Parts of the pairs, by the effect of the rewrites on a right verdict.
const (
	PartStays   = "stays"   // right on the pair as it is and on all its rewrites
	PartMoved   = "moved"   // right on the pair as it is, not on a rewrite
	PartWrong   = "wrong"   // not right on the pair as it is
	PartMissing = "missing" // no verdict on the pair as it is
)

// Part returns the part that a pair belongs to.
func (*pairs) Part(x scoring.Unit) string {
	u := x.Data.(pair)
	switch {
	case !u.judgments[0].verdict():
		return PartMissing
	case !u.right(u.judgments[0]):
		return PartWrong
	case u.steady():
		return PartStays
	}
	return PartMoved
}
