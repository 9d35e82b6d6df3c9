package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/report"
)

// plan prints what a run would do.
func (e *env) plan(ctx context.Context, p *prepared) error {
	p.job.Standing = judging.Standing{}
	if old, err := judging.ReadManifest(p.out); err == nil {
		if old.ID != p.job.Manifest.ID {
			return judging.OtherRun(p.out, old, p.job.Manifest)
		}
		err := judging.ReadRecords(filepath.Join(p.out, judging.RecordsFile), func(r *judging.Record) error {
			if !p.again(r) {
				p.job.Standing.Add(r)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var cached func(backends.Request) bool
	note := ""
	switch {
	case p.opts.noCache || p.opts.backend == "sim":
		note = "the cache is not used"
	default:
		store, closeStore, err := e.replies(p.opts.cacheDir)
		if err != nil {
			note = "unknown: " + err.Error()
		} else {
			defer closeStore()
			cached = e.hooks.planner.known(store.Peek)
		}
	}
	plan, err := p.job.MakePlan(ctx, cached)
	if err != nil {
		return err
	}
	plan.CacheNote = note
	if e.hooks.planner != nil {
		return e.hooks.planner.take(ctx, p, plan)
	}
	return e.printPlan(p, plan)
}

func (e *env) printPlan(p *prepared, plan judging.Plan) error {
	if e.hooks.planned != nil {
		e.hooks.planned(p, plan)
		return nil
	}
	if p.opts.format == "json" {
		return report.WriteJSON(e.stdout, struct {
			Manifest *judging.Manifest `json:"manifest"`
			Out      string            `json:"out"`
			Plan     judging.Plan      `json:"plan"`
		}{p.job.Manifest, p.out, plan})
	}
	if err := report.TextWithin(e.columns)(e.stdout, report.Table{Title: "plan: nothing is asked", Columns: []report.Column{{Name: ""}, {Name: ""}}, Rows: planRows(p, plan)}); err != nil {
		return err
	}
	for _, msg := range plan.First {
		fmt.Fprintf(e.stdout, "--- first prompt, %s ---\n%s\n", msg.Role, msg.Content)
	}
	return nil
}

// planRows is a plan for people.
func planRows(p *prepared, plan judging.Plan) [][]string {
	m := p.job.Manifest
	calls := plan.Calls()
	cached := strconv.Itoa(plan.Cached)
	if plan.CacheNote != "" {
		cached += " (" + plan.CacheNote + ")"
	}
	rows := [][]string{
		{"protocol", protocolAsked(m.Spec)},
		{"prompt", m.Spec.Prompt.Name},
		{"judge", strings.TrimSpace(strings.Join([]string{m.Model.Name, m.Model.Parameters, m.Model.Quantisation}, " ")) + " on " + describeAll(p.judges)},
		{"dataset", fmt.Sprintf("%s: %d of %d items", m.Dataset.Name, plan.Items, m.Dataset.Rows)},
		{"judgments", strconv.Itoa(plan.Judgments)},
		{"  in the run already", strconv.Itoa(plan.Standing)},
		{"  in the cache", cached},
		{"  calls to make", callRange(calls, plan.CallsAtMost)},
		{"prompt tokens", fmt.Sprintf("about %d (4 bytes a token)", plan.Tokens)},
		{"reply tokens", fmt.Sprintf("at most %d, %s", plan.MaxTokens, furtherTurns(m.Spec.Parameters, plan))},
		{"concurrency", strconv.Itoa(m.Concurrency)},
		{"run", p.out},
	}
	if plan.TooLong > 0 {
		rows = slices.Insert(rows, 7, []string{"  too long to be asked", fmt.Sprintf("%d (counted by the server)", plan.TooLong)})
	}
	if m.Longest.Tokens > 0 {
		rows = slices.Insert(rows, len(rows)-3, []string{"longest prompt", fmt.Sprintf("%d tokens (%s)", m.Longest.Tokens, m.Longest.By)})
	}
	if plan.MayNotFit > 0 {
		rows = slices.Insert(rows, len(rows)-3, []string{"  of them may not fit", fmt.Sprintf("%d (more bytes than the context has tokens; the server will tell)", plan.MayNotFit)})
	}
	rows = slices.Insert(rows, 3, serverRows(p.judges)...)
	if n := m.Spec.Parameters.NumCtx; n > 0 {
		rows = slices.Insert(rows, len(rows)-2, []string{"num_ctx", fmt.Sprintf("%d tokens, for the longest prompt and %d replies", n, m.Spec.Parameters.Attempts)})
	}
	return rows
}

// protocolAsked names the protocol, with its question where its goal makes one.
func protocolAsked(s judging.Spec) string {
	switch s.Goal {
	case judging.GoalBetter, judging.GoalWorse, judging.GoalBest, judging.GoalWorst:
		return fmt.Sprintf("%s (which is %s?)", s.Protocol, s.Goal)
	}
	return s.Protocol
}

func callRange(least, most int) string {
	if most <= least {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d, at most %d", least, most)
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
