package protocols

import (
	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
)

// All are the protocols, in the order that lists have them.
var All = []Protocol{
	{Protocol: judging.Pairwise, Layout: pairwise.Layout},
	{Protocol: judging.Reversed, Layout: pairwise.Layout},
	{Protocol: judging.Answer, Layout: answer.Layout},
	{Protocol: judging.SelfReference, Layout: selfreference.Layout},
	{Protocol: judging.MultiOption, Layout: multioption.Layout},
}

func init() {
	for _, p := range All {
		Add(p)
	}
}
