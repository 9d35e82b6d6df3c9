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

	"gonum.org/v1/gonum/floats"

	"gavel/datasets"
	"gavel/internal/eval"
	"gavel/internal/races"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// contest is a race of a suite's cells: their judges are asked as long as that helps to find the best of them. The
// records of their runs say on which items they are right; the runs are those of [Suite.Run], with fewer items.
type contest struct {
	*runner
	budget Limits
	state  *race.State
	engine *race.Race
	items  []string // ids in the order in which judges are asked about them
	calls  int      // judgments of an item
	metric string
	known  []map[string]bool // of each cell: whether it is right on an item that its run has judged, by id
}

// newContest compares the cells with the needs of a race: two or more, about the same items, and by the same metric,
// which counts an item as right or wrong.
func (s *Suite) newContest(e *eval.Maker, rules race.Rules) (*contest, error) {
	if len(s.Cells) < 2 {
		return nil, s.wrong(0, "a race is of two judges or more, and the file has one run")
	}
	seed := s.Cells[0].Request.Seed
	x := new(contest)
	var runs []string
	orders := map[string][]string{} // ids by dataset, in the order of the race
	for i, c := range s.Cells {
		runs = append(runs, c.name)
		shares := scoring.Shares(c.Request.Protocol)
		switch {
		case len(shares) == 0:
			return nil, s.wrong(c.condition.line,
				"a race is of pairs and of answers: %s is not right or wrong item by item", c.Request.Protocol)
		case c.Request.Until != "":
			return nil, s.wrong(c.condition.line, "until and a race: each would end the run; leave out until")
		}
		key := c.Request.QuestionsKey()
		if orders[key] == nil {
			ids, calls, err := e.Items(c.Request)
			if err != nil {
				return nil, s.blame(c, err)
			}
			orders[key] = judging.Drawn(ids, seed)
			x.calls = max(x.calls, calls)
		}
		if i == 0 {
			x.metric = shares[0]
			x.items = orders[key]
		}
		if shares[0] != x.metric || !slices.Equal(orders[key], x.items) {
			return nil, s.wrong(c.condition.line, "%s and %s are not of the same items by the same metric: "+
				"a race is of one dataset", s.Cells[0].name, c.name)
		}
	}
	rules.Items = len(x.items)
	if rules.Items == 0 {
		return nil, s.wrong(0, "no items are left to judge")
	}
	hash := judging.HashIDs(len(x.items), func(i int) string { return x.items[i] })
	x.state = race.NewState(rules, seed, hash, runs)
	x.engine = race.New(len(runs), rules)
	return x, nil
}

// ParseBudget reads the budget of a race: a number of calls, or hours as people write a duration.
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

