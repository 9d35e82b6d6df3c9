package main

import (
	"io"

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

func format(c *cli.Context) (string, error) {
	chosen := "text"
	for _, name := range []string{"json", "csv", "markdown"} {
		if c.Bool(name) {
			if chosen != "text" {
				return "", usage("--%s and --%s: choose one", chosen, name)
			}
			chosen = name
		}
	}
	return chosen, nil
}

// listFormat is format for a command that takes no arguments.
func listFormat(c *cli.Context) (string, error) {
	if err := noArguments(c); err != nil {
		return "", err
	}
	return format(c)
}

func (e *env) print(format string, p printable) error {
	switch format {
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
