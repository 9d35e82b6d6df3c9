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
	"gavel/internal/phrases"
	"gavel/internal/races"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// suiteRace runs a race of a suite's cells: it asks their judges only as long as that helps to find the best one. The
// race uses the records of the cells' runs, which are the runs of [Suite.Run] with fewer items.
type suiteRace struct {
	*runner
	budget       Limits            // calls and hours after which the race pauses
	state        *race.State       // stored in the suite's folder
	engine       *race.Race        // decides which judge to ask next
	items        []string          // ids in the order in which judges are asked about them
	callsPerItem int               // judgments that an item takes, on average
	metric       string            // by which items are correct or not
	correctItems []map[string]bool // by cell and id: whether the cell is correct on an item that its run has judged
}

// newSuiteRace returns a race of the cells, or an error if they cannot race: there must be two or more, about the same
// items, with the same metric, which counts an item as correct or not.
func (s *Suite) newSuiteRace(e *eval.Maker, rules race.Rules) (*suiteRace, error) {
	if len(s.Cells) < 2 {
		return nil, s.errorAtLine(0, "a race needs at least two judges, and the file has one run")
	}
	seed := s.Cells[0].Request.Seed
	x := new(suiteRace)
	var runs []string
	orders := map[string][]string{} // ids by dataset, in the order of the race
	for i, c := range s.Cells {
		runs = append(runs, c.name)
		shares := scoring.ItemwiseMetrics(c.Request.Protocol)
		switch {
		case len(shares) == 0:
			return nil, s.errorAtLine(c.condition.line,
				"a race needs a protocol that counts items as correct or not: %s does not", c.Request.Protocol)
		case c.Request.Until != "":
			return nil, s.errorAtLine(c.condition.line,
				"until cannot be combined with a race, which ends runs itself: leave it out")
		}
		key := c.Request.QuestionsKey()
		if orders[key] == nil {
			items, calls, err := e.Items(c.Request)
			if err != nil {
				return nil, s.locateError(c, err)
			}
			var ids []string
			for _, item := range items {
				ids = append(ids, item.ID)
			}
			orders[key] = judging.ShuffleIDs(ids, seed)
			x.callsPerItem = max(x.callsPerItem, calls/max(1, len(ids)))
		}
		if i == 0 {
			x.metric = shares[0]
			x.items = orders[key]
		}
		if shares[0] != x.metric || !slices.Equal(orders[key], x.items) {
			return nil, s.errorAtLine(c.condition.line, "%s and %s do not have the same items and metric: "+
				"a race needs one dataset", s.Cells[0].name, c.name)
		}
	}
	rules.Items = len(x.items)
	if rules.Items == 0 {
		return nil, s.errorAtLine(0, "no items are left to judge")
	}
	hash := judging.HashIDs(len(x.items), func(i int) string { return x.items[i] })
	x.state = race.NewState(rules, seed, hash, runs)
	x.engine = race.New(len(runs), rules)
	return x, nil
}

// ParseBudget parses the budget of a race: a number of calls, or a duration.
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
// started it returns the table so far even with an error, which may be eval.ErrIncomplete or eval.ErrInterrupted.
func (s *Suite) Race(
	ctx context.Context, e *eval.Maker, rules race.Rules, budget Limits,
) (out *races.Race, err error) {
	x, err := s.newSuiteRace(e, rules)
	if err != nil {
		return nil, err
	}
	x.budget = budget
	if err := x.resume(s); err != nil {
		return nil, err
	}
	err = s.doWithRunner(ctx, e, func(ctx context.Context, r *runner) error {
		x.runner = r
		err := x.run(ctx)
		out = x.table()
		return err
	})
	return out, err
}

// raceState reads the state of the cells' race from the suite's folder.
func (s *Suite) raceState() (*race.State, error) {
	path := filepath.Join(s.Out, race.StateFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return race.ReadState(path, f)
}

// resume continues a race from the suite's folder: it reads the seconds spent so far, and the judgments of the runs.
func (x *suiteRace) resume(s *Suite) error {
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
		results, err := x.judgedItemOutcomes(c.Request.Out)
		if err != nil {
			return err
		}
		x.correctItems = append(x.correctItems, results)
	}
	return nil
}

// judgedItemOutcomes returns, by id of each item that the run in a folder has judged, whether the judge is correct.
func (x *suiteRace) judgedItemOutcomes(dir string) (map[string]bool, error) {
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
	results := map[string]bool{}
	for _, id := range x.items {
		if result, complete := records.ItemResult(id, x.metric); complete && result != scoring.ItemUnknown {
			results[id] = result == scoring.ItemRight
		}
	}
	return results, nil
}

