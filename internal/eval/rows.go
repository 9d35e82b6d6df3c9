package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Rows is the plan for people: names and values.
func (run *RunPlan) Rows() [][]string {
	m, plan := run.Manifest, run.Plan
	calls := plan.Calls()
	cached := strconv.Itoa(plan.Cached)
	if plan.CacheNote != "" {
		cached += " (" + plan.CacheNote + ")"
	}
	rows := [][]string{
		{"protocol", protocolAsked(m.Spec)},
		{"prompt", m.Spec.Prompt.Name},
		{"judge", strings.TrimSpace(strings.Join([]string{m.Model.Name, m.Model.Parameters, m.Model.Quantisation},
			" ")) + " on " + describeAll(run.Judges)},
		{"dataset", fmt.Sprintf("%s: %d of %d items", m.Dataset.Name, plan.Items, m.Dataset.Rows)},
		{"judgments", strconv.Itoa(plan.Judgments)},
		{"  in the run already", strconv.Itoa(plan.Completed)},
		{"  in the cache", cached},
		{"  calls to make", CallRange(calls, plan.CallsAtMost)},
		{"prompt tokens", fmt.Sprintf("about %d (4 bytes a token)", plan.Tokens)},
		{"reply tokens", fmt.Sprintf("at most %d, %s", plan.MaxTokens, furtherTurns(m.Spec.Parameters, plan))},
		{"concurrency", strconv.Itoa(m.Concurrency)},
		{"run", run.Dir},
	}
	if plan.TooLong > 0 {
		rows = slices.Insert(rows, 7,
			[]string{"  too long to be asked", fmt.Sprintf("%d (counted by the server)", plan.TooLong)})
	}
	if m.Longest.Tokens > 0 {
		rows = slices.Insert(rows, len(rows)-3,
			[]string{"longest prompt", fmt.Sprintf("%d tokens (%s)", m.Longest.Tokens, m.Longest.By)})
	}
	if plan.MayNotFit > 0 {
		rows = slices.Insert(rows, len(rows)-3, []string{
			"  of them may not fit",
			fmt.Sprintf("%d (more bytes than the context has tokens; the server will tell)", plan.MayNotFit),
		})
	}
	rows = slices.Insert(rows, 3, serverRows(run.Judges)...)
	if n := m.Spec.Parameters.NumCtx; n > 0 {
		rows = slices.Insert(rows, len(rows)-2, []string{
			"num_ctx",
			fmt.Sprintf("%d tokens, for the longest prompt and %d replies", n, m.Spec.Parameters.Attempts),
		})
	}
	rows = slices.Insert(rows, len(rows)-1, []string{"time", run.Time()})
	return append(rows, run.tellsRows()...)
}

// tellsRows say what difference between two judges the items can tell, of protocols by which an item is right or wrong.
func (run *RunPlan) tellsRows() [][]string {
	tells := stats.Tells(run.Plan.Items, stats.Discordant, 0.05, 0.8)
	if math.IsNaN(tells) || len(scoring.Shares(run.Manifest.Spec.Protocol)) == 0 {
		return nil
	}
	return [][]string{{"tells apart", fmt.Sprintf("two judges that differ by %.1f points, at 80 %% power, "+
		"if one alone is right on %.0f %% of the items (gavel plan)", 100*tells, 100*stats.Discordant)}}
}

// protocolAsked names the protocol, with its question where its goal makes one.
func protocolAsked(s judging.Spec) string {
	if p, err := judging.ProtocolNamed(s.Protocol); err == nil && p.Asks != "" {
		return fmt.Sprintf("%s (%s)", s.Protocol, strings.ReplaceAll(p.Asks, "GOAL", s.Goal))
	}
	return s.Protocol
}

// furtherTurns says what a judgment may ask for beyond its first turn.
func furtherTurns(p judging.Parameters, plan judging.Plan) string {
	var more []string
	switch {
	case p.Constrain && plan.LabelTurns:
		more = append(more, "and a short turn each for the label")
	case !p.Constrain && p.Attempts > 1:
		more = append(more, "once more as many where a second attempt is needed")
	}
	if p.Constrain && p.Logprobs {
		more = append(more, "and a short call for each label that the server does not list by itself")
	}
	return cmp.Or(strings.Join(more, ", "), "in one turn")
}

// serverRows has a line of the plan for each server where there are several.
func serverRows(judges []backends.Member) (rows [][]string) {
	for i, s := range allServers(judges) {
		rows = append(rows, []string{fmt.Sprintf("  server %d", i+1), Describe(s)})
	}
	return rows
}
