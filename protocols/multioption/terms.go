package multioption

import "gavel/scoring"

// Terms define the metrics of several options (PROTOCOLS.md §3) and those of the positions.
var Terms = append(scoring.Terms(scoring.Lay(optionMetrics(scoring.MissingUsable, true), 0)), []scoring.Term{
	{
		Metric: "place-*",
		Label:  "chooses position *",
		Short:  "position *",
		Plain:  "how often the option at this position is chosen",
		Source: "share of judgments with a verdict",
		Others: "position bias",
	},
	{
		Metric: "right-place-*",
		Label:  "correct option at position *",
		Short:  "correct at *",
		Plain:  "how often a right option stands at this position",
		Source: "share of judgments with a verdict, of items with a label",
	},
	{
		Metric: "places-chi-square",
		Label:  "χ² of the positions",
		Short:  "χ²",
		Unit:   scoring.UnitStatistic,
		Plain:  "how far the positions chosen are from even: the larger, the farther",
		Source: "χ² test of uniformity",
		Others: "Pearson's chi-squared",
	},
	{
		Metric: "places-p",
		Label:  "p of even positions",
		Short:  "p",
		Unit:   scoring.UnitStatistic,
		Plain:  "probability of positions at least this uneven if there is no position bias",
		Source: "χ² test of uniformity",
		Others: "p-value",
	},
	scoring.WithoutVerdictTerm,
}...)
