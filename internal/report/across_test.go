package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gavel/internal/doc"
	"gavel/scoring"
)

// TestAcrossIsAFile: what a layout finds across judges stands in text, Markdown, CSV, JSON, on boards and in suites.
func TestAcrossIsAFile(t *testing.T) {
	const protocol = "across"
	Register(protocol, &Layout{LayoutFuncs: LayoutFuncs{AnalyzeAcross: func(judges []BoardRow) *Across {
		x := scoring.Result{Metric: "spread", Group: scoring.Overall, Unit: scoring.UnitCount, Value: new(4321.0), N: len(judges)}
		table := &doc.Table{RowHead: "all", Columns: []doc.Column{{Name: "spread", Kind: doc.ColumnNumber}}}
		table.Add(doc.Row{Name: judges[0].Name, Cells: doc.Cells(x)})
		return &Across{Results: []scoring.Result{x}, Blocks: []doc.Block{{ID: "spread", Title: "The spread", Table: table}}}
	}}})
	t.Cleanup(func() { layouts.Delete(protocol) })
	r := scoring.Report{Protocol: protocol, RunSetup: scoring.RunSetup{Model: "m"}, Outcomes: map[string]int{scoring.OutcomeDecided: 2}}
	row := BoardRow{Name: "m", Report: &r, Headline: scoring.Result{Value: new(1.0)}}
	across := findAcross([]BoardRow{row, row})
	for _, format := range []string{Text, FullText, Markdown, CSV, JSON} {
		var b bytes.Buffer
		if err := Print(&b, Scores{Runs: []scoring.Report{r, r}, AcrossAllJudges: []Across{*across}}, format, 80); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(b.String(), ",", ""); !strings.Contains(got, "4321") {
			t.Errorf("%s has nothing of it:\n%s", format, got)
		}
	}
	board := Board{Rows: []BoardRow{row, row}, AcrossAllJudges: across}
	body, err := (&Leaderboard{Board: board}).Body()
	if err != nil || !strings.Contains(string(body), "The spread") || !strings.Contains(string(body), "4,321") {
		t.Errorf("the leaderboard has nothing of it: %v\n%s", err, body)
	}
	text, err := json.Marshal(board)
	if err != nil || !strings.Contains(string(text), `"across":{"protocol":"across"`) {
		t.Errorf("its JSON has nothing of it: %v\n%s", err, text)
	}
	suite := SuiteRanking{Conditions: []RankedCondition{{board: board, Across: across}}}
	var b bytes.Buffer
	if err := Print(&b, suite, Text, 80); err != nil || !strings.Contains(b.String(), "4,321") {
		t.Errorf("the suite has nothing of it: %v\n%s", err, b.String())
	}
	if findAcross(nil) != nil {
		t.Error("of no judge something is found")
	}
}
