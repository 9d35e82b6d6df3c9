package probe

import (
	_ "embed"
	"fmt"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

//go:embed layout.yaml
var layout string

// ReportLayout arranges the reports of runs of protocol probe.
var ReportLayout = report.ReadLayout(layout, report.LayoutFuncs{Blocks: []report.BlocksFunc{rewritesBlock}})

// rewritesBlock returns a block with how many verdicts each rewrite changes beyond the judge's own noise.
func rewritesBlock(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "rewrite", Look: "wide", Columns: []doc.Column{
		{Name: "beyond noise, points", Kind: doc.ColumnNumber, Axis: doc.DifferenceAxis()},
		{Name: "changed, %", Kind: doc.ColumnNumber},
		{Name: "asked again, %", Kind: doc.ColumnBareNumber, HidePriority: 3},
		{Name: "form alone, %", Kind: doc.ColumnBareNumber, HidePriority: 2},
		{Name: "to the worse"},
		{Name: "p"},
	}}
	var unserved []string
	for _, q := range p.Probes {
		if q.Unserved > 0 {
			unserved = append(unserved, fmt.Sprintf("%s %d", q.Name, q.Unserved))
		}
		if q.Changed.Value == nil {
			continue
		}
		beyond := scoring.Result{
			Value: q.Effect.Value, Low: q.Effect.Low, High: q.Effect.High, Mode: scoring.ModeDifference,
		}
		row := doc.Row{Name: q.About, N: q.Changed.N, Look: "level-unknown", Cells: doc.Cells(
			beyond, q.Changed.Result(), q.Repeated.Result(), q.Neutral.Result(),
			fmt.Sprintf("%d of %d", q.ToWorse, q.ToWorse+q.ToBetter+q.ChangesToNeither), table.PValue(q.P),
		)}
		if q.IsSignificant() {
			row.Look = "level-weak"
		}
		if *q.Changed.Value > 0 {
			row.Target = doc.Ref{Runs: []string{p.Run.Run}, Mode: q.Name}
		}
		t.Add(row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	b := doc.Block{
		ID: "moves", Title: "What changes its verdicts", About: "verdicts that change by a rewrite", Table: t,
	}
	b.Remark("probe.columns")
	b.Remark("probe.p")
	if unserved != nil {
		b.Remark(doc.WarningCode, phrases.Sentence("probe.unserved", strings.Join(unserved, ", ")))
	}
	return []doc.Block{b}
}
