package selfreference

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/figure"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// The figures of the self-reference paper (arXiv 2509.19880): 1 and 12, 2 and 13
// to 17, 4, and what its Tables 3 and 4 say in numbers.
func figures(runs []report.Run) []figure.Spec {
	of := report.Counted(runs, func(r report.Run) int { return r.Overall(AgentAccuracy).N }, "judgment")
	looks := families(runs)
	var byMode, byGroup, heat, both []figure.Panel
	caption := []string{"F1 of “Correct” with and without the judge's own answer as reference, over " +
		"how often that answer is right; thin lines join the two of a judge. From " + of + ", in each mode."}
	for _, set := range report.Part(runs, func(r report.Run) string { return r.Dataset }) {
		set = report.Named(set)
		for _, mode := range []string{ModeCoT, ModeSelf} {
			with := slices.DeleteFunc(slices.Clone(set), func(r report.Run) bool { return !r.Has(mode) })
			if len(with) == 0 {
				continue
			}
			title := set[0].Dataset + ", " + modeName(mode)
			byMode = append(byMode, figure.Panel{Title: title, Chart: generationChart(with, looks, scoring.Overall, mode)})
			heat = append(heat, figure.Panel{Title: title, Chart: subsetChart(with, mode)})
			for _, g := range groupsOfAll(with) {
				byGroup = append(byGroup, figure.Panel{Title: title + ", " + g, Chart: generationChart(with, looks, g, mode)})
			}
		}
		if chart, notes := modesChart(set); len(notes) > 0 {
			both = append(both, figure.Panel{Title: set[0].Dataset, Chart: chart})
			caption = append(caption, set[0].Dataset+": "+notes)
		}
	}
	area := " Colour and shape: family, guessed from the model's name. Area: " +
		"number of parameters, as the server reports it; the smallest area where it does not. " +
		"Numbers are explained in the table. Upright lines are intervals of F1."
	return append([]figure.Spec{
		{ID: "generation", Title: "Generation accuracy against F1", Panels: byMode,
			Caption: []string{"F1 of “Correct” over how often the judge's own answer is right, " +
				"a point per judge. From " + of + "." + area}},
		{ID: "modes", Title: "CoT against self-reference", Panels: both, Caption: caption},
		{ID: "subsets", Title: "The four subsets", Panels: heat,
			Caption: []string{"Accuracy of the judgments by whether the judge's own answer is right and whether " +
				"the agent's is. From " + of + "; the n of every cell is in the table. A judge that says " +
				"“Correct” to everything is at 100 where the agent is right and at 0 where it is wrong."}},
		{ID: "partial", Title: "Partial correlation, before and after",
			Caption: []string{"What the judge's own answer being right (G) and its judgment being right " +
				"(J) have in common beside the agent's answer being right (A): r(G,J|A), " +
				"by CoT and with self-reference. From " + of + ". " + report.IntervalNote(runs[0].Report)},
			Panels: []figure.Panel{{Chart: partialChart(runs)}}},
		{
			ID:      "generation-groups",
			Title:   "Generation accuracy against F1, by category and agent",
			Panels:  byGroup,
			Folded:  true,
			Caption: []string{"As the figure over all, for each category and each agent; n is in the table." + area},
		},
	}, report.Reliability(runs, "judgments")...)
}

func modeName(mode string) string {
	if mode == ModeSelf {
		return "self-reference"
	}
	return "CoT"
}

