package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"gavel/internal/cli/demo"
	"gavel/internal/disk"
)

var _ = register(firstSteps, 10, "demo", demoCommand)

func demoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "see real judges scored: no model, no network",
		UsageText: "gavel demo [--full] [--serve] [--out DIR]",
		Flags: []cli.Flag{
			stringFlag("out", "keep the runs in `DIR`"),
			boolFlag("full", "print every column of the table"),
			boolFlag("serve", "then show the runs in the browser, as gavel serve does"),
			&cli.StringFlag{Name: "addr", Value: defaultAddress, Usage: "with --serve: `ADDRESS` to listen on"},
		},
		Before: noArguments,
		Action: e.demo,
	}
}

func (e *env) demo(c *cli.Context) error {
	out := c.String("out")
	serve := []string{c.App.Name, "serve", "--addr", c.String("addr")}
	if out == "" && c.Bool("serve") {
		tmp, remove, err := disk.TempDir("", "gavel-demo-")
		if err != nil {
			return err
		}
		defer remove()
		out = tmp
		serve = append(serve, "--read-only")
	}
	d, err := demo.New(version(), out)
	if err != nil {
		return err
	}
	if err := d.WriteText(e.screen(), e.columns, c.Bool("full")); err != nil {
		return err
	}
	if c.Bool("serve") {
		if e.terminal {
			serve = append(serve, "--open")
		}
		serve = append(serve, "--runs", out)
		return newApp(e, serve[1:]...).RunContext(c.Context, serve)
	}
	_, err = fmt.Fprint(e.stdout, "\nLook at it: gavel demo --serve      Your own judge: gavel doctor\n")
	return err
}
