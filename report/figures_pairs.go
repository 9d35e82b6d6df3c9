package report

import (
	"fmt"

	"gavel/scoring"
)

// coins is what two coins score in strict.
const coins = 25

func pairSketches(all []Run) []sketch {
	runs := withNames(all)
	of := counted(runs, items, "pair")
	chance := of25()
	s := []sketch{{
		id: "strict", title: "Strict accuracy",
		caption: []string{"Share of pairs judged right in both orders. From " + of + ". " + levels(runs[0])},
		plates: []plate{{"", DotPlot{
			X: percentAxis("strict, percent"), Of: "run", Series: []string{"strict"}, Rows: overall(runs, "strict"), Mark: chance, Marked: "two coins score 25",
		}}},
	}, {
		id: "position", title: "What is read first, against consistency",
		caption: []string{"How often the judge prefers what it reads first, over how often both orders come to the same verdict. A judge at 50 is not drawn by the place; one that always names the first place is at 0 consistency and at 100 (pairwise), or at 0 where it names the worse (reversed). From " + of + "; each rate is of the pairs, and of the games, that have a verdict. Upright lines are intervals of the first-position rate."},
		plates:  []plate{{"", positionChart(runs)}},
	}}
	if groups := groupPlates(runs); len(groups) > 0 {
		s = append(s, sketch{
			id: "groups", title: "Strict accuracy by category", caption: []string{"Share of pairs judged right in both orders, by category; n is in the table. " + levels(runs[0])}, plates: groups,
		})
	}
	if lines := reliability(runs); len(lines) > 0 {
		s = append(s, sketch{
			id: "reliability", title: "Is the judge as often right as it is sure?",
			caption: []string{"Reliability diagram: the share of right games over the mean confidence, in ten bins of confidence; n is the games of a bin. Below the dashed line the judge is surer than it is right. From the decided games whose label probabilities the server told, in the title of each panel."}, plates: lines,
		})
	}
	return s
}

func of25() *float64 { c := float64(coins); return &c }

func positionChart(runs []namedRun) Scatter {
	s := Scatter{
		X: percentAxis("consistency, percent"), Y: percentAxis("first-position, percent"), Of: "run", Numbered: true,
		Guides: []Guide{{Name: "no position bias", Look: -1, Line: Dashed, At: []XY{{0, 50}, {100, 50}}}},
	}
	for k, kind := range part(runs, func(r namedRun) string { return r.Protocol }) {
		series := Series{Name: kind[0].Protocol, Look: k}
		for _, r := range kind {
			series.Points = append(series.Points, Point{
				Name: r.name, X: dotOf(at(r.Report, "consistency", scoring.Overall, "")), Y: dotOf(at(r.Report, "first-position", scoring.Overall, "")),
			})
		}
		s.Series = append(s.Series, series)
	}
	return s
}

// groupPlates are a panel for each run that has categories.
func groupPlates(runs []namedRun) []plate {
	var plates []plate
	for _, r := range runs {
		if groups := groupsOf(r.Report); len(groups) > 1 {
			plates = append(plates, plate{r.name, DotPlot{
				X: percentAxis("strict, percent"), Of: "category", Series: []string{"strict"}, Rows: r.rows(groups, "strict"), Mark: of25(), Marked: "two coins score 25",
			}})
		}
	}
	return plates
}

func reliability(runs []namedRun) []plate {
	var plates []plate
	for _, r := range runs {
		c := r.Calibration
		if c == nil {
			continue
		}
		series := Series{Name: "judge", Line: Solid}
		for _, b := range c.Bins {
			if b.N > 0 {
				series.Points = append(series.Points, Point{
					Name: fmt.Sprintf("%.1f to %.1f", b.From, b.To), X: Dot{Value: b.Confidence, N: b.N}, Y: Dot{Value: b.Accuracy, N: b.N},
				})
			}
		}
		plates = append(plates, plate{fmt.Sprintf("%s (%d games)", r.name, c.N), Scatter{
			X: Axis{"confidence", 0, 1, 4}, Y: Axis{"share right", 0, 1, 4}, Of: "confidence", Series: []Series{series},
			Guides: []Guide{{Name: "as right as sure", Look: -1, Line: Dashed, At: []XY{{0, 0}, {1, 1}}}},
		}})
	}
	return plates
}
