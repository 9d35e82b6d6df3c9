package report

import (
	"fmt"
	"html/template"
	"strings"

	"gavel/internal/report/figure"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Tile is a number that is shown first, with its interval drawn.
type Tile struct {
	Metric, Mode string
	Name         string                          // in plain words
	Label        func(r *scoring.Report) string  // in a row of its own; nil: the name
	About        string                          // what is good
	Mark         func(r *scoring.Report) float64 // what the number is held against, such as chance; nil: nothing
	Folded       bool                            // no card
	Note         func(r *scoring.Report) string  // said in place of About; nil: nothing
}

// Verdictless is the tile of judgments without a verdict.
var Verdictless = Tile{Metric: scoring.WithoutVerdict, Name: "without a verdict", About: string(scoring.Lower)}

// At is a mark at a value.
func At(v float64) func(*scoring.Report) float64 {
	return func(*scoring.Report) float64 { return v }
}

// AtMetric is a mark at what another metric of the run has.
func AtMetric(metric string) func(*scoring.Report) float64 {
	return func(r *scoring.Report) float64 {
		if v := r.Overall(metric).Value; v != nil {
			return *v
		}
		return -1
	}
}

// verdict is what a page says of a run first.
type verdict struct {
	Title string
	*scoring.Diagnosis
	Tiles []tileView
}

// tileView is a tile of a run: a bar from 0 to 1 or 100, on it the interval and the mark.
type tileView struct {
	Tile
	Explained table.Explained // the tile's name
	Value     string
	Chart     template.HTML
}

func verdictOf(r scoring.Report, title string) verdict {
	v := verdict{Title: title, Diagnosis: r.Diagnosis}
	for _, t := range layoutOf(r.Protocol).Tiles {
		if x := t.of(&r); x.Value != nil {
			v.Tiles = append(v.Tiles, tileView{
				Tile:      t,
				Explained: table.Explained{Text: t.Name},
				Value:     table.Whole(x),
				Chart:     bar(x, &r, t.Mark),
			})
		}
	}
	return v
}

// label of the tile in a row.
func (t Tile) label(r *scoring.Report) string {
	if t.Label != nil {
		return t.Label(r)
	}
	return t.Name
}

// of is the tile's number of a run.
func (t Tile) of(r *scoring.Report) scoring.Result {
	if t.Metric == scoring.WithoutVerdict {
		return r.Verdictless()
	}
	return r.Result(t.Metric, scoring.Overall, t.Mode)
}

// bar draws a value, its interval and a mark, between the ends of the metric's scale.
func bar(x scoring.Result, r *scoring.Report, mark func(*scoring.Report) float64) template.HTML {
	const width, edge = 200.0, 4.0
	axis := axisOf(x.Unit)
	at := func(v float64) float64 {
		return edge + (width-2*edge)*max(0, min(1, (v-axis.Min)/(axis.Max-axis.Min)))
	}
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg class="chart" viewBox="0 0 %g 20" role="presentation" aria-hidden="true">`+
		`<line class="stroke-grid" x1="%g" x2="%g" y1="10" y2="10" stroke-width="2"/>`, width, edge, width-edge)
	if x.Low != nil && x.High != nil {
		fmt.Fprintf(&svg, `<line class="stroke-ink" x1="%.1f" x2="%.1f" y1="10" y2="10" stroke-width="6" `+
			`stroke-opacity="0.45"/>`, at(*x.Low), at(*x.High))
	}
	if mark != nil && mark(r) >= axis.Min {
		place := at(mark(r))
		fmt.Fprintf(&svg, `<line class="stroke-ink" x1="%.1f" x2="%.1f" y1="2" y2="18" stroke-width="1" `+
			`stroke-dasharray="2 2"/>`, place, place)
	}
	fmt.Fprintf(&svg, `<circle class="fill-ink" cx="%.1f" cy="10" r="4"/></svg>`, at(*x.Value))
	return template.HTML(svg.String())
}

// axisOf is the scale of numbers of a unit.
func axisOf(unit string) figure.Axis {
	switch unit {
	case scoring.UnitCorrelation:
		return figure.Axis{Label: "correlation", Min: -1, Max: 1, Decimals: 4}
	case scoring.UnitScore:
		return figure.Unit("score")
	}
	return figure.Percent("percent")
}
