package pairwise

import (
	"gavel/judging"
	"gavel/scoring"
)

// Parts into which labelled pairs fall, by the judge's verdicts in both orders.
const (
	OutcomeRight        = "right"   // both verdicts name the labelled response
	OutcomeWrong        = "wrong"   // both verdicts name the other response
	OutcomeTie          = "tie"     // one of the verdicts is a tie, or both are
	OutcomeAlwaysFirst  = "first"   // both verdicts pick the response shown first
	OutcomeAlwaysSecond = "second"  // both verdicts pick the response shown second
	OutcomeMissing      = "missing" // one of the judgments has no verdict, or neither has
)

// UnitOutcome returns the outcome of a pair, such as right or tie, by its verdicts in both orders; "" without a label.
func (*pairScorer) UnitOutcome(x scoring.Unit) string {
	u := x.Data.(*pair)
	switch first := u.judgments[0]; {
	case u.gold < 0:
		return ""
	case u.consistent() && u.consistentChoice() == u.gold:
		return OutcomeRight
	case u.consistent():
		return OutcomeWrong
	case !first.hasVerdict() || !u.judgments[1].hasVerdict():
		return OutcomeMissing
	case !u.bothDecided():
		return OutcomeTie
	case first.picksFirst():
		return OutcomeAlwaysFirst
	}
	return OutcomeAlwaysSecond
}

// consistentChoice returns the response that both judgments of a pair name as better, or [judging.NoCandidate].
func (u pair) consistentChoice() int8 {
	if u.bothDecided() && u.judgments[0].choice == u.judgments[1].choice {
		return u.judgments[0].choice
	}
	return judging.NoCandidate
}
