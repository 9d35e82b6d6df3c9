package cli

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

func referencesCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "references",
		Usage:     "published judges, alone or beside a run of the same pairs",
		UsageText: "gavel references [--out DIR] [RUN]",
		Description: "gavel has the verdicts of 13 published judges on the pairs of LLMBar, item by item. Beside a run of\n" +
			"such pairs, or of a sample of them, each is tested on the very pairs of the run. --out makes runs\n" +
			"of them, which the leaderboard shows beside the run: put them into the same folder of runs. Of\n" +
			"JudgeBench figures alone are known.",
		Flags: append([]cli.Flag{
			stringFlag("out", "make a run of each judge on the items of RUN, in `DIR`"),
		}, formatFlags()...),
		Action: func(c *cli.Context) error {
			dir, out := c.Args().First(), c.String("out")
			switch {
			case c.NArg() > 1:
				return usage("one run at a time: gavel references RUN")
			case dir == "" && out != "":
				return usage("--out needs a run whose items the judges are to have judged: gavel references --out DIR RUN")
			case dir == "":
				all := pairwise.References(scoring.DefaultOptions.Bootstrap.Level)
				return e.print(c, report.ListReferences(nil, all))
			}
			run, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
			if err != nil {
				return err
			}
			rep := run.Score(scoring.DefaultOptions.Bootstrap)
			if len(rep.References) == 0 {
				return fmt.Errorf("%s: nothing published is known that it could be held against: that takes a run at its "+
					"end, of gavel's file of LLMBar's pairs or of a whole file of JudgeBench, asked which is better", dir)
			}
			err = e.print(c, report.ListReferences(&rep, rep.References))
			if err != nil || out == "" {
				return err
			}
			made, err := pairwise.PublishedOn(dir, version())
			if err != nil {
				return err
			}
			for _, r := range made {
				if err := r.Write(filepath.Join(out, runFolder(r.Manifest.Spec.Model.Name))); err != nil {
					return err
				}
			}
			e.say("%d runs written to %s", len(made), out)
			e.next("gavel", "serve", "--open", "--runs", filepath.Dir(filepath.Clean(out)))
			return nil
		},
	}
}
