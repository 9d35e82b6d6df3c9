package cli

import (
	"cmp"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/internal/labels"
)

// label serves the page on which people label the items of a dataset or, with --export, writes the labelled items.
func (e *env) label(c *cli.Context) error {
	switch percent := c.Float64("again"); {
	case c.Int("sample") < 0:
		return usageError("--sample %d: a number of items is expected", c.Int("sample"))
	case c.IsSet("as") && labels.CheckName(c.String("as")) != nil:
		return usageError("--as %q: %v", c.String("as"), labels.ErrName)
	case !(percent >= 0 && percent <= 100):
		return usageError("--again %v: percent from 0 to 100 are expected", percent)
	}
	set, err := e.openSet(c)
	if err != nil {
		return err
	}
	defer set.Close()
	path := cmp.Or(c.String("labels"), labels.DefaultPath(c.Args().First()))
	if out := c.String("export"); out != "" {
		if filepath.Ext(out) != ".jsonl" {
			return usageError("--export %s: it writes JSON lines: end the name with .jsonl", out)
		}
		n, notes, err := labels.ExportDataset(set, path, out)
		e.sayEach(notes)
		if err == nil {
			e.say("%d items written to %s", n, out)
		}
		return err
	}
	desk, err := labels.OpenDesk(set, labels.DeskOptions{
		DatasetName: set.Name,
		Path:        path,
		Sample:      c.Int("sample"),
		RepeatShare: c.Float64("again") / 100,
		Seed:        c.Int64("seed"),
		Now:         e.now,
	})
	if err != nil {
		return err
	}
	defer desk.Close()
	e.sayEach(desk.FileMessages)
	return e.serve(c, desk)
}
