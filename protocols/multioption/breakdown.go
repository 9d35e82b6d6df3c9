package multioption

import (
	"gavel/judging"
	"gavel/scoring"
)

// Parts of the items, by what all orders of their options come to.
const (
	PartRight   = "right"   // the same option in every order, and it is right
	PartWrong   = "wrong"   // the same option in every order, and it is not
	PartSame    = "same"    // the same option in every order; nobody knows the right one
	PartMoved   = "moved"   // the option changes with the order, and so does the position
	PartPlace   = "place"   // the same position in every order, whatever stands there
	PartMissing = "missing" // an order without a verdict
)

// Part that an item is in. Where some items have a right option, those without are left out.
func (f *choices) Part(x scoring.Unit) string {
	b := x.Data.(scoredBallot).ballot
	if len(b.right) == 0 && f.labelled {
		return ""
	}
	first := b.choice(0)
	same := true
	place := true
	for i, position := range b.positions {
		if position == judging.NoCandidate {
			return PartMissing
		}
		same = same && b.class[b.choice(i)] == b.class[first]
		place = place && position == b.positions[0]
	}
	switch {
	case same && len(b.right) == 0:
		return PartSame
	case same && b.isRight(first):
		return PartRight
	case same:
		return PartWrong
	case place:
		return PartPlace
	}
	return PartMoved
}
