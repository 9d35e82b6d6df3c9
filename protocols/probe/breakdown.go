package probe

import "gavel/scoring"

// Parts into which pairs fall, by whether rewrites of the pair change a right verdict.
const (
	PartStays   = "stays"   // right on the original pair and on all its rewrites
	PartMoved   = "moved"   // right on the original pair, not on some rewrite
	PartWrong   = "wrong"   // not right on the original pair
	PartMissing = "missing" // no verdict on the original pair
)

// Part returns the part of a pair, such as stays or moved.
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
