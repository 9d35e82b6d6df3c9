package cli

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/internal/report/table"
)

// formatNames lists the values of --format. Each but text was a flag of its own in version 0.1, which still works.
var formatNames = []string{report.Text, report.FullText, report.JSON, report.CSV, report.Markdown}

// applyOldFormatFlags sets --format if the command line has a flag of version 0.1 instead, such as --json, and returns
// an error for several formats. --full has no effect beside another format.
func applyOldFormatFlags(c *cli.Context) error {
	for _, name := range slices.Backward(formatNames[1:]) {
		format := c.String("format")
		switch {
		case !c.Bool(name) || name == report.FullText && format != "":
		case format != "" && format != name:
			return usageError("--format %s and %s: choose one", format, name)
		default:
			_ = c.Set("format", name) // there is such a flag, of any text
		}
	}
	names := formatNames
	if c.Command.Name == "check" {
		names = append(slices.Clip(names), "junit")
	}
	return checkOneOf("--format", cmp.Or(c.String("format"), report.Text), names)
}

// isMachineFormat reports whether the command line asks for JSON, CSV or Markdown rather than text.
func isMachineFormat(c *cli.Context) bool {
	return slices.Contains(formatNames[2:], c.String("format"))
}

// printResult prints a result to standard output in the format that the command line chooses.
func (e *env) printResult(c *cli.Context, result any) error {
	w := e.stdoutWriter()
	if isMachineFormat(c) {
		w = e.stdout
	}
	return report.Print(w, result, c.String("format"), e.columns)
}

// resultAction returns the action of a command that prints the value that result returns, in the chosen format.
func (e *env) resultAction(result func(c *cli.Context) (any, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		data, err := result(c)
		if err != nil {
			return err
		}
		return e.printResult(c, data)
	}
}

// stdoutWriter returns the writer to standard output for text that people read: with colours if they are on.
func (e *env) stdoutWriter() io.Writer {
	if e.colours {
		return table.ColouredWriter{Writer: e.stdout}
	}
	return e.stdout
}

// takeColour removes --color from a command line, at any position, and switches colours on or off by its value.
func (e *env) takeColour(args []string) ([]string, error) {
	i := slices.IndexFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "--color" || a == "--"
	})
	if i < 0 || args[i] == "--" {
		return args, nil
	}
	_, when, hasValue := strings.Cut(args[i], "=")
	rest := args[i+1:]
	if !hasValue && len(rest) > 0 {
		when = rest[0]
		rest = rest[1:]
	}
	switch when {
	case "auto":
	case "always", "never":
		e.colours = when == "always"
	default:
		return nil, usageError("--color %q is not one of auto, always, never", when)
	}
	return slices.Concat(args[:i], rest), nil
}

// colourFlag describes --color in the help; takeColour reads that flag.
var colourFlag = stringFlag("color",
	"colours in the output of any command: `WHEN` auto (on a terminal, unless NO_COLOR is set), always or never")
