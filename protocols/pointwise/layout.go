package pointwise

import (
	_ "embed"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

//go:embed layout.yaml
var layout string

// ReportLayout lays out runs of pointwise.
var ReportLayout = report.ReadLayout(layout, report.LayoutFuncs{
	Blocks: []report.BlocksFunc{peopleComparisonBlocks, scaleUse},
})

// scaleUse shows how many of the better responses get each score, and of the others. Without labels it shows all.
func scaleUse(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "score", Columns: []doc.Column{
		{Name: "better responses, %", Kind: doc.ColumnBareNumber},
		{Name: "other responses, %", Kind: doc.ColumnBareNumber, Surfaces: doc.SurfaceFullText},
	}}
	b := doc.Block{
		ID: "scale", Title: "How the scale is used", About: "percent of responses",
		Surfaces: doc.SurfaceAllButShort, Chart: doc.ChartBarPanels, Table: t,
		Keys: []doc.LegendEntry{{Sign: "bar", Words: "better responses"}, {Sign: "held", Words: "other responses"}},
	}
	share := func(kind, score string) scoring.Result {
		x := p.Overall(kind + score)
		x.Unit = ""
		if x.Value != nil {
			x.Value = scoring.Percent(*x.Value / float64(x.N))
		}
		return x
	}
	for _, x := range p.Results {
		score, ok := strings.CutPrefix(x.Metric, ScoreCountPrefix)
		if !ok {
			continue
		}
		if len(t.Rows) == 0 {
			t.Add(doc.Row{Name: "all", Heading: true, Detail: table.CountWithNoun(x.N, "response")})
		}
		better, others := share(BetterCountPrefix, score), share(OtherCountPrefix, score)
		if better.Value == nil {
			better = share(ScoreCountPrefix, score)
			t.Columns[0].Name = "responses, %"
			b.Keys = nil
		}
		t.Add(doc.Row{Name: score, Cells: doc.Cells(doc.Value{Result: better, Reference: &others}, others)})
	}
	switch {
	case len(t.Rows) == 0:
		return nil
	case len(t.Rows) > maxBars: // too many bars to label
		b.Chart = doc.ChartCellDrawings
	}
	b.Remark("pointwise.scale")
	return []doc.Block{b}
}
