package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/plan"
)

func planCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Usage:     "how many pairs tell two judges apart",
		UsageText: "gavel plan [--detect POINTS] [--pairs N] [flags]",
		Flags: append([]cli.Flag{
			&cli.Float64Flag{Name: "detect", Usage: "the difference to detect, in `POINTS`"},
			&cli.IntFlag{Name: "pairs", Usage: "the number of pairs, `N`"},
			&cli.Float64Flag{Name: "discordant", Value: 30, Usage: "`PERCENT` of pairs on which exactly one judge is right"},
			&cli.Float64Flag{Name: "power", Value: 80, Usage: "power: find the difference in `PERCENT` of cases"},
			&cli.Float64Flag{
				Name:  "alpha",
				Value: 0.05,
				Usage: "significance level: the probability `P` of detecting a difference that does not exist",
			},
		}, formatFlags()...),
		Before: noArguments,
		Action: e.printed(func(c *cli.Context) (any, error) {
			p := &plan.Plan{Discordant: c.Float64("discordant"), Power: c.Float64("power"), Alpha: c.Float64("alpha")}
			if c.IsSet("detect") {
				p.Detect = new(c.Float64("detect"))
			}
			if c.IsSet("pairs") {
				p.Pairs = new(c.Int("pairs"))
			}
			if p.Detect == nil && p.Pairs == nil {
				return nil, usage("say --detect POINTS or --pairs N. See: %s --help", commandLine(c))
			}
			if err := p.Fill(); err != nil {
				return nil, usage("%w", err)
			}
			return p, nil
		}),
	}
}
