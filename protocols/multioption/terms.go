package multioption

import "gavel/scoring"

const paper = "Grade Score, arXiv 2406.12043"

// terms say the metrics of several options in words (PROTOCOLS.md §3).
var terms = []scoring.Term{
	{
		Metric: GradeScore,
		Called: []string{"Grade score"},
		Plain:  "chooses the option and not the position: harmonic mean of LLM score and choice score, from 0 to 1",
		Source: paper,
		Chance: "above 0: see grade-random",
	},
	{
		Metric: LLMScore,
		Called: []string{"LLM score"},
		Plain:  "how evenly the positions are chosen; 1 is no position bias",
		Source: paper,
		Others: "normalised entropy",
	},
	{
		Metric: ChoiceScore,
		Called: []string{"choice score"},
		Plain:  "how often the same option is chosen, wherever it is shown",
		Source: paper,
		Others: "mode frequency",
	},
	{
		Metric: "*" + overRandom,
		Called: []string{"random 0 to perfect 1"},
		Plain:  "how far the judge is on the way from a random judge (0) to a perfect one (1)",
		Source: "(judge − random) / (perfect − random)",
		Others: "chance-corrected score",
	},
	{
		Metric: "*" + OfRandom,
		Called: []string{"random judge", "random judge %", "Grade, random"},
		Plain:  "the score of a judge that names positions at random, on the same items",
		Source: "exact, or simulated",
		Others: "random baseline",
	},
	{
		Metric: "*" + OfFirst,
		Called: []string{"always first"},
		Plain:  "the score of a judge that always names the first position, on the same items",
		Source: "computed",
		Others: "position baseline",
	},
	{
		Metric: GradeScore + byUsable,
		Called: []string{"Grade score, usable"},
		Plain:  "Grade score over the judgments that have a verdict, as the authors count",
		Source: paper,
	},
	{
		Metric: GradeScore + byStrict,
		Called: []string{"Grade score, strict"},
		Plain:  "Grade score over all judgments: one without a verdict chooses nothing",
		Source: "gavel",
	},
	{
		Metric: optionAccuracy,
		Called: []string{"right (*) %", "right %"},
		Plain:  "judgments that name the best option (of the goal worst: the worst)",
		Source: "share of judgments, mean over items",
		Others: "accuracy",
	},
	{
		Metric: modeAccuracy,
		Called: []string{"right most often %"},
		Plain:  "items of which the option chosen most often is the right one",
		Source: "share of items",
		Others: "majority vote, self-consistency",
	},
	{
		Metric: sameChoice,
		Called: []string{"always the same option %"},
		Plain:  "items with the same choice in every order",
		Source: "share of items",
		Others: "consistency",
	},
	{
		Metric: UnrelatedRate,
		Called: []string{"the unrelated option %"},
		Plain:  "judgments that choose the option that answers another question",
		Source: "share of judgments with a verdict",
		Others: "attention check",
	},
	{
		Metric: "place-*",
		Plain:  "how often the option at this position is chosen",
		Source: "share of judgments with a verdict",
		Others: "position bias",
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
}
