package suite

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/internal/eval"
	"gavel/internal/report/table"
	"gavel/scoring/race"
	"gavel/scoring/stats"
)

// ParseBudget reads how much a race may spend: a number of calls, or hours as people write a duration.
func ParseBudget(text string) (l Limits, err error) {
	if text == "" {
		return l, nil
	}
	l.Calls, err = strconv.Atoi(text)
	if err == nil && l.Calls > 0 {
		return l, nil
	}
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil || d <= 0 {
		return l, fmt.Errorf("%q: expected a number of calls, such as 5000, or a time, such as 2.5h", text)
	}
	return Limits{Hours: d.Hours()}, nil
}

// planAlpha is that of `gavel race`, where nothing else is said.
const planAlpha = 0.05

// RacePlan says what a race of a suite's cells is expected to cost, and what its items can tell apart.
type RacePlan struct {
	Judges    int             `json:"judges"`
	Items     int             `json:"items"`
	FullCalls int             `json:"full_calls"`
	Expected  []race.Expected `json:"expected"`        // under guesses of the truth
	Tells     *float64        `json:"tells,omitempty"` // points that all items tell, of two judges and at 80 % power
}

// racePlan is that of the cells of a contest.
func (x *Contest) racePlan() *RacePlan {
	p := &RacePlan{Judges: len(x.state.Runs), Items: x.rules.Items, Expected: race.Expect(len(x.state.Runs), x.rules)}
	p.FullCalls = p.Judges * p.Items * x.calls
	if tells := stats.Tells(p.Items, stats.Discordant, planAlpha, 0.8); !math.IsNaN(tells) {
		p.Tells = new(math.Round(1e6*tells) / 1e4)
	}
	for i, e := range p.Expected {
		round := func(x float64) float64 { return math.Round(10*x) / 10 }
		p.Expected[i] = race.Expected{Behind: e.Behind, Share: round(e.Share), Found: round(e.Found), Loads: round(e.Loads)}
	}
	return p
}

// WouldRace adds what a race of the cells would cost to their plan, where they can race.
func (s *Suite) WouldRace(e *eval.Maker, plan *Plan) {
	if x, err := s.newContest(e, race.Rules{Alpha: planAlpha}); err == nil {
		plan.Race = x.racePlan()
	}
}

// PlanRace plans every cell, and the race of them. Nothing is asked.
func (s *Suite) PlanRace(ctx context.Context, e *eval.Maker, rules race.Rules) (*Plan, error) {
	x, err := s.newContest(e, rules)
	if err != nil {
		return nil, err
	}
	plan, err := s.Plan(ctx, e, false)
	if err == nil {
		plan.Race = x.racePlan()
	}
	return plan, err
}

// table of what a race costs.
func (p *RacePlan) table(all amounts) table.Table {
	t := table.Table{
		Title: fmt.Sprintf("expected cost of a race of %d judges over %d items (gavel race)", p.Judges, p.Items),
		Columns: slices.Concat(table.Left("if the best is ahead of all others by"),
			table.Right("calls", "of all, %", "time", "loads of models", "the best is found, %")),
	}
	for _, e := range p.Expected {
		title, time := fmt.Sprintf("%g points", e.Behind), "?"
		if e.Behind == 0 {
			title = "nothing"
		}
		if all.Calls > 0 && all.Unmeasured == 0 {
			time = eval.Span(3600 * all.Hours * e.Share / 100)
		}
		t.Rows = append(t.Rows, []string{
			title, strconv.Itoa(int(math.Round(float64(p.FullCalls) * e.Share / 100))),
			fmt.Sprintf("%.1f", e.Share), time, fmt.Sprintf("%.0f", e.Loads), fmt.Sprintf("%.0f", e.Found),
		})
	}
	t.Notes = []string{fmt.Sprintf("simulated, with %g %% of the items discordant: "+
		"exactly one of two judges is right on them", 100*stats.Discordant)}
	if p.Tells != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("all %d items tell two judges %.1f points apart at "+
			"80 %% power (McNemar's test; gavel plan)", p.Items, *p.Tells))
	}
	return t
}
