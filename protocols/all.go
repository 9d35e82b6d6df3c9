package protocols

import (
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
)

// All are the protocols, in the order that lists have them.
var All = []Protocol{
	{Protocol: pairwise.Protocol, Layout: pairwise.Layout},
	{Protocol: pairwise.Reversed, Layout: pairwise.Layout},
	{Protocol: answer.Protocol, Layout: answer.Layout},
	{Protocol: selfreference.Protocol, Layout: selfreference.Layout},
	{Protocol: multioption.Protocol, Layout: multioption.Layout},
}

func init() {
	for _, p := range All {
		Add(p)
	}
}
