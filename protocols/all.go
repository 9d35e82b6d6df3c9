package protocols

import (
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
)

// All are the protocols, in the order that lists have them.
var All = []Protocol{
	{pairwise.Protocol, pairwise.NewScorer, pairwise.Layout},
	{pairwise.Reversed, pairwise.NewScorer, pairwise.Layout},
	{answer.Protocol, answer.NewScorer, answer.Layout},
	{selfreference.Protocol, selfreference.NewScorer, selfreference.Layout},
	{multioption.Protocol, multioption.NewScorer, multioption.Layout},
}

func init() {
	for _, p := range All {
		Add(p)
	}
}
