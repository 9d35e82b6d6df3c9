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
		Protocol:    pairwise.Protocol,
		Scorer:      pairwise.NewScorer,
		MetricsYAML: pairwise.MetricsYAML,
		Layout:      pairwise.ReportLayout,
		Imports:     pairwise.Imports,
	},
	{
		Protocol:    pairwise.Reversed,
		Scorer:      pairwise.NewScorer,
		MetricsYAML: pairwise.MetricsYAML,
		Layout:      pairwise.ReportLayout,
	},
	{
		Protocol:    answer.Protocol,
		Scorer:      answer.NewScorer,
		MetricsYAML: answer.MetricsYAML,
		Layout:      answer.ReportLayout,
		Imports:     answer.Imports,
	},
	{
		Protocol:    selfreference.Protocol,
		Scorer:      selfreference.NewScorer,
		MetricsYAML: selfreference.MetricsYAML,
		Layout:      selfreference.ReportLayout,
	},
	{
		Protocol:    multioption.Protocol,
		Scorer:      multioption.NewScorer,
		MetricsYAML: multioption.MetricsYAML,
		Layout:      multioption.ReportLayout,
	},
	{
		Protocol:    pointwise.Protocol,
		Scorer:      pointwise.NewScorer,
		MetricsYAML: pointwise.MetricsYAML,
		Layout:      pointwise.ReportLayout,
		Imports:     pointwise.Imports,
	},
	{
		Protocol:    probe.Protocol,
		Scorer:      probe.NewScorer,
		MetricsYAML: probe.MetricsYAML,
		Layout:      probe.ReportLayout,
	},
}

func init() {
	for _, p := range All {
		Register(p)
	}
}
