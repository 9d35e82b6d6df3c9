package probe

import "gavel/scoring"

// Parts into which pairs fall, by whether rewrites of the pair change a right verdict.
const (
	OutcomeUnchanged = "stays"   // right on the original pair and on all its rewrites
	OutcomeChanged   = "moved"   // right on the original pair, not on some rewrite
	OutcomeWrong     = "wrong"   // not right on the original pair
	OutcomeMissing   = "missing" // no verdict on the original pair
)

// UnitOutcome returns the part of a pair, such as stays or moved.
func (*probeScorer) UnitOutcome(x scoring.Unit) string {
	u := x.Data.(pair)
	switch {
	case !u.judgments[0].hasVerdict():
		return OutcomeMissing
	case !u.right(u.judgments[0]):
		return OutcomeWrong
	case u.rightOnAll():
		return OutcomeUnchanged
	}
	return OutcomeChanged
}