// groupsOfAll are the groups that any of the runs has, beside all.
func groupsOfAll(runs []report.Run) []string {
	var groups []string
	for _, r := range runs {
		for _, g := range r.Groups() {
			if g != scoring.Overall && !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

var leadingLetters = regexp.MustCompile(`^\pL{3,}`)

// familyOf guesses a model's family: the letters that its name begins with, the
// publisher aside. A name without has none but itself.
func familyOf(model string) string {
	name := strings.ToLower(path.Base(model))
	return cmp.Or(leadingLetters.FindString(name), name)
}

// families numbers the families of runs, by name.
func families(runs []report.Run) map[string]int {
	looks := map[string]int{}
	for _, r := range runs {
		looks[familyOf(r.Model)] = 0
	}
	for i, f := range slices.Sorted(maps.Keys(looks)) {
		looks[f] = i
	}
	return looks
}

var parameterCount = regexp.MustCompile(`^(?:(\d+)x)?(\d+(?:\.\d+)?)\s*([KMBT])$`)

// parameters reads a number of parameters as servers write it: "8.0B", "276K", "8x7B"; 0 where that is none.
func parameters(size string) float64 {
	m := parameterCount.FindStringSubmatch(strings.TrimSpace(size))
	if m == nil {
		return 0
	}
	times, _ := strconv.ParseFloat(cmp.Or(m[1], "1"), 64)
	n, _ := strconv.ParseFloat(m[2], 64)
	return times * n * map[string]float64{"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[m[3]]
}

// generationChart is a group in a mode: a point per judge.
func generationChart(runs []report.Run, looks map[string]int, group, mode string) figure.Scatter {
	s := figure.Scatter{
		X:        figure.Axis{Label: "generation accuracy, percent", Decimals: 2},
		Y:        figure.Axis{Label: "F1, percent", Decimals: 2},
		Of:       "judge",
		Numbered: true,
		SizeOf:   "parameters",
	}
	for _, family := range report.Part(runs, func(r report.Run) string { return familyOf(r.Model) }) {
		series := figure.Series{Name: familyOf(family[0].Model), Look: looks[familyOf(family[0].Model)]}
		for _, r := range family {
			size := parameters(r.Size)
			s.Largest = max(s.Largest, size)
			series.Points = append(series.Points, figure.Point{
				Name:   r.Name,
				X:      figure.DotOf(r.Result(scoring.GenerationAccuracy, group, "")),
				Y:      figure.DotOf(r.Result(F1, group, mode)),
				Size:   size,
				Detail: r.Size,
			})
		}
		s.Series = append(s.Series, series)
	}
	return s
}

// subsetChart is the paper's Figure 2.
func subsetChart(runs []report.Run, mode string) figure.Heatmap {
	h := figure.Heatmap{
		Scale: figure.Percent("accuracy, percent"), Of: "judge",
		Columns: []string{
			"judge right,\nagent right", "judge right,\nagent wrong", "judge wrong,\nagent right",
			"judge wrong,\nagent wrong",
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
		Series: []string{"CoT", "self-reference"},
		Joined: true,
		Mark:   new(0.0),
	}
	for _, r := range runs {
		row := figure.DotRow{Label: r.Name}
		for _, mode := range []string{ModeCoT, ModeSelf} {
			row.Dots = append(row.Dots, figure.DotOf(r.Result(PartialGJ, scoring.Overall, mode)))
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

// modesChart is the paper's Figure 4, on the judges of a dataset that were asked both ways, with what to say of the
// lines through them. Without such a judge there is nothing to say.
func modesChart(runs []report.Run) (s figure.Scatter, said string) {
	s = figure.Scatter{
		X:        figure.Axis{Label: "generation accuracy, percent", Decimals: 2},
		Y:        figure.Axis{Label: "F1, percent", Decimals: 2},
		Of:       "judge",
		Numbered: true,
	}
	cot, self := figure.Series{Name: "CoT", Look: 0}, figure.Series{Name: "self-reference", Look: 1}
	var x, y0, y1 []float64
	for _, r := range runs {
		if !r.Has(ModeCoT) || !r.Has(ModeSelf) {
			continue
		}
		own := figure.DotOf(r.Overall(scoring.GenerationAccuracy))
		a, b := figure.DotOf(r.Result(F1, scoring.Overall, ModeCoT)), figure.DotOf(r.Result(F1, scoring.Overall, ModeSelf))
		cot.Points = append(cot.Points, figure.Point{Name: r.Name, X: own, Y: a})
		self.Points = append(self.Points, figure.Point{Name: r.Name, X: own, Y: b})
		if own.Defined() && a.Defined() && b.Defined() {
			x = append(x, *own.Value)
			y0 = append(y0, *a.Value)
			y1 = append(y1, *b.Value)
			s.Guides = append(s.Guides, figure.Guide{
				Look: -1,
				Line: figure.Solid,
				At:   [][2]float64{{*own.Value, *a.Value}, {*own.Value, *b.Value}},
			})
		}
	}
	s.Series = []figure.Series{cot, self}
	if len(cot.Points) == 0 {
		return s, ""
	}
	return crossing(s, x, y0, y1)
}

// crossing adds the lines through both modes, and where they cross.
func crossing(s figure.Scatter, x, cot, self []float64) (figure.Scatter, string) {
	a, ok := scoring.FitLine(x, cot)
	b, _ := scoring.FitLine(x, self)
	if !ok {
		return s, table.Count(len(x),
			"judge") + " with both modes: no line is fitted to fewer than three, nor to judges of one accuracy."
	}
	low, high := slices.Min(x), slices.Max(x)
	s.Guides = append(s.Guides,
		figure.Guide{Name: "fit, CoT", Look: 0, Line: figure.Dashed, At: [][2]float64{{low, a.At(low)}, {high, a.At(high)}}},
		figure.Guide{
			Name: "fit, self-reference",
			Look: 1,
			Line: figure.Dotted,
			At:   [][2]float64{{low, b.At(low)}, {high, b.At(high)}},
		})
	lines := fmt.Sprintf("Least-squares lines through n = %d judges: "+
		"F1 = %s by CoT, %s with self-reference, acc being the generation accuracy.", a.N, formula(a), formula(b))
	at, ok := a.Cross(b, low, high)
	if !ok {
		side := "above"
		if b.At((low+high)/2) < a.At((low+high)/2) {
			side = "below"
		}
		return s, lines + fmt.Sprintf(" They do not cross among these judges: "+
			"the line of self-reference is %s the other throughout.", side)
	}
	side := "above"
	if b.Slope < a.Slope {
		side = "below"
	}
	s.Guides = append(s.Guides, figure.Guide{
		Name: fmt.Sprintf("crossing, %.2f", at),
		Look: -1,
		Line: figure.Dashed,
		At:   [][2]float64{{at, -1e4}, {at, 1e4}},
	})
	return s, lines + fmt.Sprintf(" They cross at a generation accuracy of %.2f: "+
		"by these n = %d judges self-reference pays %s it. So few points give no interval.", at, a.N, side)
}

func formula(l scoring.Line) string {
	sign := "+"
	if l.Slope < 0 {
		sign = "−"
	}
	return strings.Replace(fmt.Sprintf("%.2f %s %.4f·acc", l.Intercept, sign, math.Abs(l.Slope)), "-", "−", 1)
}
