package cli

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/cli/manual"
	"gavel/internal/eval"
	"gavel/internal/report/table"
)

// What the commands' pages say beside names and flags: help/gavel-COMMAND.txt.
//
//go:embed help
var helpTexts embed.FS

// helpText returns the text of a command's page, "" where there is none. The command is named with the words before it.
func helpText(command string) string {
	text, _ := helpTexts.ReadFile("help/" + strings.ReplaceAll(command, " ", "-") + ".txt") // there is none for each
	return strings.TrimSpace(string(text))
}

// The flag library prints help through this variable only; it is set once, before anything runs.
func init() {
	cli.HelpPrinter = func(w io.Writer, _ string, about any) {
		switch c := about.(type) {
		case *cli.App:
			printFirstScreen(w, c)
		case *cli.Command:
			_, _ = io.WriteString(w, commandPage(c).Help(helpWidth(w)))
		}
	}
}

func helpWidth(w io.Writer) int {
	if columns := columnsOf(w); columns > 0 {
		return max(40, columns)
	}
	return 100
}

// helpCommand returns `gavel help all`; arrange turns `gavel help COMMAND` into --help.
func helpCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "help", Hidden: true,
		Action: func(c *cli.Context) error {
			_, err := io.WriteString(e.stdout, appPage(c.App).Help(helpWidth(e.stdout)))
			return err
		},
	}
}

func appPage(app *cli.App) manual.Page {
	return manual.Page{
		Name:     app.Name,
		About:    app.Usage,
		Usage:    app.Name + " COMMAND [flags] [arguments]",
		Version:  app.Version,
		Text:     app.Description,
		Commands: inGroups(app.Commands),
		Flags:    sections(app.VisibleFlags()),
	}
}

// printFirstScreen prints what most people need.
func printFirstScreen(w io.Writer, app *cli.App) {
	t := table.Table{Columns: table.Left("", "", ""), Plain: true}
	for _, group := range inGroups(app.Commands) {
		if group.Name == more {
			continue
		}
		heading := group.Name
		for _, row := range group.Rows {
			t.Row(heading, row.Name, row.About)
			heading = ""
		}
	}
	fmt.Fprintf(w, "%s - %s\n\n", app.Name, app.Usage)
	_ = table.TextWithin(helpWidth(w))(w, t)
	fmt.Fprintln(w, "Flags: gavel COMMAND --help. More: gavel help all")
}

func commandPage(c *cli.Command) manual.Page {
	name, commands := cmp.Or(c.HelpName, c.Name), ""
	if len(c.Subcommands) > 0 {
		commands = " COMMAND"
	}
	return manual.Page{
		Name:     name,
		About:    c.Usage,
		Usage:    cmp.Or(c.UsageText, name+commands+" [flags]"),
		Text:     c.Description,
		Commands: inGroups(c.Subcommands),
		Flags:    sections(c.VisibleFlags()),
	}
}

// pages returns the pages of the program and of every command, each before its subcommands.
func pages(app *cli.App) []manual.Page {
	app.Setup()
	main := appPage(app)
	main.Version = ""
	all := []manual.Page{main}
	var add func(before string, commands []*cli.Command)
	add = func(before string, commands []*cli.Command) {
		for _, c := range visible(commands) {
			c.HelpName = before + " " + c.Name
			all = append(all, commandPage(c))
			add(c.HelpName, c.Subcommands)
		}
	}
	add(app.Name, app.Commands)
	return all
}

// docsCommand prints docs/cli.md, for those who build gavel.
func docsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "docs", Hidden: true, Usage: "print the description of all commands",
		Subcommands: []*cli.Command{{Name: "markdown", Before: noArguments, Action: func(*cli.Context) error {
			_, err := io.WriteString(e.stdout, manual.Markdown(pages(newApp(e))))
			return err
		}}},
	}
}

func visible(all []*cli.Command) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(all), func(c *cli.Command) bool { return c.Hidden || c.Name == "help" })
}

// inGroups returns commands under the headings of their groups.
func inGroups(commands []*cli.Command) (groups []manual.Section) {
	for _, c := range visible(commands) {
		if last := len(groups) - 1; last < 0 || groups[last].Name != c.Category {
			groups = append(groups, manual.Section{Name: c.Category})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, manual.Row{Name: c.Name, About: c.Usage})
	}
	return groups
}

// mostUsed lists the flags that most command lines have, in the order in which one thinks of them.
var mostUsed = []string{
	"model", "dataset", "agents", "sample", "group", "prompt", "base-url", "concurrency", "think",
	"constrain", "repeat", "out", "dry-run",
}

// parts lists the headings of the other flags, by the names that fields have for them.
var parts = []struct{ part, name string }{
	{eval.What, "what is asked"}, {eval.How, "how it is asked"}, {eval.Server, "which server"},
	{eval.Where, "where replies and results go"}, {"", "other"},
}

// sections returns the flags of a command, most used first; under headings where there are many, of which some are most
// used.
func sections(flags []cli.Flag) []manual.Section {
	const few = 12
	used := manual.Section{Name: "most used"}
	for _, name := range mostUsed {
		if f := flagNamed(flags, name); f != nil {
			used.Rows = append(used.Rows, rowOf(f))
		}
	}
	headed := len(used.Rows) > 0 && len(flags) > few
	others := map[string][]manual.Row{}
	for _, f := range flags {
		if slices.Contains(mostUsed, f.Names()[0]) {
			continue
		}
		part := ""
		if c, ok := f.(cli.CategorizableFlag); ok && headed {
			part = c.GetCategory()
		}
		others[part] = append(others[part], rowOf(f))
	}
	if !headed {
		return []manual.Section{{Rows: append(used.Rows, others[""]...)}}
	}
	all := []manual.Section{used}
	for _, p := range parts {
		if rows := others[p.part]; rows != nil {
			all = append(all, manual.Section{Name: p.name, Rows: rows})
		}
	}
	return all
}

// givenAgain matches what the library adds to a flag that may be given again.
var givenAgain = regexp.MustCompile(` \[ .* \]$`)

// rowOf returns the library's line on a flag, without "(default: false)".
func rowOf(f cli.Flag) manual.Row {
	name, about, _ := strings.Cut(f.String(), "\t")
	about = strings.TrimSuffix(strings.TrimSpace(about), "(default: false)")
	return manual.Row{Name: givenAgain.ReplaceAllString(strings.TrimSpace(name), " ..."), About: strings.TrimSpace(about)}
}
