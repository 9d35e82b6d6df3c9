package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel/scoring"
)

// The tables of the Grade Score paper (arXiv 2406.12043) as figures, and how the
// scores come about.
func optionSketches(all []Run) []sketch {
	runs := withNames(all)
	of := counted(runs, items, "item")
	places := placePlates(runs)
	s := []sketch{{
		id: "grade", title: "LLM score against choice score", plates: []plate{{"", gradeChart(runs)}},
		caption: []string{"LLM score: how evenly the places are chosen (1 is no order bias); choice score: how stable the choice is. On a dotted line the Grade score, their harmonic mean, is the same; that of a run is the mean over its items and need not lie on the line of its two means. Hollow: what judges without judgment score on the same items. From " + of + "; upright lines are intervals of the LLM score."},
	}, {
		id: "places", title: "How often each place is chosen", plates: places, folded: len(places) > 12,
		caption: []string{"Share of the judgments with a verdict that choose each place, by number of options. The dashed line is an even share. From " + of + "; n in the table counts judgments, and the χ² test stands with each run."},
	}}
	if len(runs) < 2 {
		return s
	}
	for _, score := range []struct{ id, metric, title, table string }{
		{"table-1", scoring.GradeScore, "Grade score", "1"}, {"table-2", scoring.LLMScore, "LLM score", "2"}, {"table-3", scoring.ChoiceScore, "Choice score", "3"},
	} {
		s = append(s, sketch{
			id: score.id, title: score.title + " by prompt", plates: promptPlates(runs, score.metric, score.title),
			caption: []string{fmt.Sprintf("%s of each prompt with and without an unrelated option, as in Table %s of the paper. From %s. %s", score.title, score.table, of, levels(runs[0]))},
		})
	}
	return s
}

// isolines are lines of equal Grade score g: 1/x + 1/y = 2/g, walked in even
// steps of 1/x, which are close where the line bends.
func isolines() []Guide {
	const steps = 60
	var lines []Guide
	for tenths := 2; tenths <= 9; tenths++ {
		g := float64(tenths) / 10
		line := Guide{End: strconv.FormatFloat(g, 'f', 1, 64), Look: -1, Line: Dotted}
		for k := range steps + 1 {
			u := 1 + (2/g-2)*(1-float64(k)/steps)
			line.At = append(line.At, XY{1 / u, 1 / (2/g - u)})
		}
		lines = append(lines, line)
	}
	lines[0].Name = "equal Grade score"
	return lines
}

// gradeChart has a point per run, and one for each judge without judgment.
func gradeChart(runs []namedRun) Scatter {
	s := Scatter{X: Axis{"choice score", 0, 1, 4}, Y: Axis{"LLM score", 0, 1, 4}, Of: "run", Numbered: true, Guides: isolines()}
	score := func(r namedRun, suffix string) (x, y Dot) {
		return dotOf(at(r.Report, scoring.ChoiceScore+suffix, scoring.Overall, "")), dotOf(at(r.Report, scoring.LLMScore+suffix, scoring.Overall, ""))
	}
	for k, kind := range part(runs, func(r namedRun) string { return strconv.FormatBool(r.unrelated()) }) {
		series := Series{Name: "without an unrelated option", Look: k}
		if kind[0].unrelated() {
			series.Name = "with one"
		}
		for _, r := range kind {
			x, y := score(r, "")
			series.Points = append(series.Points, Point{Name: r.name, X: x, Y: y})
		}
		s.Series = append(s.Series, series)
	}
	for k, judge := range []struct{ suffix, name string }{{scoring.OfRandom, "a random judge"}, {scoring.OfFirst, "an always-first judge"}} {
		series := Series{Name: judge.name, Look: 2 + k, Hollow: true}
		for _, r := range runs {
			p := Point{Name: judge.name + " on " + r.Dataset}
			p.X, p.Y = score(r, judge.suffix)
			if r.unrelated() {
				p.Name += " with an unrelated option"
			}
			if p.ok() && !slices.ContainsFunc(series.Points, func(q Point) bool { return *q.X.Value == *p.X.Value && *q.Y.Value == *p.Y.Value }) {
				series.Points = append(series.Points, p)
			}
		}
		s.Series = append(s.Series, series)
	}
	return s
}

// unrelated tells whether the items had an unrelated option.
func unrelated(r scoring.Report) bool {
	return at(r, scoring.UnrelatedRate, scoring.Overall, "").N > 0
}

func (r namedRun) unrelated() bool { return unrelated(r.Report) }

// placePlates are a panel for each run and number of options.
func placePlates(runs []namedRun) []plate {
	var plates []plate
	for _, r := range runs {
		for _, g := range groupsOf(r.Report) {
			b := Bars{Y: Axis{Label: "chosen, percent", Decimals: 2}, Of: "place", Series: []string{"chosen"}, Marked: "an even share"}
			for place := 1; ; place++ {
				x := at(r.Report, scoring.PlaceMetric+strconv.Itoa(place), g, "")
				if x.Metric == "" {
					break
				}
				b.Categories = append(b.Categories, DotRow{strconv.Itoa(place), []Dot{dotOf(x)}})
			}
			if n := len(b.Categories); n > 0 {
				even := 100 / float64(n)
				b.Mark = &even
				plates = append(plates, plate{joined(r.name, g), b})
			}
		}
	}
	return plates
}

// promptPlates are a panel for each judge: a score of every prompt, with and
// without an unrelated option.
func promptPlates(runs []namedRun, metric, label string) []plate {
	var plates []plate
	for _, judge := range part(runs, func(r namedRun) string { return strings.Join([]string{r.Model, r.Dataset, r.Goal}, "\x00") }) {
		b := Bars{Y: Axis{label, 0, 1, 4}, Of: "prompt", Series: []string{"without", "with an unrelated option"}}
		for _, same := range part(judge, func(r namedRun) string { return joined(r.Prompt, otherSettings(r.Settings)) }) {
			row := DotRow{joined(same[0].Prompt, otherSettings(same[0].Settings)), make([]Dot, 2)}
			for _, r := range same {
				side := 0
				if r.unrelated() {
					side = 1
				}
				if !row.Dots[side].ok() { // of two runs alike, the first
					row.Dots[side] = dotOf(at(r.Report, metric, scoring.Overall, ""))
				}
			}
			b.Categories = append(b.Categories, row)
		}
		b.Categories, b.Series = tried(b.Categories, b.Series)
		slices.SortStableFunc(b.Categories, func(a, b DotRow) int { return cmp.Compare(a.Label, b.Label) })
		plates = append(plates, plate{joined(judge[0].Model, joined(judge[0].Dataset, judge[0].Goal)), b})
	}
	return plates
}

// tried drops the series that no run was made for.
func tried(rows []DotRow, series []string) ([]DotRow, []string) {
	for k := len(series) - 1; k >= 0; k-- {
		if slices.ContainsFunc(rows, func(r DotRow) bool { return r.Dots[k].ok() }) {
			continue
		}
		series = slices.Delete(slices.Clone(series), k, k+1)
		for i := range rows {
			rows[i].Dots = slices.Delete(slices.Clone(rows[i].Dots), k, k+1)
		}
	}
	return rows, series
}

// otherSettings are those beside the goal and the unrelated option.
func otherSettings(settings string) string {
	return without(without(settings, "goal "), "unrelated")
}
