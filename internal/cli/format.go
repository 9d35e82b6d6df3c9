package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/internal/report/table"
)

// Formats a table can be printed in.
func formatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.BoolFlag{Name: "csv", Usage: "print CSV, one row per number"},
		&cli.BoolFlag{Name: "markdown", Usage: "print Markdown tables"},
	}
}

// formats that the flags name; adopt refuses several.
func formats(c *cli.Context) []string {
	return slices.DeleteFunc([]string{"json", "csv", "markdown"}, func(name string) bool { return !c.Bool(name) })
}

func (e *env) print(c *cli.Context, p report.Printable) error {
	return report.Print(e.stdout, p, strings.Join(formats(c), ""), e.columns)
}

func (e *env) printText(tables []table.Table) error {
	return table.TextWithin(e.columns).Each(e.stdout, tables)
}
