package report_test

import (
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/scoring"
)

// Results of a protocol that nobody registered are listed, alone, together, on a
// page and in a comparison.
func TestProtocolWithoutLayout(t *testing.T) {
	run := func(model string) scoring.Report {
		return scoring.Report{Protocol: "rate", Goal: "good", RunSetup: scoring.RunSetup{Prompt: "1", Model: model, Dataset: "d"}, Outcomes: map[string]int{"decided": 2}, Warnings: []string{"few"}, Results: []scoring.Result{
			{Metric: "rating", Group: scoring.Overall, Mode: "twice", Unit: scoring.UnitScore, Value: new(3.5), Low: new(3.0), High: new(4.0), N: 7},
			{Metric: "rating", Group: "law", Mode: "twice", Note: "undefined: no ratings"},
		}}
	}
	scores := report.Scores{Runs: []scoring.Report{run("a"), run("b")}}
	text := string(printed(t, scores, report.FullText))
	for _, want := range []string{"2 runs", "a · which is good · d · prompt 1", "3.5000 [3.000, 4.000]", "rating twice: undefined: no ratings", "judgments: 2 = decided 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if p := writeHTML(t, []report.Run{{Report: scores.Runs[0]}, {Report: scores.Runs[1]}}); !strings.Contains(p, "3.5000") || strings.Contains(p, `<svg class="chart"`) {
		t.Errorf("page: %s", p)
	}
	side := scoring.Side{Protocol: "rate"}
	c := report.Comparison{Comparisons: &scoring.Comparisons{Comparisons: []*scoring.Comparison{{A: side, B: side, Unit: "item", N: 7, Differences: []scoring.Difference{{Metric: "rating", Group: scoring.Overall, BMinusA: new(0.5)}}}}}}
	if text := string(printed(t, c, report.FullText)); !strings.Contains(text, "on the same 7 items") || !strings.Contains(text, "rating") {
		t.Errorf("%s", text)
	}
}

// Runs of several protocols stand in one table, each named by what tells it from the others.
func TestLayoutsPartRuns(t *testing.T) {
	parts := []string{"wrong", "right", "both"}
	ends := []report.Outcome{{Name: "wrong"}, {Name: "right"}, {Name: "both"}, {Name: "missing"}}
	toy := &report.Layout{Noun: "marks", SettingWords: map[string]string{"two": "on both sides"}, Outcomes: ends, Bracket: report.OutcomeBracket{Parts: parts}}
	report.Register("toy", toy)
	report.Register("toy, again", toy)
	run := func(protocol, model, settings string) scoring.Report {
		return scoring.Report{Protocol: protocol, RunSetup: scoring.RunSetup{Model: model, Settings: settings}, Results: []scoring.Result{{Metric: "marks", Group: scoring.Overall, Value: new(0.5)}}}
	}
	scores := report.Scores{Runs: []scoring.Report{run("toy", "a", "two sides, goal x, at once"), run("unknown", "b", ""), run("toy, again", "c", "")}}
	if text := string(printed(t, scores, report.FullText)); !strings.Contains(text, "3 runs") || !strings.Contains(text, "a · toy · at once · on both sides") {
		t.Errorf("%s", text)
	}
	page := writeHTML(t, []report.Run{{Report: scores.Runs[0]}, {Report: scores.Runs[1]}, {Report: scores.Runs[2]}})
	for _, want := range []string{"a · toy · at once · on both sides"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	r := run("toy", "a", "")
	r.Breakdowns = []scoring.Breakdown{{Group: scoring.Overall, N: 5, Parts: []scoring.OutcomePart{{Name: "right", N: 2}, {Name: "both", N: 1}, {Name: "missing", N: 2}}}}
	b := report.OutcomeBar(report.NewRunPage(report.Run{Report: r}))[0].Bracket
	if b == nil || b.To != 2 || b.N != 3 || b.OutsideCount != 2 {
		t.Errorf("the bracket over the parts that hold an item: %+v", b)
	}
	if csv := string(printed(t, scores, report.CSV)); strings.Count(csv, "count of marks") != 2*len(scoring.Outcomes) {
		t.Errorf("%s", csv)
	}
}
