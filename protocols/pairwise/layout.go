package pairwise

import (
	_ "embed"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

//go:embed layout.yaml
var layout string

// ReportLayout arranges the reports of runs of protocols pairwise and reversed.
var ReportLayout = report.ReadLayout(layout, report.LayoutFuncs{
	ComparisonNotes: goalNotes,
	Blocks:          []report.BlocksFunc{goalsBlock},
})

// firstPositionShare is the metric of position bias: the share of judgments that pick the response shown first.
const firstPositionShare = scoring.FirstPosition

// goalsBlock returns a block of a run's page: a table of the run beside the same judge's run with the opposite goal
// (better or worse); none without such a run.
func goalsBlock(p *report.RunPage) []doc.Block {
	t := p.Opposite
	if t == nil {
		return nil
	}
	runs := []*scoring.Report{&p.Report, t.Report}
	names := []string{p.Run.Run, t.Run}
	if p.Goal == goalWorse {
		slices.Reverse(runs)
		slices.Reverse(names)
	}
	metrics := []string{"strict", AccuracyWhenConsistent, firstPositionShare}
	c := &doc.Table{RowHead: "goal"}
	for _, metric := range metrics {
		c.Columns = append(c.Columns, doc.MetricColumn(p.Protocol, metric, doc.ColumnShareWithN))
	}
	c.Columns[0].Kind = doc.ColumnNumber
	c.Columns[0].Axis = &doc.PercentAxis
	for i, r := range runs {
		row := doc.Row{
			Name: [2]string{"Asked which is better", "Asked which is worse"}[i],
			N:    r.Overall("strict").N, Look: "level-" + string(r.Level()), Total: r == &p.Report,
		}
		row.Cells = doc.Cells(r.Overall("strict"))
		for _, metric := range metrics[1:] {
			cell := doc.NumberCell(r.Overall(metric))
			cell.Text = doc.IntervalEnds(cell.Result)
			row.Cells = append(row.Cells, cell)
		}
		c.Add(row)
	}
	b := doc.Block{
		ID: "goals", Title: "Does the reversed goal help?", Surfaces: doc.SurfacePage, Table: c,
		Links: []doc.Link{{Words: "the run with the opposite goal", Target: doc.RunRef(t.Run)},
			{Words: "compare both", Target: doc.Ref{Runs: names}}},
	}
	if t.Comparison != nil {
		if d := t.HeadlineDifference(); d != nil && d.BMinusA != nil {
			points := strings.ReplaceAll(table.Interval(d.BMinusA, d.Low, d.High, 1, 1), "-", "−")
			b.Remark(goalsPhraseCode(d), points, table.CountWithNoun(t.N, "pair"))
		}
		b.AddPlainNotes(goalNotes(t.Comparison)...)
	}
	return []doc.Block{b}
}

// goalsPhraseCode returns the code of the phrase that says whether asking for the worse response helps.
func goalsPhraseCode(d *scoring.Difference) string {
	switch {
	case d.Low == nil || d.High == nil || d.NotSignificant:
		return "goals.no-difference"
	case *d.BMinusA < 0:
		return "goals.harms"
	}
	return "goals.helps"
}

// goalNotes returns a note on two runs of one model, asked for the better and for the worse response, as one judge;
// none for other comparisons.
func goalNotes(c *scoring.Comparison) (notes []string) {
	if e := c.Ensemble; e != nil && e.Strict.Value != nil && e.Coverage.Value != nil {
		notes = append(notes, phrases.Sentence("pairs.both-goals", table.WithInterval(e.Coverage),
			table.CountWithNoun(e.Coverage.N, "pair"), table.WithInterval(e.Strict), e.Strict.N))
	}
	return notes
}