// run asks one judge after another for a block of items, until the race is over or must pause.
func (x *suiteRace) run(ctx context.Context) error {
	for {
		j, upTo, ok := x.engine.Next()
		if !ok {
			x.state.Over = true
			return x.save()
		}
		if right, ok := x.correctItems[j][x.items[x.engine.OutcomeCount(j)]]; ok && !x.nextItemExceedsCalls() {
			x.engine.Add(right) // also after the hours of the budget: these items are paid for
			continue
		}
		if err := x.save(); err != nil {
			return err
		}
		switch {
		case x.stopped(ctx):
			return x.interruptionError(ctx, "%d judges remain", len(x.engine.Remaining()))
		case x.exceedsBudget():
			return eval.ErrorOfKind(eval.ErrIncomplete, fmt.Errorf("the budget is spent and the race is not over; "+
				"the same command with a larger --budget continues"))
		}
		if err := x.judgeItemsUpTo(ctx, j, upTo); err != nil {
			return err
		}
	}
}

// judgeItemsUpTo makes the run of judge j judge its next items, up to number upTo of the race's order; it ends early
// when the judge leaves the race.
func (x *suiteRace) judgeItemsUpTo(ctx context.Context, j, upTo int) error {
	c := x.suite.Cells[j]
	x.Notef("%s: items %d to %d of %d; %d of %d judges remain",
		c.name, x.engine.OutcomeCount(j)+1, upTo, len(x.items), len(x.engine.Remaining()), len(x.suite.Cells))
	before := x.engine.OutcomeCount(j)
	if limit := x.budget.Calls; limit > 0 {
		upTo = min(upTo, before+limit/x.callsPerItem-x.engine.Judgments())
	}
	isNext := func() bool {
		next, _, ok := x.engine.Next()
		return ok && next == j
	}
	x.Rule = &eval.StoppingRule{
		Name:     "race",
		Alpha:    x.state.Alpha,
		Metric:   x.metric,
		Seed:     &x.state.Seed,
		MaxItems: upTo,
		Observe: func(place int, result scoring.ItemResult) bool {
			if place < x.engine.OutcomeCount(j) {
				return false
			}
			if !isNext() || result == scoring.ItemUnknown {
				return true
			}
			x.engine.Add(result == scoring.ItemRight)
			return !isNext() || x.exceedsBudget()
		},
	}
	start := x.Now()
	_, err := x.Maker.Run(ctx, c.Request)
	x.state.Seconds[j] += x.Now().Sub(start).Seconds()
	switch {
	case x.stopped(ctx):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", c.name, err)
	case x.engine.OutcomeCount(j) == before:
		return eval.ErrorOfKind(eval.ErrIncomplete, fmt.Errorf("%s: the next item has no judgment: "+
			"a call failed, or the run lacks the item; %s", c.name, x.Hints.GoOn))
	}
	return nil
}

// exceedsBudget reports whether the calls or the hours of the race's budget are spent.
func (x *suiteRace) exceedsBudget() bool {
	hours := floats.Sum(x.state.Seconds) / 3600
	return x.nextItemExceedsCalls() || x.budget.Hours > 0 && hours >= x.budget.Hours
}

// nextItemExceedsCalls reports whether another item would exceed the calls of the budget.
func (x *suiteRace) nextItemExceedsCalls() bool {
	return x.budget.Calls > 0 && (x.engine.Judgments()+1)*x.callsPerItem > x.budget.Calls
}

// save writes the state of the race to the suite's folder.
func (x *suiteRace) save() error {
	x.state.Record(x.engine, x.callsPerItem)
	return judging.WriteJSON(filepath.Join(x.suite.Out, race.StateFile), x.state)
}

// table returns the table of the race so far.
func (x *suiteRace) table() *races.Race {
	var sides []scoring.Side
	var warnings []string
	for _, c := range x.suite.Cells {
		side := scoring.Side{
			Run:      c.Request.Out,
			RunSetup: scoring.RunSetup{Model: c.judge.name, Prompt: c.condition.Prompt, Dataset: c.condition.Dataset},
			Protocol: c.Request.Protocol,
		}
		if m, err := judging.ReadManifest(side.Run); err == nil {
			side.Simulated = m.Simulated
			if _, cluster := datasets.ClusterFunc(m.Dataset.Format); cluster != "" &&
				!x.engine.Rules.OnlyTheseItems && warnings == nil {
				warnings = append(warnings, phrases.Sentence("race.dependent", cluster))
			}
		}
		sides = append(sides, side)
	}
	out := races.New(sides, x.engine, x.callsPerItem, x.state.Seed, warnings)
	return out.AddTimes(x.state.Seconds, x.state.Over)
}
