package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gavel/internal/doc"
	"gavel/scoring"
)

// TestAnAnalysisIsAFile: an analysis that a file adds, by its line in the list, stands in text, Markdown, CSV, JSON, on
// the page, in a report file and in what the API adds to a run.
func TestAnAnalysisIsAFile(t *testing.T) {
	before := analyses
	t.Cleanup(func() { analyses = before })
	analyses = append(slices.Clone(before), Analysis{Name: "longest-reply", Run: func(p *RunPage) *AnalysisResult {
		x := scoring.Result{Metric: "longest-reply", Group: scoring.Overall, Unit: scoring.UnitCount, Value: new(4321.0), N: 7}
		t := &doc.Table{RowHead: "reply", Columns: []doc.Column{{Name: "characters", Kind: doc.ColumnNumber}}}
		t.Rows = []doc.Row{{Name: "the longest", Cells: []doc.Value{doc.NumberCell(x)}}}
		return &AnalysisResult{
			Blocks:  []doc.Block{{ID: "longest", Title: "The longest reply", Table: t}},
			Results: []scoring.Result{x},
			Data:    map[string]int{"characters": 4321},
		}
	}})
	r := scoring.Report{Protocol: "pairwise", RunSetup: scoring.RunSetup{Model: "m"}, Outcomes: map[string]int{scoring.OutcomeDecided: 2}}
	for _, format := range []string{Text, FullText, Markdown, CSV, JSON} {
		var b bytes.Buffer
		if err := Print(&b, Scores{Runs: []scoring.Report{r}}, format, 80); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(b.String(), ",", ""); !strings.Contains(got, "4321") {
			t.Errorf("%s has nothing of it:\n%s", format, got)
		}
	}
	body, err := NewRunPage(Run{Report: r}).Body()
	if err != nil || !strings.Contains(string(body), "The longest reply") || !strings.Contains(string(body), "4,321") {
		t.Errorf("the page has nothing of it: %v\n%s", err, body)
	}
	var file bytes.Buffer
	if err := (RunsReport{Runs: []Run{{Report: r}}}).WriteHTML(&file); err != nil || !strings.Contains(file.String(), "The longest reply") {
		t.Errorf("the report has nothing of it: %v", err)
	}
	if got := AnalysisData(r)["longest-reply"]; got == nil {
		t.Error("the API has nothing of it")
	}
}
