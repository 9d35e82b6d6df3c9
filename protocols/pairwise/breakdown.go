package pairwise

import (
	"gavel/judging"
	"gavel/scoring"
)

// Parts into which labelled pairs fall, by the judge's verdicts in both orders.
const (
	PartRight   = "right"   // both verdicts name the labelled response
	PartWrong   = "wrong"   // both verdicts name the other response
	PartTie     = "tie"     // one of the verdicts is a tie, or both are
	PartFirst   = "first"   // both verdicts pick the response shown first
	PartSecond  = "second"  // both verdicts pick the response shown second
	PartMissing = "missing" // one of the judgments has no verdict, or neither has
)

// Part returns the part of a pair, such as right or tie, by its verdicts in both orders; "" for a pair without a label.
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

// consistentChoice returns the response that both judgments of a pair name as better, or [judging.NoCandidate].
func (u pair) consistentChoice() int8 {
	if u.bothDecided() && u.judgments[0].choice == u.judgments[1].choice {
		return u.judgments[0].choice
	}
	return judging.NoCandidate
}