// Race starts or continues a race of the cells, until the best is found or the budget is spent. Once the race has
// begun it returns the table even with an error, which may be eval.ErrIncomplete or eval.ErrInterrupted.
func (s *Suite) Race(
	ctx context.Context, e *eval.Maker, rules race.Rules, budget Limits,
) (out *races.Race, err error) {
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

// raceState reads the state of the cells' race.
func (s *Suite) raceState() (*race.State, error) {
	path := filepath.Join(s.Out, race.StateFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return race.ReadState(path, f)
}

// resume reads the suite's folder: the seconds of the race so far, and the judgments of the runs.
func (x *contest) resume(s *Suite) error {
	old, err := s.raceState()
	switch {
	case err == nil:
		if difference := old.Differs(x.state); difference != "" {
			return fmt.Errorf("%s: another race was started here: %s; "+
				"give the suite another name or out, or delete this file (the runs stay)",
				filepath.Join(s.Out, race.StateFile), difference)
		}
		x.state.Seconds = old.Seconds
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for _, c := range s.Cells {
		known, err := x.knownIn(c.Request.Out)
		if err != nil {
			return err
		}
		x.known = append(x.known, known)
	}
	return nil
}

// knownIn returns the items that the run in a folder has judged, and whether it is right on them.
func (x *contest) knownIn(dir string) (map[string]bool, error) {
	m, err := judging.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	records, err := scoring.NewLoader(m, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, err
	}
	err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), records.Add)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	known := map[string]bool{}
	for _, id := range x.items {
		if is, complete := records.Item(id, x.metric); complete && is != scoring.NotKnown {
			known[id] = is == scoring.Right
		}
	}
	return known, nil
}

// run asks judges for one block of items after another.
func (x *contest) run(ctx context.Context) error {
	for {
		j, upTo, ok := x.engine.Next()
		if !ok {
			x.state.Over = true
			return x.save()
		}
		if right, known := x.known[j][x.items[x.engine.Asked(j)]]; known && !x.exceedsCalls() {
			x.engine.Add(right) // also after the hours of the budget, which were spent on these
			continue
		}
		if err := x.save(); err != nil {
			return err
		}
		switch {
		case x.stopped(ctx):
			return x.interrupted(ctx, "%d judges are in", len(x.engine.In()))
		case x.exceedsBudget():
			return eval.Failed(eval.ErrIncomplete, fmt.Errorf("the budget is spent and the race is not over; "+
				"the same command with a larger --budget continues"))
		}
		if err := x.ask(ctx, j, upTo); err != nil {
			return err
		}
	}
}

// ask makes a judge's run judge its items of the block, until the judge leaves the race.
func (x *contest) ask(ctx context.Context, j, upTo int) error {
	c := x.suite.Cells[j]
	x.say("%s: items %d to %d of %d; %d of %d judges are in",
		c.name, x.engine.Asked(j)+1, upTo, len(x.items), len(x.engine.In()), len(x.suite.Cells))
	before := x.engine.Asked(j)
	if most := x.budget.Calls; most > 0 {
		upTo = min(upTo, before+most/x.calls-x.engine.Judgments())
	}
	isNext := func() bool {
		next, _, ok := x.engine.Next()
		return ok && next == j
	}
	x.Rule = &eval.Rule{
		Name:   "race",
		Alpha:  x.state.Alpha,
		Metric: x.metric,
		Seed:   &x.state.Seed,
		Upto:   upTo,
		Look: func(place int, is scoring.ItemResult) bool {
			if place < x.engine.Asked(j) {
				return false
			}
			if !isNext() || is == scoring.NotKnown {
				return true
			}
			x.engine.Add(is == scoring.Right)
			return !isNext() || x.exceedsBudget()
		},
	}
	began := x.Now()
	_, err := x.Maker.Run(ctx, c.Request)
	x.state.Seconds[j] += x.Now().Sub(began).Seconds()
	switch {
	case x.stopped(ctx):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", c.name, err)
	case x.engine.Asked(j) == before:
		return eval.Failed(eval.ErrIncomplete, fmt.Errorf("%s: the next item has no judgment: "+
			"a call failed, or the run lacks the item; %s", c.name, x.Words.GoOn))
	}
	return nil
}

// exceedsBudget reports whether the calls or the hours of the budget are spent.
func (x *contest) exceedsBudget() bool {
	hours := floats.Sum(x.state.Seconds) / 3600
	return x.exceedsCalls() || x.budget.Hours > 0 && hours >= x.budget.Hours
}

// exceedsCalls reports whether another item would exceed the calls of the budget.
func (x *contest) exceedsCalls() bool {
	return x.budget.Calls > 0 && (x.engine.Judgments()+1)*x.calls > x.budget.Calls
}

// save writes the state of the race.
func (x *contest) save() error {
	x.state.Record(x.engine, x.calls)
	return judging.WriteJSON(filepath.Join(x.suite.Out, race.StateFile), x.state)
}

// table lays out the race as it is.
func (x *contest) table() *races.Race {
	var sides []scoring.Side
	var warnings []string
	for _, c := range x.suite.Cells {
		side := scoring.Side{
			Run:      c.Request.Out,
			Question: scoring.Question{Model: c.judge.name, Prompt: c.condition.Prompt, Dataset: c.condition.Dataset},
			Protocol: c.Request.Protocol,
		}
		if m, err := judging.ReadManifest(side.Run); err == nil {
			side.Simulated = m.Simulated
			if _, cluster := datasets.ClusterOf(m.Dataset.Format); cluster != "" &&
				!x.engine.Rules.Benchmark && warnings == nil {
				warnings = append(warnings, fmt.Sprintf("items of one %s are alike: "+
					"what is said of items like these is too sure; --about benchmark is not", cluster))
			}
		}
		sides = append(sides, side)
	}
	out := races.New(sides, x.engine, x.calls, x.state.Seed, warnings)
	return out.Took(x.state.Seconds, x.state.Over)
}
