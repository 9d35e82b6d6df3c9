package report

import (
	"fmt"
	"slices"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// ListReferences returns a table of published judges and their scores, for `gavel references`. If run is not nil, its
// judge is listed among them by its score.
func ListReferences(run *scoring.Report, all []scoring.Reference) doc.Document {
	t := &doc.Table{RowHead: "judge", Columns: slices.Concat(
		doc.ColumnsOfKind(doc.ColumnWords, "open weights", "prompt", "dataset", "how", "metric"),
		doc.ColumnsOfKind(doc.ColumnInteger, "percent", "pairs"))}
	for i, at := range []int{3, 1, 0, 2} { // the columns that a narrow terminal leaves out first
		t.Columns[at].HidePriority = i + 1
	}
	d := doc.Document{Data: all}
	isTested := run != nil && !run.OnlyTotalsPublished()
	b := doc.Block{Table: t}
	if isTested {
		t.Columns = append(t.Columns, doc.ColumnsOfKind(doc.ColumnInteger, "only it", "only this run", "p")...)
		t.Columns[7].HidePriority = 5
		t.Columns[8].HidePriority = 6
		b.Remark("references.tested")
	}
	if run != nil {
		d.Title = fmt.Sprintf("%s on the same %s: %s", run.Judge(),
			ItemCountText(run.Protocol, run.Items), run.PublishedComparisonText(Headline(run).Metric))
	}
	var runResult *scoring.Result // score of the run's judge, until it has its row
	putOwn := func() {
		t.Add(doc.WordRow("this run: "+run.Judge(), "", promptSettingsText(run.RunSetup), run.Dataset, "", runResult.Metric,
			table.RoundedInterval(*runResult), fmt.Sprint(runResult.N)))
		runResult = nil
	}
	for i, x := range all {
		if run != nil && (i == 0 || all[i-1].Metric != x.Metric) {
			runResult = new(run.Overall(x.Metric))
		}
		if runResult != nil && runResult.Value != nil && *runResult.Value >= x.Value {
			putOwn()
		}
		weights := "no"
		if x.OpenWeights {
			weights = "yes"
		}
		row := doc.WordRow(x.Name(), weights, x.JudgePrompt, x.Dataset, x.Origin, x.Metric,
			fmt.Sprintf("%.0f [%.0f, %.0f]", x.Value, x.Low, x.High), fmt.Sprint(x.N))
		if isTested {
			row.Cells = append(row.Cells,
				doc.TextCell(fmt.Sprint(x.OnlyReferenceRight)),
				doc.TextCell(fmt.Sprint(x.OnlyRunRight)),
				doc.TextCell(table.PValue(x.P)))
		}
		t.Add(row)
		if runResult != nil && runResult.Value != nil && (i == len(all)-1 || all[i+1].Metric != x.Metric) {
			putOwn()
		}
	}
	d.CSVRows = t.CSVRows() // with the keys of the metrics
	protocol := "pairwise"
	if run != nil {
		protocol = run.Protocol
	}
	for _, row := range t.Rows {
		metric := &row.Cells[4]
		metric.Text = doc.MetricName(protocol, metric.Text)
	}
	if slices.ContainsFunc(all, func(x scoring.Reference) bool { return x.LabelsFollowResponses }) {
		b.AddPlainNotes(scoring.LabelsFollowFootnote)
	}
	b.Remark("references.same-name")
	d.Blocks = []doc.Block{b}
	return d
}
