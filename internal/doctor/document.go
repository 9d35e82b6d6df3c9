package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"gavel/backends"
	"gavel/internal/doc"
)

// Verdict says whether the judge is ready for a run, and which checks were not made.
func (r *Report) Verdict() string {
	minds := 0
	for _, f := range r.Findings {
		if f.Status == Warn || f.Status == Unknown {
			minds++
		}
	}
	verdict := "ready"
	late := ""
	if n := len(r.UnfinishedChecks); n > 0 {
		verdict = fmt.Sprintf("ready so far (checks not made: %d)", n)
		late = "\nno time for: " + strings.Join(r.UnfinishedChecks, ", ") + " (see --time-limit)"
	}
	switch {
	case !r.Ready:
		verdict = "not ready: see what failed above"
	case minds == 1:
		verdict += "; read one finding above"
	case minds > 1:
		verdict += fmt.Sprintf("; read %d findings above", minds)
	}
	return verdict + late
}

// Document returns the findings, an estimate of a run's time if the speed was measured, and the verdict.
func (r *Report) Document() doc.Document {
	findings := &doc.Table{Columns: doc.ColumnsOfKind(doc.ColumnWords, "check", "finding")}
	for _, f := range r.Findings {
		findings.Add(doc.WordRow(string(f.Status), f.Check, f.Text))
		if f.Advice != "" {
			findings.Add(doc.WordRow("", "", "→ "+f.Advice))
		}
	}
	blocks := []doc.Block{{Table: findings}}
	if r.Speed != nil {
		blocks = append(blocks, r.estimate())
	}
	return doc.Document{Blocks: append(blocks, doc.Block{ShowTitle: true, Title: r.Verdict()})}
}

// estimate returns a table of the time that runs on JudgeBench would take, with a row for each number of concurrent
// requests, and notes on the basis of the estimate.
func (r *Report) estimate() doc.Block {
	t := &doc.Table{
		RowHead: "at once",
		Columns: doc.ColumnsOfKind(doc.ColumnInteger, "read tok/s", "write tok/s", "direct/s", "takes", "sop/s", "takes"),
	}
	for _, p := range r.Speed.ByConcurrency {
		t.Add(doc.WordRow(
			strconv.Itoa(p.Concurrency), formatNumber(p.PromptRate), formatNumber(p.ReplyRate),
			formatNumber(p.DirectPromptEstimate.PerSecond), formatHours(p.DirectPromptEstimate.Hours),
			formatNumber(p.SopPromptEstimate.PerSecond), formatHours(p.SopPromptEstimate.Hours),
		))
	}
	b := doc.Block{
		ShowTitle: true,
		Title: fmt.Sprintf("JudgeBench, %d pairs in both orders (%d judgments): an estimate",
			judgeBenchPairs, judgeBenchJudgments),
		Table: t,
	}
	per := "4 bytes a token (not measured)"
	if r.Speed.BytesPerTok > 0 {
		per = fmt.Sprintf("%.1f bytes a token (measured)", r.Speed.BytesPerTok)
	}
	b.AddPlainNotes(
		"direct/s, sop/s: judgments a second with that prompt",
		fmt.Sprintf("speeds are the middle of up to %d measurements", maxTries),
		fmt.Sprintf("prompts of %d bytes (direct) and %d (sop) on average, %s", directPromptBytes, sopPromptBytes, per),
		fmt.Sprintf("replies of %d and %d tokens, asked once, none from a cache",
			directReply, sopReplyTokens),
	)
	if r.Speed.RequestOverhead >= 0.01 {
		b.AddPlainNotes(fmt.Sprintf("%.2g s overhead per request (measured), in parallel for concurrent requests",
			r.Speed.RequestOverhead))
	}
	if len(r.Speed.ByConcurrency) < 2 {
		b.AddPlainNotes("concurrent requests were not measured")
	}
	if r.Model.Thinks == backends.AbilityYes {
		b.AddPlainNotes("thinking is not counted and may multiply the tokens of a reply")
	}
	return b
}

// formatNumber formats a number: with two significant digits below 10, without decimals above.
func formatNumber(v float64) string {
	if v >= 9.95 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%#.2g", v)
}

// formatHours formats a number of hours in seconds, minutes, hours or days.
func formatHours(hours float64) string {
	switch {
	case hours < 0.025:
		return fmt.Sprintf("%.0f s", max(1, hours*3600))
	case hours < 1.5:
		return fmt.Sprintf("%.0f min", hours*60)
	case hours < 48:
		return fmt.Sprintf("%.1f h", hours)
	}
	return fmt.Sprintf("%.1f days", hours/24)
}
