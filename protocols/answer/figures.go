package answer

import (
	"fmt"

	"gavel/internal/report"
	"gavel/internal/report/figure"
	"gavel/scoring"
)

func figures(runs []report.Run) []figure.Spec {
	var panels []figure.Panel
	for _, r := range runs {
		if groups := r.Groups(); len(groups) > 1 {
			panels = append(panels, figure.Panel{Title: r.Name, Chart: byCategory(r, groups)})
		}
	}
	return append([]figure.Spec{{
		ID:    "accuracy",
		Title: "Generation accuracy",
		Caption: []string{fmt.Sprintf("Share of questions that the model itself answers right. From %s. %s",
			report.Counted(runs, report.Items, "question"), report.IntervalNote(runs[0].Report))},
		Panels: []figure.Panel{{Chart: figure.DotPlot{
			X:      figure.Percent("right, percent"),
			Of:     "run",
			Series: []string{"right"},
			Rows:   report.Overall(runs, scoring.GenerationAccuracy),
		}}},
	}, {
		ID:    "accuracy-groups",
		Title: "Generation accuracy by category",
		Caption: []string{"Share of questions answered right, by category, and what guessing among the options " +
			"comes to, where there are options; n is in the table. " + report.IntervalNote(runs[0].Report)},
		Panels: panels,
	}}, report.Reliability(runs, "answers")...)
}

// byCategory is a run by category, beside chance where it is known of all.
func byCategory(r report.Run, groups []string) figure.DotPlot {
	d := figure.DotPlot{X: figure.Percent("right, percent"), Of: "category", Series: []string{"right", "chance"}}
	d.Rows = r.Rows(groups, scoring.GenerationAccuracy, Chance)
	for _, row := range d.Rows {
		if !row.Dots[1].Defined() {
			d.Series, d.Rows = d.Series[:1], r.Rows(groups, scoring.GenerationAccuracy)
			break
		}
	}
	return d
}
