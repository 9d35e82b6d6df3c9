package report

import (
	"fmt"
	"slices"
	"strconv"

	"gavel/scoring"
)

// sketch is a figure before it is drawn.
type sketch struct {
	id, title string
	caption   []string
	plates    []plate
	folded    bool
}

// sketches are the figures of runs of a protocol. A new one is a file of this
// package and a line here.
var sketches = map[string]func([]Run) []sketch{
	"answer":         answerSketches,
	"self-reference": selfReferenceSketches,
	"multi-option":   optionSketches,
	"":               pairSketches, // all protocols of pairs
}

// figures draws what there is to draw of some runs, those of a kind together.
func figures(runs []Run) ([]Figure, error) {
	var all []Figure
	for _, part := range kindsOf(runs) {
		draw := sketches[part[0].Protocol]
		if draw == nil {
			draw = sketches[""]
		}
		for _, s := range draw(part) {
			f, ok, err := figureOf("figure-"+s.id, s.title, s.caption, s.plates...)
			if err != nil {
				return nil, err
			}
			if f.Folded = s.folded; ok {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// kindsOf parts runs as their figures are.
func kindsOf(runs []Run) [][]Run {
	return part(runs, func(r Run) string {
		if sketches[r.Protocol] == nil {
			return ""
		}
		return r.Protocol
	})
}

// part puts what has the same key together, in the order of the first of each.
func part[T any](all []T, key func(T) string) (parts [][]T) {
	place := map[string]int{}
	for _, x := range all {
		i, ok := place[key(x)]
		if !ok {
			i, place[key(x)] = len(parts), len(parts)
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], x)
	}
	return parts
}

// named is a run with the name it has in figures.
type namedRun struct {
	Run
	name string
}

// withNames names runs among each other.
func withNames(runs []Run) []namedRun {
	reports := make([]scoring.Report, len(runs))
	for i, r := range runs {
		reports[i] = r.Report
	}
	out := make([]namedRun, len(runs))
	for i, name := range labels(reports) {
		out[i] = namedRun{runs[i], name}
	}
	return out
}

func dotOf(x scoring.Result) Dot { return Dot{x.Value, x.Low, x.High, x.N} }

// dots are a metric of a run's groups, a row each.
func (r namedRun) rows(groups []string, metrics ...string) []DotRow {
	rows := make([]DotRow, len(groups))
	for i, g := range groups {
		rows[i].Label = g
		for _, m := range metrics {
			rows[i].Dots = append(rows[i].Dots, dotOf(at(r.Report, m, g, "")))
		}
	}
	return rows
}

// overall are a metric of all runs, a row each.
func overall(runs []namedRun, metric string) []DotRow {
	rows := make([]DotRow, len(runs))
	for i, r := range runs {
		rows[i] = DotRow{r.name, []Dot{dotOf(at(r.Report, metric, scoring.Overall, ""))}}
	}
	return rows
}

// counted says how much runs are of: "40 pairs", "12 to 40 pairs each".
func counted(runs []namedRun, n func(namedRun) int, what string) string {
	var ns []int
	for _, r := range runs {
		ns = append(ns, n(r))
	}
	low, high := slices.Min(ns), slices.Max(ns)
	switch {
	case len(runs) == 1:
		return fmt.Sprintf("1 run of %s %s", strconv.Itoa(low), plural(low, what))
	case low == high:
		return fmt.Sprintf("%d runs of %d %s each", len(runs), low, plural(low, what))
	}
	return fmt.Sprintf("%d runs of %d to %d %s each", len(runs), low, high, plural(high, what))
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

func items(r namedRun) int { return r.Items }

// levels says what the intervals are.
func levels(r namedRun) string {
	return fmt.Sprintf("Lines are %g %% intervals (bootstrap over %ss).", 100*r.Bootstrap.Level, r.Bootstrap.Unit)
}
