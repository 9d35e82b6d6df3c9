package protocols

import (
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
)

// All are the protocols, in the order that lists have them.
var All = []Protocol{
	{Protocol: pairwise.Protocol},
	{Protocol: pairwise.Reversed},
	{Protocol: answer.Protocol},
	{Protocol: selfreference.Protocol},
	{Protocol: multioption.Protocol},
}

func init() {
	for _, p := range All {
		Add(p)
	}
}
