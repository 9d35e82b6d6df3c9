package protocols

import (
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
)

// All are the protocols, in the order that lists have them.
var All = []Protocol{
	{pairwise.Protocol, pairwise.NewScorer, pairwise.Layout, pairwise.Imports},
	{pairwise.Reversed, pairwise.NewScorer, pairwise.Layout, nil},
	{answer.Protocol, answer.NewScorer, answer.Layout, answer.Imports},
	{selfreference.Protocol, selfreference.NewScorer, selfreference.Layout, nil},
	{multioption.Protocol, multioption.NewScorer, multioption.Layout, nil},
}

func init() {
	for _, p := range All {
		Add(p)
	}
}
