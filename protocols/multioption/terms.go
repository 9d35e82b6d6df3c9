package multioption

import "gavel/scoring"

// terms say in words (PROTOCOLS.md §3) what tables of several options have: the metrics, each in its literal, and what
// is said of the positions.
var terms = append(scoring.Terms(scoring.Lay(optionMetrics(scoring.MissingUsable, true), 0)), []scoring.Term{
	{
		Metric: "place-*",
		Plain:  "how often the option at this position is chosen",
		Source: "share of judgments with a verdict",
		Others: "position bias",
	},
	{
		Metric: "right-place-*",
		Plain:  "how often a right option stands at this position",
		Source: "share of judgments with a verdict, of items with a label",
	},
	{
		Metric: "places-chi-square",
		Plain:  "how far the positions chosen are from even: the larger, the farther",
		Source: "χ² test of uniformity",
		Others: "Pearson's chi-squared",
	},
	{
		Metric: "places-p",
		Plain:  "probability of positions at least this uneven if there is no position bias",
		Source: "χ² test of uniformity",
		Others: "p-value",
	},
	scoring.WithoutVerdictTerm,
}...)
