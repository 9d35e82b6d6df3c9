package multioption

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gavel/internal/report"
	"gavel/internal/report/figure"
)

// The tables of the Grade Score paper (arXiv 2406.12043) as figures, and how the scores come about.
func figures(runs []report.Run) []figure.Spec {
	of := report.Counted(runs, report.Items, "item")
	positions := positionPanels(runs)
	s := []figure.Spec{{
		ID: "grade", Title: "LLM score against choice score", Panels: []figure.Panel{{Chart: gradeChart(runs)}},
		Caption: []string{"LLM score: how evenly the positions are chosen (1 is no order bias); choice score: " +
			"how stable the choice is. On a dotted line the Grade score, their harmonic mean, is the same; " +
			"that of a run is the mean over its items and need not lie on the line of its two means. " +
			"Hollow: what judges without judgment score on the same items. From " + of +
			"; upright lines are intervals of the LLM score."},
	}, {
		ID: "places", Title: "How often each position is chosen", Panels: positions, Folded: len(positions) > 12,
		Caption: []string{"Share of the judgments with a verdict that choose each position, " +
			"by number of options. The dashed line is an even share. From " + of +
			"; n in the table counts judgments, and the χ² test stands with each run."},
	}}
	s = append(s, report.Reliability(runs, "judgments")...)
	if len(runs) < 2 {
		return s
	}
	for _, score := range []struct{ id, metric, title, table string }{
		{
			id:     "table-1",
			metric: GradeScore,
			title:  "Grade score",
			table:  "1",
		}, {
			id:     "table-2",
			metric: LLMScore,
			title:  "LLM score",
			table:  "2",
		}, {
			id:     "table-3",
			metric: ChoiceScore,
			title:  "Choice score",
			table:  "3",
		},
	} {
		s = append(s, figure.Spec{
			ID: score.id, Title: score.title + " by prompt", Panels: promptPanels(runs, score.metric, score.title),
			Caption: []string{
				fmt.Sprintf("%s of each prompt with and without an unrelated option, as in Table %s of the "+
					"paper. From %s. %s", score.title, score.table, of, report.IntervalNote(runs[0].Report)),
			},
		})
	}
	return s
}

// isolines are lines of equal Grade score g: 1/x + 1/y = 2/g, walked in even
// steps of 1/x, which are close where the line bends.
func isolines() []figure.Guide {
	const steps = 60
	var lines []figure.Guide
	for tenths := 2; tenths <= 9; tenths++ {
		g := float64(tenths) / 10
		line := figure.Guide{End: strconv.FormatFloat(g, 'f', 1, 64), Look: -1, Line: figure.Dotted}
		for k := range steps + 1 {
			u := 1 + (2/g-2)*(1-float64(k)/steps)
			line.At = append(line.At, [2]float64{1 / u, 1 / (2/g - u)})
		}
		lines = append(lines, line)
	}
	lines[0].Name = "equal Grade score"
	return lines
}

// gradeChart has a point per run, and one for each judge without judgment.
func gradeChart(runs []report.Run) figure.Scatter {
	s := figure.Scatter{
		X:        figure.Unit("choice score"),
		Y:        figure.Unit("LLM score"),
		Of:       "run",
		Numbered: true,
		Guides:   isolines(),
	}
	score := func(r report.Run, suffix string) (x, y figure.Dot) {
		return figure.DotOf(r.Overall(ChoiceScore + suffix)), figure.DotOf(r.Overall(LLMScore + suffix))
	}
	for k, kind := range report.Part(runs, unrelated) {
		series := figure.Series{Name: "without an unrelated option", Look: k}
		if unrelated(kind[0]) {
			series.Name = "with one"
		}
		for _, r := range kind {
			x, y := score(r, "")
			series.Points = append(series.Points, figure.Point{Name: r.Name, X: x, Y: y})
		}
		s.Series = append(s.Series, series)
	}
	for k, judge := range []struct{ suffix, name string }{
		{OfRandom, "a random judge"},
		{OfFirst, "an always-first judge"},
	} {
		series := figure.Series{Name: judge.name, Look: 2 + k, Hollow: true}
		for _, r := range runs {
			p := figure.Point{Name: judge.name + " on " + r.Dataset}
			p.X, p.Y = score(r, judge.suffix)
			if unrelated(r) {
				p.Name += " with an unrelated option"
			}
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
			b := figure.Bars{
				Y:      figure.Axis{Label: "chosen, percent", Decimals: 2},
				Of:     "position",
				Series: []string{"chosen"},
				Marked: "an even share",
			}
			for position := 1; ; position++ {
				x := r.Result(PositionMetric+strconv.Itoa(position), g, "")
				if x.Metric == "" {
					break
				}
				b.Categories = append(b.Categories,
					figure.DotRow{Label: strconv.Itoa(position), Dots: []figure.Dot{figure.DotOf(x)}})
			}
			if n := len(b.Categories); n > 0 {
				b.Mark = new(100 / float64(n))
				panels = append(panels, figure.Panel{Title: figure.Joined(r.Name, g), Chart: b})
			}
		}
	}
	return panels
}

// promptPanels are a panel for each judge: a score of every prompt, with and without an unrelated option.
func promptPanels(runs []report.Run, metric, label string) []figure.Panel {
	var panels []figure.Panel
	for _, judge := range report.Part(runs, func(r report.Run) [3]string {
		return [3]string{r.Model, r.Dataset, r.Goal}
	}) {
		b := figure.Bars{Y: figure.Unit(label), Of: "prompt", Series: []string{"without", "with an unrelated option"}}
		asked := func(r report.Run) string { return figure.Joined(r.Prompt, report.Settings(r.Report)) }
		for _, same := range report.Part(judge, asked) {
			row := figure.DotRow{Label: asked(same[0]), Dots: make([]figure.Dot, 2)}
			for _, r := range same {
				side := 0
				if unrelated(r) {
					side = 1
				}
				if !row.Dots[side].Defined() { // of two runs alike, the first
					row.Dots[side] = figure.DotOf(r.Overall(metric))
				}
			}
			b.Categories = append(b.Categories, row)
		}
		b.Categories, b.Series = tried(b.Categories, b.Series)
		slices.SortStableFunc(b.Categories, func(a, b figure.DotRow) int { return cmp.Compare(a.Label, b.Label) })
		panels = append(panels, figure.Panel{Title: figure.Joined(judge[0].Model, judge[0].Dataset, judge[0].Goal), Chart: b})
	}
	return panels
}

// tried drops the series that no run was made for.
func tried(rows []figure.DotRow, series []string) ([]figure.DotRow, []string) {
	for k := len(series) - 1; k >= 0; k-- {
		if slices.ContainsFunc(rows, func(r figure.DotRow) bool { return r.Dots[k].Defined() }) {
			continue
		}
		series = slices.Delete(slices.Clone(series), k, k+1)
		for i := range rows {
			rows[i].Dots = slices.Delete(slices.Clone(rows[i].Dots), k, k+1)
		}
	}
	return rows, series
}
