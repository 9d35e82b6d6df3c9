package cli

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/internal/carry/bundle"
	"gavel/internal/report/table"
)

func (e *env) bundleExport(c *cli.Context) error {
	r := bundle.ExportRequest{
		Out:      c.String("out"),
		Runs:     c.Args().Slice(),
		Datasets: c.StringSlice("dataset"),
	}
	has, err := bundle.Export(e.library(), r)
	if err != nil {
		return err
	}
	e.say("%s: %s, %s",
		r.Out, table.CountWithNoun(len(has.Runs), "run"), table.CountWithNoun(len(has.Datasets), "dataset"))
	return nil
}

func (e *env) bundleImport(c *cli.Context) error {
	runs := c.String("runs")
	done, err := bundle.Import(e.library(), c.Args().First(), runs)
	if err != nil {
		return err
	}
	e.say("%s imported, %d already there", table.CountWithNoun(done.Written, "file"), done.Unchanged)
	for _, run := range done.Runs {
		e.say("  %s", filepath.Join(runs, filepath.FromSlash(run)))
	}
	if len(done.Runs) > 0 {
		e.next("score", filepath.Join(runs, filepath.FromSlash(done.Runs[0])))
	}
	return nil
}
