package report

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// amongPublished is where the judge of a run stands among published ones of the same items: the answer, then what else
// to know.
func amongPublished(r *scoring.Report) (lines []string) {
	head := Headline(r)
	if head == nil {
		return nil
	}
	words := r.Standing(head.Metric)
	if words == "" {
		return nil
	}
	lines = append(lines, words)
	var others []string
	for _, x := range r.References {
		if x.Metric != head.Metric && !slices.Contains(others, x.Metric) {
			others = append(others, x.Metric)
		}
	}
	for _, metric := range others { // which are never held against the headline
		own := r.Overall(metric)
		if words := r.Standing(metric); words != "" {
			lines = append(lines, fmt.Sprintf("by %s, %s %% here: %s", metric, table.Whole(own), words))
		}
	}
	if r.ByFiguresAlone() {
		lines = append(lines, "figures alone are known of them: whether it could be chance is not tested")
	}
	if strings.Contains(words, "*") {
		lines = append(lines, scoring.LabelsStayed)
	}
	return lines
}

// ListReferences lists published judges: by themselves where run is nil, else beside the judge of the run.
func ListReferences(run *scoring.Report, all []scoring.Reference) Listing {
	t := table.Table{
		Columns: table.Left("judge", "open weights", "prompt", "dataset", "how", "metric").Right("percent", "pairs"),
	}
	isTested := run != nil && !run.ByFiguresAlone()
	if isTested {
		t.Columns = t.Columns.Right("only it", "only this run", "p")
		t.Columns[8].Spare = 5
		t.Columns[9].Spare = 6
	}
	for i, at := range []int{4, 2, 1, 3} { // these go first where a terminal is narrow
		t.Columns[at].Spare = i + 1
	}
	if run != nil {
		t.Title = fmt.Sprintf("%s on the same %s: %s", run.Judge(),
			CountItems(run.Protocol, run.Items), run.Standing(Headline(run).Metric))
	}
	var own *scoring.Result // of the run, until it has its row
	for i, x := range all {
		if i == 0 || all[i-1].Metric != x.Metric {
			own = ownValue(run, x.Metric)
		}
		if own != nil && *own.Value >= x.Value {
			putOwn(&t, run, *own)
			own = nil
		}
		weights := "no"
		if x.OpenWeights {
			weights = "yes"
		}
		row := []string{x.Name(), weights, x.Prompt, x.Dataset, x.How, x.Metric,
			fmt.Sprintf("%.0f [%.0f, %.0f]", x.Value, x.Low, x.High), fmt.Sprint(x.N)}
		if isTested {
			row = append(row, fmt.Sprint(x.OnlyReference), fmt.Sprint(x.OnlyRun), table.PValue(x.P))
		}
		t.Row(row...)
		if own != nil && (i == len(all)-1 || all[i+1].Metric != x.Metric) {
			putOwn(&t, run, *own)
		}
	}
	if isTested {
		t.Note("only it, only this run: pairs that one of the two alone is right on; p: McNemar's exact test, by Holm")
	}
	if slices.ContainsFunc(all, func(x scoring.Reference) bool { return x.LabelsStay }) {
		t.Note(scoring.LabelsStayed)
	}
	t.Note("a model of the same name under another prompt or quantisation is another judge; sources: --json")
	return Listing{Table: t, Data: all}
}

// ownValue is what the run comes to by a metric; nil where that is nothing.
func ownValue(run *scoring.Report, metric string) *scoring.Result {
	if run == nil {
		return nil
	}
	if x := run.Overall(metric); x.Value != nil {
		return &x
	}
	return nil
}

// putOwn puts the run among the others.
func putOwn(t *table.Table, run *scoring.Report, x scoring.Result) {
	t.Row("this run: "+run.Judge(), "", Prompt(*run), run.Dataset, "", x.Metric, table.Roughly(x),
		fmt.Sprint(x.N))
}
