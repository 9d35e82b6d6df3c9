package eval

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Rows returns the plan as names and values for people.
func (run *RunPlan) Rows() (rows [][2]string) {
	m, plan := run.Manifest, run.Plan
	add := func(name, format string, args ...any) {
		rows = append(rows, [2]string{name, fmt.Sprintf(format, args...)})
	}
	add("protocol", "%s", protocolWithQuestion(m.Spec))
	add("prompt", "%s", m.Spec.Prompt.Name)
	judge := strings.Join([]string{m.Model.Name, m.Model.Parameters, m.Model.Quantisation}, " ")
	add("judge", "%s on %s", strings.TrimSpace(judge), describeAll(run.Judges))
	for i, s := range allServers(run.Judges) {
		add(fmt.Sprintf("  server %d", i+1), "%s", DescribeServer(s))
	}
	add("dataset", "%s: %d of %d items", m.Dataset.Name, plan.Items, m.Dataset.Rows)
	add("judgments", "%d", plan.Judgments)
	add("  in the run already", "%d", plan.Completed)
	if plan.CacheUnreadReason == "" {
		add("  in the cache", "%d", plan.Cached)
	} else {
		add("  in the cache", "%d (%s)", plan.Cached, plan.CacheUnreadReason)
	}
	if plan.TooLong > 0 {
		add("  too long to be asked", "%d (counted by the server)", plan.TooLong)
	}
	add("  calls to make", "%s", CallRange(plan.Calls(), plan.CallsAtMost, " with follow-up turns"))
	add("prompt tokens", "about %d (4 bytes a token)", plan.PromptTokens)
	if m.LongestPrompt.Tokens > 0 {
		add("longest prompt", "%d tokens (%s)", m.LongestPrompt.Tokens, m.LongestPrompt.CountMethod)
	}
	if plan.MayNotFit > 0 {
		add("  of them may not fit", "%d (more bytes than the context has tokens; the server decides)", plan.MayNotFit)
	}
	add("reply tokens", "at most %d, %s", plan.ReplyTokensAtLimit, furtherTurns(m.Spec.Parameters, plan))
	if n := m.Spec.Parameters.NumCtx; n > 0 {
		add("num_ctx", "%d tokens, for the longest prompt and %d replies", n, m.Spec.Parameters.VerdictAttempts)
	}
	add("concurrency", "%d", m.Concurrency)
	add("time", "%s", run.Time())
	add("run", "%s", run.Dir)
	tells := stats.DetectableDifference(plan.Items, stats.DefaultDiscordantShare, 0.05, 0.8)
	if !math.IsNaN(tells) && len(scoring.ItemwiseMetrics(m.Spec.Protocol)) > 0 {
		add("can detect", "a difference of %.1f points between two judges, at 80 %% power, "+
			"if exactly one of them is correct on %.0f %% of the items (gavel plan)",
			100*tells, 100*stats.DefaultDiscordantShare)
	}
	return rows
}

// protocolWithQuestion returns the protocol's name, with its question if that depends on the goal.
func protocolWithQuestion(s judging.Spec) string {
	if p, _ := judging.ProtocolNamed(s.Protocol); p.QuestionTemplate != "" {
		return fmt.Sprintf("%s (%s)", s.Protocol, strings.ReplaceAll(p.QuestionTemplate, "GOAL", s.Goal))
	}
	return s.Protocol
}

// furtherTurns returns in words the requests that a judgment may need after its first turn.
func furtherTurns(p judging.Parameters, plan judging.CallPlan) string {
	var more []string
	switch {
	case p.Constrain && plan.HasLabelTurn:
		more = append(more, "and a short turn for the label in each judgment")
	case !p.Constrain && p.VerdictAttempts > 1:
		more = append(more, "and as many again for each second attempt")
	}
	if p.Constrain && p.Logprobs {
		more = append(more, "and a short call for each label that the server does not list by itself")
	}
	return cmp.Or(strings.Join(more, ", "), "in one turn")
}
