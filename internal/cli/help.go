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

// helpTexts holds descriptions and examples of the commands: help/gavel-COMMAND.txt.
//
//go:embed help
var helpTexts embed.FS

// helpText returns the description of a command, such as "gavel suite run", or "" if it has none.
func helpText(command string) string {
	text, _ := helpTexts.ReadFile("help/" + strings.ReplaceAll(command, " ", "-") + ".txt") // there is none for each
	return strings.TrimSpace(string(text))
}

// The flag library prints all help by calling cli.HelpPrinter, which init sets before anything runs.
func init() {
	cli.HelpPrinter = func(w io.Writer, _ string, page any) {
		switch c := page.(type) {
		case *cli.App:
			if c.CustomAppHelpTemplate == wholeHelpMarker {
				_, _ = io.WriteString(w, appPage(c).Help(helpWidth(w)))
				return
			}
			printFirstScreen(w, c)
		case *cli.Command:
			_, _ = io.WriteString(w, shortHelp(c).Help(helpWidth(w)))
		}
	}
}

// helpWidth returns the width, in columns, of help that is written to w: the terminal's, else 100.
func helpWidth(w io.Writer) int {
	if columns := terminalColumns(w); columns > 0 {
		return max(40, columns)
	}
	return 100
}

// appPage returns the page of `gavel help all`.
func appPage(app *cli.App) manual.Page {
	return manual.Page{
		Name:        app.Name,
		About:       app.Usage,
		Usage:       app.Name + " COMMAND [flags] [arguments]",
		Version:     app.Version,
		Description: app.Description,
		Commands:    commandSections(app.Commands),
		Flags:       flagSections(app.VisibleFlags()),
	}
}

// printFirstScreen prints `gavel --help`: the commands that most people need.
func printFirstScreen(w io.Writer, app *cli.App) {
	t := table.Table{Columns: table.TextColumns("", "", ""), NoHeadingRule: true}
	for _, group := range commandSections(app.Commands) {
		if group.Name == moreCommandsHeading {
			continue
		}
		heading := group.Name
		for _, row := range group.Rows {
			t.AddRow(heading, row.Name, row.About)
			heading = ""
		}
	}
	fmt.Fprintf(w, "%s - %s\n\n", app.Name, app.Usage)
	_ = table.TextWriter(helpWidth(w))(w, t)
	fmt.Fprintln(w, "Flags: gavel COMMAND --help. More: gavel help all")
}

// commandPage returns the whole help of a command.
func commandPage(c *cli.Command) manual.Page {
	name, commands := cmp.Or(c.HelpName, c.Name), ""
	if len(c.Subcommands) > 0 {
		commands = " COMMAND"
	}
	return manual.Page{
		Name:        name,
		About:       c.Usage,
		Usage:       cmp.Or(c.UsageText, name+commands+" [flags]"),
		Description: c.Description,
		Commands:    commandSections(c.Subcommands),
		Flags:       flagSections(c.VisibleFlags()),
	}
}

// wholeHelpMarker marks a command, as its help template, whose whole help was asked for with --help all.
const wholeHelpMarker = "all"

// maxHelpLines is the most lines, of 80 columns, of a command's help that is printed whole; longer help is
// shortened, except with --help all.
const maxHelpLines = 40

// shortHelp returns the help that COMMAND --help prints. If the whole help is too long, it has the first paragraph of
// the description, the examples, and the most used flags without details.
func shortHelp(c *cli.Command) manual.Page {
	page := commandPage(c)
	if c.CustomHelpTemplate == wholeHelpMarker || strings.Count(page.Help(80), "\n") <= maxHelpLines {
		return page
	}
	var text []string
	for i, p := range strings.Split(page.Description, "\n\n") {
		if i == 0 || strings.HasPrefix(p, "Example") {
			text = append(text, p)
		}
	}
	page.Description = strings.Join(text, "\n\n")
	page.Footer = "More: "
	if used, others := splitMostUsed(c.VisibleFlags()); len(used)+len(others) > maxUngroupedFlags {
		page.Flags = byPart(used)
		page.Footer = "All flags: "
	}
	page.Footer += page.Name + " --help all"
	for _, s := range page.Flags {
		for i, row := range s.Rows {
			s.Rows[i].About = flagHelpDetails.ReplaceAllString(row.About, "$1")
		}
	}
	return page
}

// pages returns the help of the program and of every command, each before its subcommands, for docs/cli.md.
func pages(app *cli.App) []manual.Page {
	app.Setup()
	main := appPage(app)
	main.Version = ""
	all := []manual.Page{main}
	var add func(before string, commands []*cli.Command)
	add = func(before string, commands []*cli.Command) {
		for _, c := range visibleCommands(commands) {
			c.HelpName = before + " " + c.Name
			all = append(all, commandPage(c))
			first := len(all)
			add(c.HelpName, c.Subcommands)
			if c.HelpName == "gavel run" {
				moveSharedFlags(&all[first-1], all[first:])
			}
		}
	}
	add(app.Name, app.Commands)
	return all
}

