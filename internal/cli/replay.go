package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/carry/bundle"
	"gavel/internal/report"
	"gavel/scoring"
)

func (e *env) replay(c *cli.Context) error {
	if c.String("out") == "" {
		return usageError("--out is missing: name the folder of the new run")
	}
	rep, check, err := bundle.ReplayRun(c.Context, e.maker(), c.Args().First(), c.String("out"))
	if rep != nil {
		if perr := e.printResult(c, report.Scores{Runs: []scoring.Report{*rep}}); perr != nil {
			return perr
		}
	}
	if err != nil {
		return err
	}
	e.say("%s", check)
	return nil
}
