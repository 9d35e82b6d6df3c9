package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/races"
	"gavel/internal/suite"
	"gavel/scoring"
	"gavel/scoring/race"
)

// race runs a race of the judges in a suite's file, or over finished runs.
func (e *env) race(c *cli.Context) error {
	rules, err := raceRules(c)
	if err != nil {
		return err
	}
	first := c.Args().First()
	if info, err := os.Stat(first); c.NArg() == 1 && (err != nil || !info.IsDir()) {
		return e.runSuiteRace(c, first, rules)
	}
	return e.raceRuns(c, rules)
}

// runSuiteRace runs a race of the judges in a suite's file, making the suite's runs as far as the race needs them.
func (e *env) runSuiteRace(c *cli.Context, file string, rules race.Rules) error {
	for _, name := range append([]string{"scoring", "orders", "seed"}, oldScoringFlags...) {
		if c.IsSet(name) {
			return usageError("--%s is for races over finished runs", name)
		}
	}
	budget, err := suite.ParseBudget(c.String("budget"))
	if err != nil {
		return usageError("--budget %v", err)
	}
	s, err := suite.Open(file)
	if err != nil {
		return err
	}
	if err := s.Check(c.Context, e.maker()); err != nil {
		return err
	}
	if c.Bool("dry-run") {
		plan, err := s.Plan(c.Context, e.maker())
		if err != nil {
			return err
		}
		return e.printResult(c, plan)
	}
	out, err := s.Race(c.Context, e.maker(), rules, budget)
	if out != nil {
		if perr := e.printResult(c, out); perr != nil {
			return errors.Join(err, perr)
		}
	}
	if err == nil {
		e.next("suite", "run", file)
	}
	return err
}

// raceRuns runs a race over finished runs, as if their judges were asked only as long as needed.
func (e *env) raceRuns(c *cli.Context, rules race.Rules) error {
	for _, f := range []string{"budget", "dry-run"} {
		if c.IsSet(f) {
			return usageError("--%s is for races over a suite's file", f)
		}
	}
	if err := allDifferent(c.Args().Slice()); err != nil {
		return err
	}
	runs, _, err := loadRuns(c, 2, "a race is of two runs or more, or of a suite's FILE.yaml")
	if err != nil {
		return err
	}
	rights, err := scoring.RightUnitsOf(runs)
	if err != nil {
		return err
	}
	rules.Items = len(rights.CommonUnits)
	order := func(seed int64) []int {
		return datasets.DrawOrder(rules.Items, func(i int) string { return rights.CommonUnits[i] }, seed)
	}
	seed := c.Int64("seed")
	replay := race.Replay(rights.Right, order(seed), rules)
	out := races.New(rights.Runs, replay, rights.CallsPerUnit, seed, rights.Warnings)
	out.OrdersSummary = race.ReplayPerSeed(rights.Right, order, c.Int("orders"), rights.CallsPerUnit, rules)
	return e.printResult(c, out)
}

// mostOrders is the largest --orders: how many random orders of the items a race over finished runs is repeated in.
const mostOrders = 100_000

func raceRules(c *cli.Context) (race.Rules, error) {
	r := race.Rules{
		Alpha:          c.Float64("alpha"),
		TieMargin:      c.Float64("margin") / 100,
		OnlyTheseItems: c.String("about") == race.QuestionBenchmark,
	}
	if err := checkOneOf("--about", c.String("about"), race.Questions); err != nil {
		return r, err
	}
	switch n := c.Int("orders"); {
	case !(r.Alpha > 0 && r.Alpha < 1):
		return r, usageError("--alpha %v: expected a probability between 0 and 1", r.Alpha)
	case !(r.TieMargin >= 0 && r.TieMargin < 1):
		return r, usageError("--margin %v: expected points from 0 to less than 100", c.Float64("margin"))
	case n < 0 || n > mostOrders:
		return r, usageError("--orders %d: expected 0 to %d", n, mostOrders)
	}
	return r, nil
}

// allDifferent returns an error if a run, or another file, is named twice: it would race against itself.
func allDifferent(dirs []string) error {
	folders := map[string]bool{}
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		if folders[dir] {
			return usageError("%s is named twice: give each once", dir)
		}
		folders[dir] = true
	}
	return nil
}
