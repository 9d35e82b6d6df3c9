package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/scoring"
)

func swayCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "sway",
		Usage:     "what sways a judge beside what is right: the place, length, looks",
		UsageText: "gavel sway [flags] RUN",
		Description: "It reads a stored run of pairs and asks nothing. Of each pair it counts what one response has\n" +
			"more of: characters, Markdown, lists, code, numbers, hedging, first person. One logistic\n" +
			"regression of the verdicts on what is right, the place and all of these tells what each does\n" +
			"by itself.",
		Flags: append(verdictFlags(), formatFlags()...),
		Action: e.printed(func(c *cli.Context) (any, error) {
			o, err := scoringFrom(c)
			if err != nil {
				return nil, err
			}
			if c.NArg() != 1 {
				return nil, usage("one run at a time: gavel sway RUN")
			}
			dir := c.Args().First()
			run, err := scoring.Load(dir, o.Reading)
			if err != nil {
				return nil, err
			}
			s, err := run.Sway(o.Bootstrap)
			if err == nil && s == nil {
				err = fmt.Errorf("%s: what sways a judge is told of runs of pairs, asked which is better", dir)
			}
			return report.Sway{Sway: s}, err
		}),
	}
}
