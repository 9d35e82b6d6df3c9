package main

import (
	"github.com/urfave/cli/v2"

	"gavel/bundle"
	"gavel/report"
	"gavel/scoring"
)

func replayCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "make a run again from its folder and the cache alone: no server, no dataset needed",
		UsageText: "gavel replay RUN --out DIR [flags]",
		Description: `Renders every prompt of the run again from its items, takes the replies from the cache (of
a simulated run from the simulation), reads and scores them, and says whether results.json is the same, byte for byte,
or, of a run that another version of gavel made, in its values. It proves that the numbers follow from the items and the
replies; with "gavel bundle" it does so on another machine.

Example:
  gavel replay runs/sample_pairwise_sop_qwen3-8b_1a2b3c4d --out /tmp/again

Exit status: 0 the same results; 1 other results; 3 replies are not in the cache.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the new run"},
			&cli.StringFlag{Name: "cache", Usage: "`DIR` of the cache"},
		}, formatFlags()...),
		Before: oneArgument("RUN"),
		Action: e.replay,
	}
}

func (e *env) replay(c *cli.Context) error {
	if c.String("out") == "" {
		return usage("--out is missing: name the folder of the new run")
	}
	rep, found, err := bundle.Replay(c.Context, e.maker(), c.Args().First(), c.String("out"), c.String("cache"))
	if rep != nil {
		if perr := e.print(c, report.Scores{Runs: []scoring.Report{*rep}}); perr != nil {
			return perr
		}
	}
	if err != nil {
		return err
	}
	e.say("%s", found)
	return nil
}
