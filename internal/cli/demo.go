package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/cli/demo"
	"gavel/internal/disk"
)

var _ = register(firstSteps, 10, "demo", demoCommand)

func demoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "see real judges scored: no model, no network",
		UsageText: "gavel demo [" + strings.Join(demo.Names, " | ") + "] [--full] [--serve] [--out DIR]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "keep the runs in `DIR`"},
			&cli.BoolFlag{Name: "full", Usage: "print every column of the table"},
			&cli.BoolFlag{Name: "serve", Usage: "then show the runs in the browser, as gavel serve does"},
			&cli.StringFlag{Name: "addr", Value: defaultAddress, Usage: "with --serve: `ADDRESS` to listen on"},
		},
		Action: e.demo,
	}
}

func (e *env) demo(c *cli.Context) error {
	name := demo.Names[0]
	if c.NArg() > 0 {
		name = c.Args().First()
	}
	if err := oneOf("demo", name, demo.Names); err != nil {
		return err
	}
	if c.NArg() > 1 {
		return usage("unexpected argument %q. See: %s --help", c.Args().Get(1), commandLine(c))
	}
	out := c.String("out")
	serve := []string{c.App.Name, "serve", "--runs", out, "--addr", c.String("addr")}
	if out == "" && c.Bool("serve") {
		tmp, remove, err := disk.TempDir("", "gavel-demo-")
		if err != nil {
			return err
		}
		defer remove()
		out = tmp
		serve = []string{c.App.Name, "serve", "--runs", out, "--addr", c.String("addr"), "--read-only"}
	}
	quiet := e.maker()
	quiet.Observer = nil
	d, err := demo.New(c.Context, quiet, name, out)
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
		return newApp(e, serve[1:]...).RunContext(c.Context, serve)
	}
	return demo.WriteNext(e.stdout, name)
}
