package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/report"
	"gavel/report/table"
)

// Formats a table can be printed in.
func formatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.BoolFlag{Name: "csv", Usage: "print CSV, one row per number"},
		&cli.BoolFlag{Name: "markdown", Usage: "print Markdown tables"},
	}
}

// printable is something that every format can show.
type printable interface {
	Tables() []table.Table
	CSV(io.Writer) error
}

// formats that the flags name; adopt refuses several.
func formats(c *cli.Context) []string {
	return slices.DeleteFunc([]string{"json", "csv", "markdown"}, func(name string) bool { return !c.Bool(name) })
}

func (e *env) print(c *cli.Context, p printable) error {
	switch strings.Join(formats(c), "") {
	case "json":
		return report.WriteJSON(e.stdout, p)
	case "csv":
		return p.CSV(e.stdout)
	case "markdown":
		return e.printTables(table.Markdown, p.Tables())
	}
	return e.printText(p.Tables())
}

func (e *env) printText(tables []table.Table) error {
	return e.printTables(table.TextWithin(e.columns), tables)
}

func (e *env) printTables(write table.Writer, tables []table.Table) error {
	for _, t := range tables {
		if err := write(e.stdout, t); err != nil {
			return err
		}
	}
	return nil
}
