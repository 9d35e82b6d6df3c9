package pairwise

import (
	"slices"

	"gavel/scoring"
)

// terms say in words (PROTOCOLS.md §1) what tables of pairs have: the metrics, each in its literal, and the rest.
var terms = slices.Concat(
	scoring.Terms(slices.Concat(Metrics, referenceMetrics, []scoring.Metric{styleBias, softMetric})),
	more,
)

// more are the words of what is not a metric of pairs.
var more = []scoring.Term{
	{
		Metric: "self-agreement",
		Plain:  "prompts with the same verdict every time they were asked",
		Source: "share of prompts that got a verdict",
		Others: "test-retest reliability",
	},
	{
		Metric: "noise floor",
		Plain:  "the largest difference between two repeats of the same run",
		Source: "gavel",
		Others: "run-to-run variance",
	},
	{
		Metric: "auroc",
		Called: []string{"AUROC"},
		Plain: "take two pairs with different labels: " +
			"how often the odds of response A are higher in the pair in which A is labelled better",
		Source: "DeLong et al. 1988; clusters by Obuchowski 1997",
		Others: "AUC; c-statistic; Mann-Whitney U over the number of pairs",
		Chance: "0.5",
	},
	{
		Metric: "brier",
		Called: []string{"Brier score"},
		Plain:  "squared distance between confidence and right or wrong; 0 is best",
		Source: "Brier 1950",
		Others: "mean squared error of a forecast",
		Chance: "0.25 if it says so",
	},
	{
		Metric: "ece",
		Called: []string{"expected calibration error"},
		Plain:  "distance between confidence and accuracy, over ten bins; 0 is best",
		Source: "Guo et al., arXiv 1706.04599",
		Others: "expected calibration error",
	},
	scoring.WithoutVerdictTerm,
}
