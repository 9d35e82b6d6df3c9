package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/datasets"
	"gavel/internal/eval"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// Contest is a race of a suite's cells: what they judge is asked for as long as it helps to find the best of them. What
// they were right on stands in the records of their runs, which are those that [Suite.Run] makes, with fewer items.
type Contest struct {
	*runner
	rules  race.Rules
	budget Limits
	state  *race.State
	drawn  []string // ids of the items, in the order in which they are asked about
	calls  int      // judgments of an item
	metric string
	known  []map[string]bool // of each cell: whether it is right on an item, by id
	engine *race.Race
}

// newContest holds the cells to what a race takes: two or more, all of the same items and right or
// wrong by the same metric.
func (s *Suite) newContest(e *eval.Maker, rules race.Rules) (*Contest, error) {
	if len(s.Cells) < 2 {
		return nil, s.wrong(0, "a race is of two judges or more, and the file has one run")
	}
	quiet := *e
	quiet.Observer = nil
	x := &Contest{rules: rules}
	opened := map[string][]string{} // ids, by what is asked
	for i, c := range s.Cells {
		shares := scoring.Shares(c.Request.Protocol)
		switch {
		case len(shares) == 0:
			return nil, s.wrong(c.condition.line,
				"a race is of pairs and of answers: %s is not right or wrong item by item", c.Request.Protocol)
		case c.Request.Until != "":
			return nil, s.wrong(c.condition.line, "until and a race: each would end the run; leave out until")
		}
		key := c.Request.QuestionsKey()
		if opened[key] == nil {
			ids, each, err := quiet.Items(c.Request)
			if err != nil {
				return nil, s.blame(c, err)
			}
			opened[key] = ids
			x.calls = max(x.calls, each)
		}
		drawn := judging.Drawn(opened[key], s.Cells[0].Request.Seed)
		if i == 0 {
			x.metric, x.drawn = shares[0], drawn
		}
		if shares[0] != x.metric || !slices.Equal(drawn, x.drawn) {
			return nil, s.wrong(c.condition.line, "%s and %s are not of the same items by the same metric: "+
				"a race is of one dataset", s.Cells[0].name, c.name)
		}
	}
	x.rules.Items = len(x.drawn)
	if x.rules.Items == 0 {
		return nil, s.wrong(0, "no items are left to judge")
	}
	hash := judging.HashIDs(len(x.drawn), func(i int) string { return x.drawn[i] })
	var runs []string
	for _, c := range s.Cells {
		runs = append(runs, c.name)
	}
	x.state = race.NewState(rules, s.Cells[0].Request.Seed, hash, runs)
	x.state.Items = x.rules.Items
	x.engine = race.New(len(runs), x.rules)
	return x, nil
}

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

// Race asks the cells, or goes on with that, until the best is found or the budget is spent. The table is there even
// where the error is not nil, once the race has begun. The error may be eval.ErrIncomplete or eval.ErrInterrupted.
func (s *Suite) Race(
	ctx context.Context, e *eval.Maker, rules race.Rules, budget Limits,
) (out *report.Race, err error) {
	x, err := s.newContest(e, rules)
	if err != nil {
		return nil, err
	}
	x.budget = budget
	if err := x.resume(s); err != nil {
		return nil, err
	}
	err = s.making(ctx, e, func(ctx context.Context, r *runner) error {
		x.runner = r
		err := x.run(ctx)
		out = x.table()
		return err
	})
	return out, err
}

