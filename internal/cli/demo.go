package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/cli/demo"
)

var _ = register(firstSteps, 10, demoCommand)

func demoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "see judges scored: no model, no network, no data",
		UsageText: "gavel demo [--out DIR]",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Usage: "keep the runs in `DIR`"}},
		Before:    noArguments,
		Action: func(c *cli.Context) error {
			quiet := e.maker()
			quiet.Observer = nil
			if err := demo.Run(c.Context, quiet, c.String("out"), e.screen(), e.columns); err != nil {
				return err
			}
			e.next("gavel", "doctor", "--model", "MODEL")
			return nil
		},
	}
}
