package report_test

import (
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Results of a protocol that nobody registered are listed, alone, together, on a
// page and in a comparison.
func TestProtocolWithoutLayout(t *testing.T) {
	run := func(model string) scoring.Report {
		return scoring.Report{Protocol: "rate", Goal: "good", Prompt: "1", Model: model, Dataset: "d", Outcomes: map[string]int{"decided": 2}, Warnings: []string{"few"}, Results: []scoring.Result{
			{Metric: "rating", Group: scoring.Overall, Mode: "twice", Unit: scoring.UnitScore, Value: new(3.5), Low: new(3.0), High: new(4.0), N: 7},
			{Metric: "rating", Group: "law", Mode: "twice", Note: "undefined: no ratings"},
		}}
	}
	scores := report.Scores{Runs: []scoring.Report{run("a"), run("b")}}
	text := string(print(t, table.Text, scores.Tables()))
	for _, want := range []string{"2 runs", "a · rate · prompt 1 · d", "3.5000 [3.000, 4.000]", "rating: undefined: no ratings", "judgments: 2 = decided 2", "! few"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if p := writeHTML(t, []report.Run{{Report: scores.Runs[0]}, {Report: scores.Runs[1]}}); !strings.Contains(p, "3.5000") || strings.Contains(p, `<svg class="chart"`) {
		t.Errorf("page: %s", p)
	}
	side := scoring.Side{Protocol: "rate"}
	c := report.Comparison{&scoring.Comparisons{Comparisons: []*scoring.Comparison{{A: side, B: side, Unit: "item", N: 7, Differences: []scoring.Difference{{Metric: "rating", Diff: new(0.5)}}}}}}
	if text := string(print(t, table.Text, c.Tables())); !strings.Contains(text, "7 items in both") || !strings.Contains(text, "rating") {
		t.Errorf("%s", text)
	}
}

// Protocols with the same layout are laid out together, others apart, in the
// order of their first.
func TestLayoutsPartRuns(t *testing.T) {
	toy := &report.Layout{
		Noun:    "marks",
		Summary: func(runs []scoring.Report) table.Table { return table.Table{Title: table.Count(len(runs), "toy")} },
		Tables:  func(r scoring.Report) []table.Table { return []table.Table{{Title: "toy " + r.Model}} },
		Words:   map[string]string{"two": "on both sides"},
	}
	report.Register("toy", toy)
	report.Register("toy, again", toy)
	run := func(protocol, model, settings string) scoring.Report {
		return scoring.Report{Protocol: protocol, Model: model, Settings: settings, Results: []scoring.Result{{Metric: "marks", Group: scoring.Overall, Value: new(0.5)}}}
	}
	scores := report.Scores{Runs: []scoring.Report{run("toy", "a", "two sides, goal x, at once"), run("unknown", "b", ""), run("toy, again", "c", "")}}
	var titles []string
	for _, laid := range scores.Tables() {
		titles = append(titles, strings.SplitN(laid.Title, " ·", 2)[0])
	}
	if got := strings.Join(titles, "; "); got != "2 toys; toy a; b; toy c" {
		t.Errorf("tables %s", got)
	}
	page := writeHTML(t, []report.Run{{Report: scores.Runs[0]}, {Report: scores.Runs[1]}, {Report: scores.Runs[2]}})
	for _, want := range []string{"a · toy · at once · on both sides"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	var csv strings.Builder
	if err := scores.CSV(&csv); err != nil || strings.Count(csv.String(), "count of marks") != 2*len(scoring.Outcomes) {
		t.Errorf("%v\n%s", err, csv.String())
	}
}
