package pairwise

import (
	"gavel/internal/report"
	"gavel/internal/report/figure"
)

func figures(runs []report.Run) []figure.Spec {
	of := report.Counted(runs, report.Items, "pair")
	shares := report.Shares{
		Metric: "strict",
		Name:   "strict",
		Mark:   new(25.0),
		Marked: "two coins score 25",
	}
	return append([]figure.Spec{{
		ID: "strict", Title: "Strict accuracy",
		Caption: []string{"Share of pairs judged right in both orders. From " + of + ". " +
			report.IntervalNote(runs[0].Report)},
		Panels: shares.Overall(runs),
	}, {
		ID: "position", Title: "What is read first, against consistency",
		Caption: []string{"How often the judge prefers what it reads first, " +
			"over how often both orders come to the same verdict. A judge at 50 is not drawn by the position; " +
			"one that always names the first position is at 0 consistency and at 100 (pairwise), " +
			"or at 0 where it names the worse (reversed). From " + of + "; each rate is of the pairs, and " +
			"of the judgments, that have a verdict. Upright lines are intervals of the first-position rate."},
		Panels: []figure.Panel{{Chart: positionChart(runs)}},
	}, {
		ID:    "groups",
		Title: "Strict accuracy by category",
		Caption: []string{"Share of pairs judged right in both orders, by category; " +
			"n is in the table. " + report.IntervalNote(runs[0].Report)},
		Panels: shares.ByCategory(runs),
	}}, report.Reliability(runs, "judgments")...)
}

func positionChart(runs []report.Run) figure.Scatter {
	s := figure.Scatter{
		X: figure.Percent("consistency, percent"), Y: figure.Percent("first-position, percent"), Of: "run", Numbered: true,
		Guides: []figure.Guide{
			{Name: "no position bias", Look: -1, Line: figure.Dashed, At: [][2]float64{{0, 50}, {100, 50}}},
		},
	}
	for k, kind := range report.Part(runs, func(r report.Run) string { return r.Protocol }) {
		series := figure.Series{Name: kind[0].Protocol, Look: k}
		for _, r := range kind {
			series.Points = append(series.Points, figure.Point{
				Name: r.Name, X: figure.DotOf(r.Overall("consistency")), Y: figure.DotOf(r.Overall("first-position")),
			})
		}
		s.Series = append(s.Series, series)
	}
	return s
}
