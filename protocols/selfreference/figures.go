package selfreference

import (
	"slices"

	"gavel/internal/report"
	"gavel/internal/report/figure"
	"gavel/scoring"
)

// figures are those of the self-reference paper (arXiv 2509.19880): its Figures 1, 4 and 2, and what its Tables 3 and 4
// say in numbers.
func figures(runs []report.Run) []figure.Spec {
	of := report.Counted(runs, func(r report.Run) int { return r.Overall(AgentAccuracy).N }, "judgment")
	var generation, subsets []figure.Panel
	for _, set := range report.Part(runs, func(r report.Run) string { return r.Dataset }) {
		set = report.Named(set)
		dataset := set[0].Dataset
		generation = append(generation, figure.Panel{Title: dataset, Chart: generationChart(set)})
		for _, mode := range modes {
			asked := slices.DeleteFunc(slices.Clone(set), func(r report.Run) bool { return !r.Has(mode) })
			if len(asked) > 0 {
				panel := figure.Panel{Title: dataset + ", " + modeNames[mode], Chart: subsetChart(asked, mode)}
				subsets = append(subsets, panel)
			}
		}
	}
	return append([]figure.Spec{
		{
			ID:     "generation",
			Title:  "Generation accuracy against F1",
			Panels: generation,
			Caption: []string{"F1 of “Correct” with and without the judge's own answer as reference, over how often " +
				"that answer is right; thin lines join the two of a judge. From " + of + ", in each mode. " +
				"Numbers are explained in the table. Upright lines are intervals of F1."},
		}, {
			ID:     "subsets",
			Title:  "The four subsets",
			Panels: subsets,
			Caption: []string{"Accuracy of the judgments by whether the judge's own answer is right and whether " +
				"the agent's is. From " + of + "; the n of every cell is in the table. A judge that says " +
				"“Correct” to everything is at 100 where the agent is right and at 0 where it is wrong."},
		}, {
			ID:     "partial",
			Title:  "Partial correlation, before and after",
			Panels: []figure.Panel{{Chart: partialChart(runs)}},
			Caption: []string{"What the judge's own answer being right (G) and its judgment being right " +
				"(J) have in common beside the agent's answer being right (A): r(G,J|A), " +
				"by CoT and with self-reference. From " + of + ". " + report.IntervalNote(runs[0].Report)},
		},
	}, report.Reliability(runs, "judgments")...)
}

// modeNames are the modes as figures have them.
var modeNames = map[string]string{ModeCoT: "CoT", ModeSelf: "self-reference"}

// generationChart has a point per judge and mode.
func generationChart(runs []report.Run) figure.Scatter {
	s := figure.Scatter{
		X:        figure.Percent("generation accuracy, percent"),
		Y:        figure.Percent("F1, percent"),
		Of:       "judge",
		Numbered: true,
		Series:   []figure.Series{{Name: modeNames[ModeCoT], Look: 0}, {Name: modeNames[ModeSelf], Look: 1}},
	}
	for _, r := range runs {
		own := figure.DotOf(r.Overall(scoring.GenerationAccuracy))
		var line [][2]float64
		for i, mode := range modes {
			if !r.Has(mode) {
				continue
			}
			f1 := figure.DotOf(r.Result(F1, scoring.Overall, mode))
			s.Series[i].Points = append(s.Series[i].Points, figure.Point{Name: r.Name, X: own, Y: f1})
			if own.Defined() && f1.Defined() {
				line = append(line, [2]float64{*own.Value, *f1.Value})
			}
		}
		if len(line) == len(modes) {
			s.Guides = append(s.Guides, figure.Guide{Look: -1, Line: figure.Solid, At: line})
		}
	}
	s.Series = slices.DeleteFunc(s.Series, func(of figure.Series) bool { return of.Points == nil })
	return s
}

// subsetChart is the paper's Figure 2.
func subsetChart(runs []report.Run, mode string) figure.Heatmap {
	h := figure.Heatmap{
		X:  figure.Percent("accuracy, percent"),
		Of: "judge",
		Series: []string{
			"judge right, agent right",
			"judge right, agent wrong",
			"judge wrong, agent right",
			"judge wrong, agent wrong",
		},
	}
	for _, r := range runs {
		row := figure.DotRow{Label: r.Name}
		for _, m := range []string{JPlusCorrect, JPlusIncorrect, JMinusCorrect, JMinusIncorrect} {
			row.Dots = append(row.Dots, figure.DotOf(r.Result(m, scoring.Overall, mode)))
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

func partialChart(runs []report.Run) figure.DotPlot {
	d := figure.DotPlot{
		X:      figure.Unit("r(G,J|A)"),
		Of:     "judge",
		Series: []string{modeNames[ModeCoT], modeNames[ModeSelf]},
		Mark:   new(0.0),
	}
	for _, r := range runs {
		row := figure.DotRow{Label: r.Name}
		for _, mode := range modes {
			row.Dots = append(row.Dots, figure.DotOf(r.Result(PartialGJ, scoring.Overall, mode)))
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}
