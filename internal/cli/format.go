package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/internal/report/table"
)

// Formats a table can be printed in.
func formatFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag("json", "print JSON"),
		boolFlag("csv", "print CSV, one row per number"),
		boolFlag("markdown", "print Markdown tables"),
		boolFlag("full", "print every table, row and column"),
	}
}

// formats that the flags name; adopt refuses several.
func formats(c *cli.Context) []string {
	all := []string{report.JSON, report.CSV, report.Markdown}
	return slices.DeleteFunc(all, func(name string) bool { return !c.Bool(name) })
}

func (e *env) print(c *cli.Context, result any) error {
	if f := formats(c); len(f) > 0 {
		return report.Print(e.stdout, result, f[0], e.columns)
	}
	format := report.Text
	if c.Bool("full") {
		format = report.FullText
	}
	return report.Print(e.screen(), result, format, e.columns)
}

// printed returns the action of a command that prints the result of a function in the chosen format.
func (e *env) printed(result func(c *cli.Context) (any, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		found, err := result(c)
		if err != nil {
			return err
		}
		return e.print(c, found)
	}
}

// screen returns standard output for people, with colours where they are on.
func (e *env) screen() io.Writer {
	if e.colours {
		return table.Coloured{Writer: e.stdout}
	}
	return e.stdout
}

// takeColour takes --color out of a command line, wherever it stands: it is every command's.
func (e *env) takeColour(args []string) ([]string, error) {
	at := slices.IndexFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "--color" || a == "--"
	})
	if at < 0 || args[at] == "--" {
		return args, nil
	}
	_, when, joined := strings.Cut(args[at], "=")
	rest := args[at+1:]
	if !joined && len(rest) > 0 {
		when = rest[0]
		rest = rest[1:]
	}
	switch when {
	case "auto":
	case "always", "never":
		e.colours = when == "always"
	default:
		return nil, usage("--color %q is not one of auto, always, never", when)
	}
	return slices.Concat(args[:at], rest), nil
}

// colourFlag is in help alone: takeColour reads it.
var colourFlag = stringFlag("color",
	"colours in the output of any command: `WHEN` auto (on a terminal, unless NO_COLOR is set), always or never")
