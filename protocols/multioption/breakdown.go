package multioption

import (
	"gavel/judging"
	"gavel/scoring"
)

// Parts into which items fall, by the judge's choices in all orders of an item's options.
const (
	OutcomeRight        = "right"   // the same option in every order, and a right one
	OutcomeWrong        = "wrong"   // the same option in every order, and a wrong one
	OutcomeSameOption   = "same"    // the same option in every order of an item without a label
	OutcomeInconsistent = "moved"   // both the option and its position change with the order
	OutcomeSamePosition = "place"   // the same position in every order, whatever option was shown there
	OutcomeMissing      = "missing" // no verdict in at least one order
)

// UnitOutcome returns the part of an item, such as right or moved. If some items have a right option, it returns ""
// for those that have none.
func (f *multiOptionScorer) UnitOutcome(x scoring.Unit) string {
	b := x.Data.(scoredBallot).ballot
	if len(b.rightOptions) == 0 && f.labelled {
		return ""
	}
	first := b.choice(0)
	same := true
	place := true
	for i, position := range b.positions {
		if position == judging.NoCandidate {
			return OutcomeMissing
		}
		same = same && b.equalTextClass[b.choice(i)] == b.equalTextClass[first]
		place = place && position == b.positions[0]
	}
	switch {
	case same && len(b.rightOptions) == 0:
		return OutcomeSameOption
	case same && b.isRightOption(first):
		return OutcomeRight
	case same:
		return OutcomeWrong
	case place:
		return OutcomeSamePosition
	}
	return OutcomeInconsistent
}
