package pairwise

import (
	"gavel/judging"
	"gavel/scoring"
)

// Parts of the labelled pairs, by the verdicts in both orders.
const (
	PartRight   = "right"   // both name the labelled response
	PartWrong   = "wrong"   // both name the other
	PartTie     = "tie"     // one of them is a tie, or both
	PartFirst   = "first"   // both pick the response shown first
	PartSecond  = "second"  // both pick the response shown second
	PartMissing = "missing" // one of them has no verdict, or both
)

// Part returns the part that a pair belongs to; "" without a label.
func (*pairs) Part(x scoring.Unit) string {
	u := x.Data.(*pair)
	switch first := u.judgments[0]; {
	case u.gold < 0:
		return ""
	case u.consistent() && u.consistentChoice() == u.gold:
		return PartRight
	case u.consistent():
		return PartWrong
	case !first.verdict() || !u.judgments[1].verdict():
		return PartMissing
	case !u.bothDecided():
		return PartTie
	case first.picksFirst():
		return PartFirst
	}
	return PartSecond
}

// consistentChoice returns the response that both judgments of a pair name, or [judging.Nobody].
func (u pair) consistentChoice() int8 {
	if u.bothDecided() && u.judgments[0].choice == u.judgments[1].choice {
		return u.judgments[0].choice
	}
	return judging.NoCandidate
}
