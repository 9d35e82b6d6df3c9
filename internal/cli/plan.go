package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/plan"
)

// planPairs computes for `gavel compare --plan` how many pairs tell two judges apart, or which
// difference a number of pairs shows.
func planPairs(c *cli.Context) (any, error) {
	if err := checkArguments(c, "none"); err != nil {
		return nil, err
	}
	p := &plan.SampleSizes{Discordant: c.Float64("discordant"), Power: c.Float64("power"), Alpha: c.Float64("alpha")}
	if c.IsSet("detect") {
		p.Detect = new(c.Float64("detect"))
	}
	if c.IsSet("pairs") {
		p.PairsAtHand = new(c.Int("pairs"))
	}
	if p.Detect == nil && p.PairsAtHand == nil {
		return nil, usageError("say --detect POINTS or --pairs N. See: %s --help", commandLine(c))
	}
	if err := p.Compute(); err != nil {
		return nil, usageError("%w", err)
	}
	return p, nil
}
