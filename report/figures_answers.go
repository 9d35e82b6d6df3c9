package report

import (
	"fmt"

	"gavel/scoring"
)

func answerSketches(all []Run) []sketch {
	runs := withNames(all)
	var plates []plate
	for _, r := range runs {
		if groups := groupsOf(r.Report); len(groups) > 1 {
			plates = append(plates, plate{r.name, answerChart(r, groups)})
		}
	}
	return []sketch{{
		id: "accuracy", title: "Generation accuracy",
		caption: []string{fmt.Sprintf("Share of questions that the model itself answers right. From %s. %s", counted(runs, items, "question"), levels(runs[0]))},
		plates: []plate{{"", DotPlot{
			X: percentAxis("right, percent"), Of: "run", Series: []string{"right"}, Rows: overall(runs, scoring.GenerationAccuracy),
		}}},
	}, {
		id: "accuracy-groups", title: "Generation accuracy by category",
		caption: []string{"Share of questions answered right, by category, and what guessing among the options comes to, where there are options; n is in the table. " + levels(runs[0])}, plates: plates,
	}}
}

// answerChart is a run by category, beside chance where it is known of all.
func answerChart(r namedRun, groups []string) DotPlot {
	d := DotPlot{X: percentAxis("right, percent"), Of: "category", Series: []string{"right", "chance"}}
	d.Rows = r.rows(groups, scoring.GenerationAccuracy, scoring.Chance)
	for _, row := range d.Rows {
		if !row.Dots[1].ok() {
			d.Series, d.Rows = d.Series[:1], r.rows(groups, scoring.GenerationAccuracy)
			break
		}
	}
	return d
}
