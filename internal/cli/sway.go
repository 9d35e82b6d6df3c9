package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/protocols/pairwise"
)

var _ = register(comparing, 46, swayCommand)

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
		Action: func(c *cli.Context) error {
			o, err := scoringFrom(c)
			if err != nil {
				return err
			}
			if c.NArg() != 1 {
				return usage("one run at a time: gavel sway RUN")
			}
			s, err := pairwise.Sway(c.Args().First(), o.Reading, o.Bootstrap)
			if err != nil {
				return err
			}
			return e.print(c, report.Sway{Sway: s})
		},
	}
}
