package multioption

import (
	"slices"
	"strconv"

	"gavel/internal/report"
	"gavel/internal/report/figure"
)

// figures say how the scores of the Grade Score paper (arXiv 2406.12043) come about.
func figures(runs []report.Run) []figure.Spec {
	of := report.Counted(runs, report.Items, "item")
	positions := positionPanels(runs)
	return append([]figure.Spec{
		{
			ID:     "grade",
			Title:  "LLM score against choice score",
			Panels: []figure.Panel{{Chart: gradeChart(runs)}},
			Caption: []string{"LLM score: how evenly the positions are chosen (1 is no order bias); choice score: " +
				"how stable the choice is. The Grade score of an item is their harmonic mean. " +
				"Hollow: what judges without judgment score on the same items. From " + of +
				"; upright lines are intervals of the LLM score."},
		}, {
			ID:     "places",
			Title:  "How often each position is chosen",
			Panels: positions,
			Folded: len(positions) > 12,
			Caption: []string{"Share of the judgments with a verdict that choose each position, " +
				"by number of options. The dashed line is an even share. From " + of +
				"; n in the table counts judgments, and the χ² test stands with each run."},
		},
	}, report.Reliability(runs, "judgments")...)
}

// gradeChart has a point per run, and one for each judge without judgment.
func gradeChart(runs []report.Run) figure.Scatter {
	s := figure.Scatter{
		X:        figure.Unit("choice score"),
		Y:        figure.Unit("LLM score"),
		Of:       "run",
		Numbered: true,
	}
	point := func(r report.Run, name, suffix string) figure.Point {
		return figure.Point{
			Name: name,
			X:    figure.DotOf(r.Overall(ChoiceScore + suffix)),
			Y:    figure.DotOf(r.Overall(LLMScore + suffix)),
		}
	}
	for k, kind := range report.Part(runs, unrelated) {
		series := figure.Series{Name: "without an unrelated option", Look: k}
		if unrelated(kind[0]) {
			series.Name = "with one"
		}
		for _, r := range kind {
			series.Points = append(series.Points, point(r, r.Name, ""))
		}
		s.Series = append(s.Series, series)
	}
	for k, judge := range []struct{ suffix, name string }{
		{suffix: OfRandom, name: "a random judge"},
		{suffix: OfFirst, name: "an always-first judge"},
	} {
		series := figure.Series{Name: judge.name, Look: 2 + k, Hollow: true}
		for _, r := range runs {
			name := judge.name + " on " + r.Dataset
			if unrelated(r) {
				name += " with an unrelated option"
			}
			p := point(r, name, judge.suffix)
			if p.X.Defined() && p.Y.Defined() && !slices.ContainsFunc(series.Points, func(q figure.Point) bool {
				return *q.X.Value == *p.X.Value && *q.Y.Value == *p.Y.Value
			}) {
				series.Points = append(series.Points, p)
			}
		}
		s.Series = append(s.Series, series)
	}
	return s
}

// unrelated tells whether the items had an unrelated option.
func unrelated(r report.Run) bool { return r.Overall(UnrelatedRate).N > 0 }

// positionPanels are a panel for each run and number of options.
func positionPanels(runs []report.Run) []figure.Panel {
	var panels []figure.Panel
	for _, r := range runs {
		for _, g := range r.Groups() {
			b := figure.DotPlot{
				X:      figure.Percent("chosen, percent"),
				Of:     "position",
				Series: []string{"chosen"},
				Marked: "an even share",
			}
			for position := 1; ; position++ {
				x := r.Result(PositionMetric+strconv.Itoa(position), g, "")
				if x.Metric == "" {
					break
				}
				b.Rows = append(b.Rows,
					figure.DotRow{Label: strconv.Itoa(position), Dots: []figure.Dot{figure.DotOf(x)}})
			}
			if n := len(b.Rows); n > 0 {
				b.Mark = new(100 / float64(n))
				panels = append(panels, figure.Panel{Title: figure.Joined(r.Name, g), Chart: b})
			}
		}
	}
	return panels
}
