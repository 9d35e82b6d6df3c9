package answer

import "gavel/scoring"

// terms say the metrics of answers in words (PROTOCOLS.md §2).
var terms = []scoring.Term{
	{
		Metric: scoring.GenerationAccuracy,
		Called: []string{"right"},
		Plain:  "questions that the judge itself answers right; a reply without an answer is wrong",
		Source: "self-reference, arXiv 2509.19880, Eq. 3",
		Others: "accuracy, exact match",
	},
	{
		Metric: NoAnswer,
		Called: []string{"no answer"},
		Plain:  "questions whose reply has no answer that can be read",
		Source: "share of questions",
		Others: "parse failures, invalid responses",
	},
	{
		Metric: Chance,
		Plain:  "what guessing among the options would get",
		Source: "mean of 1/options",
		Others: "random baseline",
	},
	{
		Metric: RuleCount + "*",
		Plain:  "how many answers this rule found in the replies",
		Source: "count",
		Others: "answer extraction, filter",
	},
	scoring.WithoutVerdictTerm,
}
