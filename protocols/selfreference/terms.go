package selfreference

import "gavel/scoring"

const paper = "self-reference, arXiv 2509.19880, "

// terms say the metrics of self-reference in words (PROTOCOLS.md §2).
var terms = []scoring.Term{
	{
		Metric: scoring.GenerationAccuracy,
		Plain:  "questions that the judge itself answers right",
		Source: paper + "Eq. 3",
		Others: "accuracy, exact match",
	},
	{
		Metric: AgentAccuracy,
		Plain:  "answers of the agents that are right",
		Source: "share of answers",
		Others: "base rate, prevalence",
	},
	{Metric: Accuracy, Plain: "judgments that are right", Source: "share of judgments", Others: "judgment accuracy"},
	{
		Metric: Precision,
		Plain:  "of the answers called Correct, those that are",
		Source: paper + "Eq. 7",
		Others: "positive predictive value",
	},
	{
		Metric: Recall,
		Plain:  "of the right answers, those that are called Correct",
		Source: paper + "Eq. 8",
		Others: "sensitivity, true positive rate",
	},
	{
		Metric: F1,
		Plain:  "precision and recall of Correct in one number: their harmonic mean",
		Source: paper + "Eq. 9",
		Others: "F-measure",
	},
	{
		Metric: F1JPlus,
		Plain:  "F1 where the judge's own answer is right",
		Source: paper + "Tables 1, 6, 7",
		Others: "paper: J+",
	},
	{
		Metric: F1JMinus,
		Plain:  "F1 where the judge's own answer is wrong",
		Source: paper + "Tables 1, 6, 7",
		Others: "paper: J−",
	},
	{
		Metric: F1Delta,
		Plain:  "F1 where the judge's own answer is right minus F1 where it is wrong",
		Source: paper + "Tables 1, 6, 7",
	},
	{
		Metric: Overconfidence,
		Plain:  "how much more it calls Correct than is correct, in points; 0 is best",
		Source: paper + "Tables 2, 8",
		Others: "leniency",
	},
	{
		Metric: "j-plus-*",
		Plain: "judgments where the judge's own answer is right, by whether the agent's is: " +
			"accuracy, and F1 of the one label there",
		Source: paper + "Figure 2",
		Others: "subsets of J+",
	},
	{
		Metric: "j-minus-*",
		Plain: "judgments where the judge's own answer is wrong, by whether the agent's is: " +
			"accuracy, and F1 of the one label there",
		Source: paper + "Figure 2",
		Others: "subsets of J−",
	},
	{
		Metric: CorrelationGJ,
		Plain:  "how closely \"can answer\" and \"can judge\" go together, from −1 to 1",
		Source: "Pearson's r; " + paper + "Eq. 13",
		Others: "paper: r_GJ; phi coefficient",
		Chance: "0",
	},
	{
		Metric: CorrelationGA,
		Plain:  "how closely \"the judge can answer\" and \"the agent can answer\" go together",
		Source: "Pearson's r; " + paper + "Eq. 13",
		Others: "paper: r_GA",
	},
	{
		Metric: CorrelationJA,
		Plain:  "how closely \"judged right\" and \"the agent is right\" go together",
		Source: "Pearson's r; " + paper + "Eq. 13",
		Others: "paper: r_JA",
	},
	{
		Metric: PartialGJ,
		Plain:  "how closely \"can answer\" and \"can judge\" go together, the agent's being right held fixed",
		Source: paper + "Eq. 14",
		Others: "paper: r_GJ|A; a partial correlation",
		Chance: "0",
	},
	scoring.WithoutVerdictTerm,
}
