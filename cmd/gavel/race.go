package main

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/report"
	"gavel/scoring"
	"gavel/scoring/race"
)

func raceCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "race",
		Usage:     "find the best of several judges with few judgments",
		UsageText: "gavel race [flags] RUN RUN [RUN...]",
		Description: `Runs a race on judgments that are there already, and asks nothing: what would it have
cost to find the best of these judges, and would the race have erred? Judges go through
the same items in an order drawn by seed, in blocks of 16, 16, 32, 64 and so on, and one
leaves as soon as another is surely better. This holds however often one looks: the best
leaves with probability at most --alpha (docs/PROTOCOLS.md, section 6).

With --margin D judges that are surely less than D points apart are tied, and the race
ends when all that are in are tied. --about benchmark asks who is best on these very
items, each of which is drawn once, and not on items like these: that takes fewer.

Runs are of pairs (by strict, both orders of an item before it counts) or of answers, on
the same dataset; items that not all of them have are left out.

Example:
  gavel race --margin 3 runs/judge-1 runs/judge-2 runs/judge-3`,
		Flags: append(append([]cli.Flag{
			&cli.Float64Flag{Name: "alpha", Value: 0.05, Usage: "the best judge leaves with probability at most `P`"},
			&cli.Float64Flag{Name: "margin", Usage: "judges less than `D` points apart are tied; 0: none are"},
			&cli.StringFlag{Name: "about", Value: race.AboutItems, Usage: "who is best on `WHAT`: items (like these) or benchmark (these very items)"},
			&cli.IntFlag{Name: "orders", Value: 1000, Usage: "run it in `N` more orders, and count how often it errs"},
			&cli.Int64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the order of the items that is shown"},
		}, readingFlags()...), formatFlags()...),
		Action: func(c *cli.Context) error {
			rules, err := raceRules(c)
			if err != nil {
				return err
			}
			if err := allDifferent(c.Args().Slice()); err != nil {
				return err
			}
			runs, _, err := loadRuns(c, 2, "a race is of two runs or more")
			if err != nil {
				return err
			}
			rights, err := scoring.RightsOf(runs)
			if err != nil {
				return err
			}
			rules.Items = len(rights.Units)
			order := func(seed int64) []int {
				return datasets.Order(rules.Items, func(i int) string { return rights.Units[i] }, seed)
			}
			out := report.NewRace(rights, race.Replay(rights.Right, order(c.Int64("seed")), rules), rules, c.Int64("seed"))
			out.Orders = race.ReplayAll(rights.Right, order, c.Int("orders"), rights.Calls, rules)
			return e.print(c, out)
		},
	}
}

// mostOrders bounds the work of a race that asks nothing.
const mostOrders = 100_000

func raceRules(c *cli.Context) (race.Rules, error) {
	r := race.Rules{Alpha: c.Float64("alpha"), Margin: c.Float64("margin") / 100, Benchmark: c.String("about") == race.AboutBenchmark}
	if err := oneOf("--about", c.String("about"), race.Abouts); err != nil {
		return r, err
	}
	switch n := c.Int("orders"); {
	case !(r.Alpha > 0 && r.Alpha < 1):
		return r, usage("--alpha %v: a probability between 0 and 1 is expected", r.Alpha)
	case !(r.Margin >= 0 && r.Margin < 1):
		return r, usage("--margin %v: points from 0 to less than 100 are expected", c.Float64("margin"))
	case n < 0 || n > mostOrders:
		return r, usage("--orders %d: 0 to %d are expected", n, mostOrders)
	}
	return r, nil
}

// allDifferent refuses a run that is named twice: it would race against itself.
func allDifferent(dirs []string) error {
	seen := map[string]bool{}
	for _, dir := range dirs {
		if dir = filepath.Clean(dir); seen[dir] {
			return usage("%s is named twice: give each run once", dir)
		}
		seen[dir] = true
	}
	return nil
}