// raced reads how far a race of the cells came.
func (s *Suite) raced() (*race.State, error) {
	path := filepath.Join(s.Out, race.StateFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return race.ReadState(path, f)
}

// resume takes over what stands in the suite's folder.
func (x *Contest) resume(s *Suite) error {
	old, err := s.raced()
	switch {
	case err == nil:
		if what := old.Differs(x.state); what != "" {
			return fmt.Errorf("%s: another race was started here: %s; "+
				"give the suite another name or out, or delete this file (the runs stay)",
				filepath.Join(s.Out, race.StateFile), what)
		}
		x.state.Seconds = old.Seconds
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for _, c := range s.Cells {
		known, err := rightsIn(c.Request.Out, x.metric)
		if err != nil {
			return err
		}
		x.known = append(x.known, known)
	}
	return nil
}

// rightsIn are the items of a run's folder that are judged, and whether it is right on them.
func rightsIn(dir, metric string) (map[string]bool, error) {
	known := map[string]bool{}
	m, err := judging.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	} else if err != nil {
		return nil, err
	}
	records, err := scoring.NewLoader(m, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, err
	}
	err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		if err := records.Add(r); err != nil {
			return err
		}
		if is, complete := records.Item(r.Item, metric); complete && is != scoring.NotKnown {
			known[strings.Clone(r.Item)] = is == scoring.Right
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return known, err
}

// run asks block after block.
func (x *Contest) run(ctx context.Context) error {
	for {
		j, upTo, ok := x.engine.Next()
		if !ok {
			x.state.Over = true
			return x.save()
		}
		if right, known := x.known[j][x.drawn[x.engine.Asked(j)]]; known && !x.overCalls() {
			x.engine.Add(right) // also where the hours are spent: these are what they were spent on
			continue
		}
		if err := x.save(); err != nil {
			return err
		}
		switch {
		case x.stopped(ctx):
			return x.end(ctx)
		case x.overBudget():
			return eval.Failed(eval.ErrIncomplete, fmt.Errorf("the budget is spent and the race is not over; "+
				"the same command with a larger --budget continues"))
		}
		if err := x.ask(ctx, j, upTo); err != nil {
			return err
		}
	}
}

// ask has a judge judge its items of the block, until it leaves.
func (x *Contest) ask(ctx context.Context, j, upTo int) error {
	c := x.suite.Cells[j]
	x.say("%s: items %d to %d of %d; %d of %d judges are in",
		c.name, x.engine.Asked(j)+1, upTo, x.rules.Items, len(x.engine.In()), len(x.suite.Cells))
	before := x.engine.Asked(j)
	if most := x.budget.Calls; most > 0 {
		upTo = min(upTo, before+most/x.calls-x.engine.Judgments())
	}
	x.Rule = &eval.Rule{
		Name:   "race",
		Alpha:  x.rules.Alpha,
		Metric: x.metric,
		Seed:   &x.state.Seed,
		Upto:   upTo,
		Look: func(place int, is scoring.ItemResult) bool {
			if place < x.engine.Asked(j) {
				return false
			}
			if turn, _, ok := x.engine.Next(); !ok || turn != j || is == scoring.NotKnown {
				return true
			}
			x.known[j][x.drawn[place]] = is == scoring.Right
			x.engine.Add(is == scoring.Right)
			turn, _, ok := x.engine.Next()
			return !ok || turn != j || x.overBudget()
		},
	}
	began := x.Now()
	_, err := x.Maker.Run(ctx, c.Request)
	x.state.Seconds[j] += x.Now().Sub(began).Seconds()
	switch {
	case x.stopped(ctx):
		return x.end(ctx)
	case err != nil:
		return fmt.Errorf("%s: %w", c.name, err)
	case x.engine.Asked(j) == before:
		return eval.Failed(eval.ErrIncomplete, fmt.Errorf("%s: the next item has no judgment: "+
			"a call failed, or the run lacks the item; %s", c.name, x.Words.GoOn))
	}
	return nil
}

// end is how a race ends that was told to.
func (x *Contest) end(ctx context.Context) error {
	if err := x.save(); err != nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, eval.ErrInterrupted) {
		return cause
	}
	return eval.Failed(eval.ErrInterrupted,
		fmt.Errorf("interrupted: %d judges are in; %s", len(x.engine.In()), x.Words.GoOn))
}

// overBudget tells whether what may be spent is.
func (x *Contest) overBudget() bool {
	seconds := 0.0
	for _, s := range x.state.Seconds {
		seconds += s
	}
	return x.overCalls() || x.budget.Hours > 0 && seconds/3600 >= x.budget.Hours
}

// overCalls tells whether another item would be above the calls.
func (x *Contest) overCalls() bool {
	return x.budget.Calls > 0 && (x.engine.Judgments()+1)*x.calls > x.budget.Calls
}

// save writes how far the race is.
func (x *Contest) save() error {
	for j := range x.state.Asked {
		x.state.Asked[j] = x.engine.Asked(j)
	}
	result := x.engine.Result(x.state.Runs, x.calls)
	x.state.Result = &result
	x.state.Shares = x.engine.Shares()
	return judging.WriteJSON(filepath.Join(x.suite.Out, race.StateFile), x.state)
}

// table of the race as it is.
func (x *Contest) table() *report.Race {
	rights := &scoring.Rights{Metric: x.metric, Calls: x.calls}
	for _, c := range x.suite.Cells {
		side := scoring.Side{
			Run:      c.Request.Out,
			Question: scoring.Question{Model: c.judge.name, Prompt: c.condition.Prompt, Dataset: c.condition.Dataset},
			Protocol: c.Request.Protocol,
		}
		if m, err := judging.ReadManifest(c.Request.Out); err == nil {
			side.Simulated = m.Simulated
			if _, what := datasets.ClusterOf(m.Dataset.Format); what != "" && !x.rules.Benchmark && len(rights.Warnings) == 0 {
				rights.Warnings = append(rights.Warnings, fmt.Sprintf("items of one %s are alike: "+
					"what is said of items like these is too sure; --about benchmark is not", what))
			}
		}
		rights.Runs = append(rights.Runs, side)
	}
	return report.NewRace(rights, x.engine, x.rules, x.state.Seed).Took(x.state.Seconds, x.state.Over)
}
