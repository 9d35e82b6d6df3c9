package pairwise

import (
	"gavel/judging"
	"gavel/scoring"
)

// Parts of the pairs with a label, by what both orders come to.
const (
	PartRight   = "right"   // both name the labelled response
	PartWrong   = "wrong"   // both name the other
	PartTie     = "tie"     // one of them is a tie, or both
	PartFirst   = "first"   // both pick the response shown first
	PartSecond  = "second"  // both pick the response shown second
	PartMissing = "missing" // one of them has no verdict, or both
)

// Part that a pair is in.
func (*pairs) Part(x scoring.Unit) string {
	u := x.Of.(*pair)
	switch first := u.judgments[0]; {
	case u.gold < 0:
		return ""
	case u.alike() && u.named() == u.gold:
		return PartRight
	case u.alike():
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

// named is the response that a pair's two judgments agree on, or [judging.Nobody].
func (u pair) named() int8 {
	if u.bothDecided() && u.judgments[0].choice == u.judgments[1].choice {
		return u.judgments[0].choice
	}
	return judging.Nobody
}
