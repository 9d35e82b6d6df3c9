package protocols

import "gavel/judging"

// All are the protocols, in the order that lists have them.
var All = []Protocol{
	{Protocol: judging.Pairwise},
	{Protocol: judging.Reversed},
	{Protocol: judging.Answer},
	{Protocol: judging.SelfReference},
	{Protocol: judging.MultiOption},
}

func init() {
	for _, p := range All {
		Add(p)
	}
}
