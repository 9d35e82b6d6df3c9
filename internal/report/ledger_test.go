package report_test

import (
	"bytes"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// paidRun is a run with a ledger.
func paidRun() scoring.Report {
	r := twoRuns().Runs[0]
	r.Ledger = &scoring.Ledger{Calls: 80, Remembered: 2, Beside: 37, PromptTokens: 233494, CachedTokens: new(33769), IdealTokens: new(194200), ReplyTokens: 640, Seconds: 16.49, DecidedItems: 40, GeneratedTokens: 640, PerThousand: new(12.5)}
	r.Ledger.At(scoring.Rates{Watts: 100, PricePerHour: 3.6})
	r.Ledger.PerThousand = new(12.5)
	return r
}

// TestCosts: every way to print a run says what it cost and what its server read; a run that nobody was paid for says
// nothing of it.
func TestCosts(t *testing.T) {
	r := paidRun()
	const read = "read 199,725 of 233,494 prompt tokens, 33,769 from cache; an ideal cache would leave 194,200; 2 replies from gavel's own cache, paid for before; " +
		"37 requests beside the calls: which model is served, how long a prompt is"
	var text, page, several bytes.Buffer
	if err := table.Writer(table.Text).Each(&text, report.Scores{Runs: []scoring.Report{r}}.Tables()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{read, "80 (2.0)", "199725 (4993)", "640 (16)", "16.5 (0.41)", "1649 (41.2)", "0.02 (0.0004)", "12.50"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if err := (report.Document{Runs: []report.Run{{Report: r}}}).WriteHTML(&page); err != nil || !strings.Contains(page.String(), strings.ReplaceAll(read, "'", "&#39;")) {
		t.Errorf("the page does not say it: %v", err)
	}
	if err := table.Writer(table.Text).Each(&several, report.Scores{Runs: []scoring.Report{twoRuns().Runs[1], r}}.Costs()); err != nil || strings.Count(several.String(), "80 (2.0)") != 1 {
		t.Errorf("of several runs: %v\n%s", err, several.String())
	}
	text.Reset()
	if err := table.Writer(table.Text).Each(&text, twoRuns().Tables()); err != nil || strings.Contains(text.String(), "cost (in brackets") {
		t.Errorf("nobody was paid: %v\n%s", err, text.String())
	}
}

// TestCostOfThinking: how many tokens were thinking is said where nothing was decided, too.
func TestCostOfThinking(t *testing.T) {
	for each, want := range map[*float64]string{nil: "; 600 of 640 tokens were thinking; 2 replies", new(15.0): "; 600 of 640 tokens were thinking, 15 for each verdict; 2 replies"} {
		r := paidRun()
		r.Ledger.ThoughtTokens, r.Ledger.ThoughtEach = new(600), each
		var text bytes.Buffer
		if err := table.Writer(table.Text).Each(&text, report.Scores{Runs: []scoring.Report{r}}.Tables()); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
