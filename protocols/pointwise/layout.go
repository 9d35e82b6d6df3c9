package pointwise

import (
	_ "embed"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/scoring"
)

//go:embed layout.yaml
var layout string

// Layout lays out runs of pointwise.
var Layout = report.ReadLayout(layout, report.LayoutFuncs{Blocks: []report.PagePart{againstPeople, scaleUse}})

// scaleUse shows how many responses get each score.
func scaleUse(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "score", Columns: []doc.Column{
		{Name: "responses", Kind: doc.Whole}, {Name: "share, %", Kind: doc.Bare, Axis: &doc.PercentAxis},
	}}
	for _, x := range p.Results {
		score, ok := strings.CutPrefix(x.Metric, ScoreCount)
		if !ok {
			continue
		}
		share := scoring.Result{Unit: "", Value: scoring.Percent(*x.Value / float64(x.N))}
		t.Add(doc.Row{Name: score, Cells: doc.Cells(x, share)})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	b := doc.Block{ID: "scale", Title: "How the scale is used", ShowTitle: true, In: doc.Detail, Table: t}
	b.Remark("pointwise.scale")
	return []doc.Block{b}
}
