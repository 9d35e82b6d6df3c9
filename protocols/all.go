package protocols

import (
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/pointwise"
	"gavel/protocols/probe"
	"gavel/protocols/selfreference"
)

// All lists the protocols in the order in which lists print them.
var All = []Protocol{
	{
		Protocol: pairwise.Protocol,
		Scorer:   pairwise.NewScorer,
		Metrics:  pairwise.Metrics,
		Layout:   pairwise.ReportLayout,
		Imports:  pairwise.Imports,
	},
	{
		Protocol: pairwise.Reversed,
		Scorer:   pairwise.NewScorer,
		Metrics:  pairwise.Metrics,
		Layout:   pairwise.ReportLayout,
	},
	{
		Protocol: answer.Protocol,
		Scorer:   answer.NewScorer,
		Metrics:  answer.Metrics,
		Layout:   answer.ReportLayout,
		Imports:  answer.Imports,
	},
	{
		Protocol: selfreference.Protocol,
		Scorer:   selfreference.NewScorer,
		Metrics:  selfreference.Metrics,
		Layout:   selfreference.ReportLayout,
	},
	{
		Protocol: multioption.Protocol,
		Scorer:   multioption.NewScorer,
		Metrics:  multioption.Metrics,
		Layout:   multioption.ReportLayout,
	},
	{
		Protocol: pointwise.Protocol,
		Scorer:   pointwise.NewScorer,
		Metrics:  pointwise.Metrics,
		Layout:   pointwise.ReportLayout,
		Imports:  pointwise.Imports,
	},
	{
		Protocol: probe.Protocol,
		Scorer:   probe.NewScorer,
		Metrics:  probe.Metrics,
		Layout:   probe.ReportLayout,
	},
}

func init() {
	for _, p := range All {
		Register(p)
	}
}
