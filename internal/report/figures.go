package report

import (
	"cmp"
	"fmt"
	"slices"

	"gavel/internal/report/figure"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// figures draws what there is to draw of some runs, those of a layout together.
func figures(runs []Run) (all []figure.Figure) {
	for _, part := range Part(runs, func(r Run) *Layout { return layoutOf(r.Protocol) }) {
		specs := layoutOf(part[0].Protocol).Figures
		if specs == nil {
			continue
		}
		for _, s := range specs(Named(part)) {
			if f, ok := s.Draw(); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

// Part puts what has the same key together, in the order of the first of each.
func Part[T any, K comparable](all []T, key func(T) K) (parts [][]T) {
	place := map[K]int{}
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

// Rows are metrics of a run's groups, a row each.
func (r Run) Rows(groups []string, metrics ...string) []figure.DotRow {
	rows := make([]figure.DotRow, len(groups))
	for i, g := range groups {
		rows[i].Label = g
		for _, m := range metrics {
			rows[i].Dots = append(rows[i].Dots, figure.DotOf(r.Result(m, g, "")))
		}
	}
	return rows
}

// Overall are a metric of all runs, a row each, the highest first and those without a number last.
func Overall(runs []Run, metric string) []figure.DotRow {
	rows := make([]figure.DotRow, len(runs))
	for i, r := range runs {
		rows[i] = figure.DotRow{Label: r.Name, Dots: []figure.Dot{figure.DotOf(r.Overall(metric))}}
	}
	slices.SortStableFunc(rows, func(a, b figure.DotRow) int {
		x, y := a.Dots[0], b.Dots[0]
		if x.Defined() && y.Defined() {
			return cmp.Compare(*y.Value, *x.Value)
		}
		return cmp.Compare(scoring.One(y.Defined()), scoring.One(x.Defined()))
	})
	return rows
}

// Counted says how much runs are of: "40 pairs", "12 to 40 pairs each".
func Counted(runs []Run, n func(Run) int, what string) string {
	var ns []int
	for _, r := range runs {
		ns = append(ns, n(r))
	}
	low, high := slices.Min(ns), slices.Max(ns)
	switch {
	case len(runs) == 1:
		return "1 run of " + table.Count(low, what)
	case low == high:
		return fmt.Sprintf("%d runs of %s each", len(runs), table.Count(low, what))
	}
	return fmt.Sprintf("%d runs of %d to %s each", len(runs), low, table.Count(high, what))
}

// Items of a run, for [Counted].
func Items(r Run) int { return r.Items }

// IntervalNote says in a caption what the intervals are.
func IntervalNote(r scoring.Report) string {
	return fmt.Sprintf("Lines are %g %% intervals (over %ss).", 100*r.Bootstrap.Level, r.Bootstrap.Unit)
}

// Shares is a metric of some runs as two figures draw it: overall, and by category.
type Shares struct {
	Metric string
	Name   string   // of the metric: "right"
	Beside string   // a metric that is drawn beside it by category, where all have it; "" for none
	Mark   *float64 // where a line is drawn
	Marked string   // what the line is
}

// Overall are the runs, the highest first.
func (s Shares) Overall(runs []Run) []figure.Panel {
	return []figure.Panel{{Chart: s.plot("run", Overall(runs, s.Metric))}}
}

// ByCategory are a panel for each run that has categories.
func (s Shares) ByCategory(runs []Run) (panels []figure.Panel) {
	for _, r := range runs {
		groups := r.Groups()
		if len(groups) < 2 {
			continue
		}
		chart := s.plot("category", r.Rows(groups, s.Metric))
		beside := r.Rows(groups, s.Beside)
		if !slices.ContainsFunc(beside, func(row figure.DotRow) bool { return !row.Dots[0].Defined() }) {
			chart.Series = append(chart.Series, s.Beside)
			for i := range chart.Rows {
				chart.Rows[i].Dots = append(chart.Rows[i].Dots, beside[i].Dots...)
			}
		}
		panels = append(panels, figure.Panel{Title: r.Name, Chart: chart})
	}
	return panels
}

func (s Shares) plot(of string, rows []figure.DotRow) figure.DotPlot {
	return figure.DotPlot{
		X:      figure.Percent(s.Name + ", percent"),
		Of:     of,
		Series: []string{s.Name},
		Rows:   rows,
		Mark:   s.Mark,
		Marked: s.Marked,
	}
}
