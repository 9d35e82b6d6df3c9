package report_test

import (
	"bytes"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/scoring"
)

// paidRun is a run with a ledger.
func paidRun() scoring.Report {
	r := twoRuns().Runs[0]
	r.Ledger = &scoring.Ledger{Calls: 80, CachedReplies: 2, NonJudgmentRequests: 37, PromptTokens: 233494, CachedTokens: new(33769), IdealTokens: new(194200), ReplyTokens: 640, Seconds: 16.49, DecidedItems: 40, GeneratedTokens: 640, RightPerThousandTokens: new(12.5)}
	r.Ledger.ComputeDerivedFields(scoring.MachineRates{Watts: 100, PricePerHour: 3.6})
	r.Ledger.RightPerThousandTokens = new(12.5)
	return r
}

// TestCosts: every way to print a run says what it cost and what its server read; a run that nobody was paid for says
// nothing of it.
func TestCosts(t *testing.T) {
	r := paidRun()
	const read = "read 199,725 of 233,494 prompt tokens, 33,769 from cache; an ideal cache would leave 194,200; 2 replies from gavel's own cache, paid for before; " +
		"37 requests besides the calls, to identify the model and measure prompts"
	var text, page bytes.Buffer
	text.Write(printed(t, report.Scores{Runs: []scoring.Report{r}}, report.FullText))
	for _, want := range []string{read, "80 (2.0)", "199725 (4993)", "640 (16)", "16.5 (0.41)", "1649 (41.2)", "0.02 (0.0004)", "12.50"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if err := (report.RunsReport{Runs: []report.Run{{Report: r}}}).WriteHTML(&page); err != nil || !strings.Contains(page.String(), strings.ReplaceAll(read, "'", "&#39;")) {
		t.Errorf("the page does not say it: %v", err)
	}
	several := printed(t, report.Scores{Runs: []scoring.Report{twoRuns().Runs[1], r}}.Costs(), report.FullText)
	if bytes.Count(several, []byte("80 (2.0)")) != 1 {
		t.Errorf("of several runs: %s", several)
	}
	if free := printed(t, twoRuns(), report.FullText); bytes.Contains(free, []byte("in brackets: per decided")) {
		t.Errorf("nobody was paid: %s", free)
	}
}

// TestCostOfThinking: how many tokens were thinking is said where nothing was decided, too.
func TestCostOfThinking(t *testing.T) {
	for each, want := range map[*float64]string{nil: "; 600 of 640 tokens were thinking; 2 replies", new(15.0): "; 600 of 640 tokens were thinking, 15 for each verdict; 2 replies"} {
		r := paidRun()
		r.Ledger.ThoughtTokens, r.Ledger.ThoughtTokensPerVerdict = new(600), each
		if text := string(printed(t, report.Scores{Runs: []scoring.Report{r}}, report.FullText)); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
