package report

import (
	"fmt"
	"html/template"
	"slices"

	"gavel/internal/report/figure"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Beside draws the numbers that are shown first of each of several runs, a panel for each; "" where there are none. The
// runs go by the letters A, B, … and their models. Its pictures are handed out by the names of
// files, which link leads to.
func Beside(runs []Run, link func(file string) string) (page template.HTML, pictures figure.Files, err error) {
	spec := figure.Spec{ID: "beside", Title: "Side by side", Caption: []string{IntervalNote(runs[0].Report)}}
	for _, t := range layoutOf(runs[0].Protocol).Tiles {
		chart := figure.DotPlot{X: axisOf(""), Of: "run", Series: []string{""}}
		for i, r := range runs {
			value := t.of(&r.Report)
			if value.Unit != "" { // a run may lack the number
				chart.X = axisOf(value.Unit)
			}
			chart.Rows = append(chart.Rows, figure.DotRow{
				Label: fmt.Sprintf("%c  %s", 'A'+i, r.Model),
				Dots:  []figure.Dot{figure.DotOf(value)},
			})
		}
		if t.Mark != nil {
			mark := t.Mark(&runs[0].Report)
			same := !slices.ContainsFunc(runs, func(r Run) bool { return t.Mark(&r.Report) != mark })
			if same && mark >= chart.X.Min {
				chart.Mark, chart.Marked = &mark, t.About
			}
		}
		spec.Panels = append(spec.Panels, figure.Panel{Title: t.Name, Chart: chart})
	}
	f, ok := spec.Draw()
	if !ok {
		return "", nil, nil
	}
	pictures = figure.Files{}
	f.HandOut(pictures, link)
	page, err = f.HTML()
	return page, pictures, err
}

// Explanations are of the words of some tables.
func Explanations(tables []table.Table) (template.HTML, error) {
	p := page{Runs: []section{{Tables: tables}}}
	return table.Explanations(p.explained())
}

// HeadlineDifference is that of the headline of two runs, and the same in words; nil where there is none.
func HeadlineDifference(c *scoring.Comparison) (*scoring.Difference, string) {
	metric := layoutOf(c.A.Protocol).Headline
	for i := range c.Differences {
		if d := &c.Differences[i]; d.Group == scoring.Overall && (d.Metric == metric || metric == "") && d.Diff != nil {
			x := scoring.Result{Value: d.Diff, Low: d.Low, High: d.High, Unit: d.Unit, Mode: scoring.ModeDifference}
			return d, table.Plain(x) + " " + table.Ends(x)
		}
	}
	return nil, ""
}
