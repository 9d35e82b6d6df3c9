package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/plan"
)

// planFlags ask how many pairs a comparison needs.
func planFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag("plan", "without runs: how many pairs are needed, or what a number of pairs can show"),
		&cli.Float64Flag{Name: "detect", Usage: "with --plan: the difference to detect, in `POINTS`"},
		&cli.IntFlag{Name: "pairs", Usage: "with --plan: the number of pairs, `N`"},
		&cli.Float64Flag{
			Name:  "discordant",
			Value: 30,
			Usage: "with --plan: `PERCENT` of pairs on which exactly one judge is right",
		},
		&cli.Float64Flag{Name: "power", Value: 80, Usage: "with --plan: find the difference in `PERCENT` of cases"},
		&cli.Float64Flag{Name: "alpha", Value: 0.05, Usage: "with --plan: significance level `P` of the test"},
	}
}

func planPairs(c *cli.Context) (any, error) {
	if err := noArguments(c); err != nil {
		return nil, err
	}
	p := &plan.SampleSizes{Discordant: c.Float64("discordant"), Power: c.Float64("power"), Alpha: c.Float64("alpha")}
	if c.IsSet("detect") {
		p.Detect = new(c.Float64("detect"))
	}
	if c.IsSet("pairs") {
		p.Pairs = new(c.Int("pairs"))
	}
	if p.Detect == nil && p.Pairs == nil {
		return nil, usage("say --detect POINTS or --pairs N. See: %s --help", commandLine(c))
	}
	if err := p.Compute(); err != nil {
		return nil, usage("%w", err)
	}
	return p, nil
}