// moveSharedFlags moves the flags that all subcommands of a command have from their pages to the command's page.
func moveSharedFlags(page *manual.Page, subcommands []manual.Page) {
	uses := map[manual.Entry]int{}
	for _, p := range subcommands {
		for _, s := range p.Flags {
			for _, row := range s.Rows {
				uses[row]++
			}
		}
	}
	pick := func(all []manual.Section, shared bool) (picked []manual.Section) {
		for _, s := range all {
			s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(row manual.Entry) bool {
				return (uses[row] == len(subcommands)) != shared
			})
			if len(s.Rows) > 0 {
				picked = append(picked, s)
			}
		}
		return picked
	}
	page.Flags = pick(subcommands[0].Flags, true)
	page.Footer = "These are the flags of every protocol"
	for i := range subcommands {
		p := &subcommands[i]
		p.Flags = pick(p.Flags, false)
		p.Footer = "Flags of every protocol: see " + page.Name
	}
}

// docsCommand returns the hidden command that prints docs/cli.md, for people who change gavel.
func docsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "docs", Hidden: true,
		Subcommands: []*cli.Command{{Name: "markdown", Action: func(*cli.Context) error {
			_, err := io.WriteString(e.stdout, manual.Markdown(pages(newApp(e))))
			return err
		}}},
	}
}

// visibleCommands returns the commands that help lists.
func visibleCommands(all []*cli.Command) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(all), func(c *cli.Command) bool { return c.Hidden })
}

// commandSections returns commands as sections of help: below the headings of their groups.
func commandSections(commands []*cli.Command) (groups []manual.Section) {
	for _, c := range visibleCommands(commands) {
		if last := len(groups) - 1; last < 0 || groups[last].Name != c.Category {
			groups = append(groups, manual.Section{Name: c.Category})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, manual.Entry{Name: c.Name, About: c.Usage})
	}
	return groups
}

// mostUsedFlags lists the flags that the first page of a command with many flags shows, in the order in
// which people think of them.
var mostUsedFlags = strings.Fields("model dataset agents as sample group prompt think constrain repeat until " +
	"base-url concurrency labels export margin budget out dry-run runs open addr format")

// flagHeadings lists the headings of flags in help, in order, for the parts of a request that the flags set.
var flagHeadings = []struct{ part, name string }{
	{eval.RequestPartItems, "what is asked"},
	{eval.RequestPartAsking, "how it is asked"},
	{eval.RequestPartServer, "which server"},
	{eval.RequestPartFolders, "where replies and results go"},
	{"", "other"},
}

// maxUngroupedFlags is the number of flags up to which help lists them all on the first page, without headings.
const maxUngroupedFlags = 12

// splitMostUsed splits the flags of a command into those in mostUsedFlags and the others.
func splitMostUsed(flags []cli.Flag) (used, others []cli.Flag) {
	for _, name := range mostUsedFlags {
		if f := flagNamed(flags, name); f != nil {
			used = append(used, f)
		}
	}
	return used, slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains(mostUsedFlags, f.Names()[0]) })
}

// flagSections returns the flags of a command as sections of help, the most used first; with headings if there are
// many.
func flagSections(flags []cli.Flag) []manual.Section {
	used, others := splitMostUsed(flags)
	if len(used) == 0 || len(flags) <= maxUngroupedFlags {
		return []manual.Section{{Rows: flagHelpRows(append(used, others...))}}
	}
	return append([]manual.Section{{Name: "most used", Rows: flagHelpRows(used)}}, byPart(others)...)
}

// byPart returns flags as sections of help: below the headings of the parts of a request that they set.
func byPart(flags []cli.Flag) (all []manual.Section) {
	for _, p := range flagHeadings {
		rows := flagHelpRows(slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
			c, ok := f.(cli.CategorizableFlag)
			return p.part != "" && !ok || ok && c.GetCategory() != p.part
		}))
		if len(rows) > 0 {
			all = append(all, manual.Section{Name: p.name, Rows: rows})
		}
	}
	if len(all) == 1 {
		all[0].Name = ""
	}
	return all
}

// repeatableMark matches what the flag library adds to the name of a flag that may be repeated.
var repeatableMark = regexp.MustCompile(` \[ .* \]$`)

// flagHelpRows returns flags as help lines in the flag library's words, without "(default: false)" or "(default: 0)".
func flagHelpRows(flags []cli.Flag) (rows []manual.Entry) {
	for _, f := range flags {
		name, usage, _ := strings.Cut(f.String(), "\t")
		usage = zeroDefault.ReplaceAllString(strings.TrimSpace(usage), "")
		rows = append(rows, manual.Entry{
			Name:  repeatableMark.ReplaceAllString(strings.TrimSpace(name), " ..."),
			About: usage,
		})
	}
	return rows
}

// zeroDefault matches the default that the flag library prints for a switch or a number that is off unless set.
var zeroDefault = regexp.MustCompile(` *\(default: (false|0)\)$`)

// flagHelpDetails matches what the first page leaves out of a flag's help: all after a semicolon except the default.
var flagHelpDetails = regexp.MustCompile(`;.*?( \(default: [^)]*\))?$`)
