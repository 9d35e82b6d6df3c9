package answer

import (
	"fmt"

	"gavel/internal/report"
	"gavel/internal/report/figure"
	"gavel/scoring"
)

func figures(runs []report.Run) []figure.Spec {
	shares := report.Shares{Metric: scoring.GenerationAccuracy, Name: "right", Beside: Chance}
	return append([]figure.Spec{{
		ID:    "accuracy",
		Title: "Generation accuracy",
		Caption: []string{fmt.Sprintf("Share of questions that the model itself answers right. From %s. %s",
			report.Counted(runs, report.Items, "question"), report.IntervalNote(runs[0].Report))},
		Panels: shares.Overall(runs),
	}, {
		ID:    "accuracy-groups",
		Title: "Generation accuracy by category",
		Caption: []string{"Share of questions answered right, by category, and what guessing among the options " +
			"comes to, where there are options; n is in the table. " + report.IntervalNote(runs[0].Report)},
		Panels: shares.ByCategory(runs),
	}}, report.Reliability(runs, "answers")...)
}
