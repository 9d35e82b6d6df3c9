package pairwise

import "gavel/scoring"

// terms say the metrics of pairs in words (PROTOCOLS.md §1).
var terms = []scoring.Term{
	{
		Metric: "strict",
		Plain:  "pairs that are judged right in both orders; a tie or a missing verdict is wrong",
		Source: "GRP, arXiv 2503.06139",
		Others: "GRP: accuracy",
		Chance: "25",
	},
	{
		Metric: "counter",
		Plain:  "pairs with more right judgments than wrong ones; a tie or a missing verdict counts neither way",
		Source: "JudgeBench, arXiv 2410.12784",
		Others: "JudgeBench: accuracy",
		Chance: "25, more if it sometimes ties",
	},
	{
		Metric: "first-order",
		Plain:  "right judgments in the published order",
		Source: "share of pairs",
		Others: "LLMBar averages it with second-order: Acc.",
		Chance: "50",
	},
	{
		Metric: "second-order",
		Plain:  "right judgments in the swapped order",
		Source: "share of pairs",
		Others: "LLMBar averages it with first-order: Acc.",
		Chance: "50",
	},
	{
		Metric: "half-tie",
		Plain:  "like counter, and a draw earns half a point",
		Source: "gavel",
		Others: "Arena-Hard: a tie is half a win",
		Chance: "50",
	},
	{
		Metric: "drop",
		Plain:  "strict among the pairs that have two verdicts for a response",
		Source: "gavel",
		Others: "accuracy without unparsed replies",
		Chance: "25",
	},
	{
		Metric: "consistency",
		Plain:  "pairs in which both orders name the same response, right or wrong",
		Source: "MT-Bench, arXiv 2306.05685",
		Others: "LLMBar: positional agreement rate (Agr.); MT-Bench: consistency",
		Chance: "50",
	},
	{
		Metric: "first-position",
		Plain:  "judgments that prefer the response shown first; 50 is no position bias",
		Source: "MT-Bench, arXiv 2306.05685",
		Others: "position bias, primacy bias; MT-Bench: biased toward first",
		Chance: "50",
	},
	{
		Metric: StrictOwnRight,
		Plain:  "strict, among the pairs whose question the judge itself answers right",
		Source: "gavel",
	},
	{
		Metric: StrictOwnWrong,
		Plain:  "strict, among the pairs whose question the judge itself answers wrong",
		Source: "gavel",
	},
	{
		Metric: scoring.GenerationAccuracy,
		Plain:  "questions that the judge itself answers right",
		Source: "self-reference, arXiv 2509.19880, Eq. 3",
		Others: "accuracy, exact match",
	},
	{
		Metric: correlationGJ,
		Plain:  "how closely \"can answer\" and \"can judge\" go together, from −1 to 1",
		Source: "Pearson's r; self-reference, arXiv 2509.19880, Eq. 13",
		Others: "paper: r_GJ; phi coefficient",
		Chance: "0",
	},
	{
		Metric: StyleBias,
		Plain: "points by which strict is higher on pairs whose right response looks the better (easy) " +
			"than on those where it looks the worse (hard)",
		Source: "gavel, from RM-Bench, arXiv 2410.16184",
		Others: "RM-Bench: easy less hard accuracy",
		Chance: "0",
	},
	{
		Metric: "coverage",
		Plain: "how much is answered: judgments that are sure enough; " +
			"of two goals taken as one judge, pairs on which all four judgments agree",
		Source: "share of judgments, of pairs",
		Others: "selective prediction: coverage",
	},
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
		Metric: soft,
		Called: []string{"soft verdict"},
		Plain: "pairs whose label probabilities, those of both orders averaged in log space, " +
			"favour the labelled response; even odds earn a half",
		Source: "gavel",
		Others: "debiased accuracy; swap-averaged log-odds",
		Chance: "50",
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
