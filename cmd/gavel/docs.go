package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// docsCommand prints docs/cli.md and the man page, for those who build gavel.
func docsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "docs", Hidden: true, Usage: "print the description of all commands, as Markdown or as a man page",
		Subcommands: []*cli.Command{
			{Name: "markdown", Before: noArguments, Action: func(*cli.Context) error { return e.writeDocs(markdownPages) }},
			{Name: "man", Before: noArguments, Action: func(*cli.Context) error { return e.writeDocs(manPages) }},
		},
	}
}

func (e *env) writeDocs(of func(pages []manual) string) error {
	app := newApp(e)
	app.Setup()
	main, _ := manualOf(app)
	main.version = ""
	pages := append([]manual{main}, manualsOf(app.Commands, app.Name)...)
	_, err := fmt.Fprint(e.stdout, of(pages))
	return err
}

// manualsOf are commands and their subcommands, each before its own.
func manualsOf(commands []*cli.Command, before string) (all []manual) {
	for _, c := range visible(commands) {
		c.HelpName = before + " " + c.Name
		p, _ := manualOf(c)
		all = append(all, p)
		all = append(all, manualsOf(c.Subcommands, before+" "+c.Name)...)
	}
	return all
}

func markdownPages(pages []manual) string {
	var out strings.Builder
	out.WriteString("# Commands\n\nPrinted by `gavel docs markdown`; change the commands, not this page. `gavel COMMAND --help` has the same text.\n")
	for _, p := range pages {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n```\n%s\n```\n", p.name, wrap(sentence(p.about), 0, 0, 120), p.usage)
		for _, b := range blocks(p.text) {
			if b.asIs {
				fmt.Fprintf(&out, "\n```\n%s\n```\n", strings.TrimPrefix(strings.ReplaceAll(b.text, "\n  ", "\n"), "  "))
			} else {
				fmt.Fprintf(&out, "\n%s\n", wrap(b.text, 0, 0, 120))
			}
		}
		if len(p.commands) > 0 {
			out.WriteString("\n| Command | |\n|---|---|\n")
		}
		for _, c := range p.commands {
			fmt.Fprintf(&out, "| `%s` | %s |\n", c.Name, cell(c.Usage))
		}
		for _, s := range p.flags {
			if len(s.flags) == 0 {
				continue
			}
			head := "Flag"
			if s.name != "" {
				head += ", " + s.name
			}
			fmt.Fprintf(&out, "\n| %s | |\n|---|---|\n", head)
			for _, f := range s.flags {
				fmt.Fprintf(&out, "| `%s` | %s |\n", f.name, cell(f.about))
			}
		}
	}
	return out.String()
}

func cell(text string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(text) }

// sentence begins with a capital and ends with a point.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

func manPages(pages []manual) string {
	var out strings.Builder
	for i, p := range pages {
		if i == 0 {
			fmt.Fprintf(&out, ".TH GAVEL 1\n.SH NAME\ngavel \\- %s\n.SH SYNOPSIS\n%s\n.SH DESCRIPTION\n", roff(p.about), roff(p.usage))
		} else {
			fmt.Fprintf(&out, ".SH %s\n%s\n.PP\n\\fB%s\\fR\n", roff(strings.ToUpper(p.name)), roff(sentence(p.about)), roff(p.usage))
		}
		for _, b := range blocks(p.text) {
			if b.asIs {
				fmt.Fprintf(&out, ".PP\n.nf\n%s\n.fi\n", roff(b.text))
			} else {
				fmt.Fprintf(&out, ".PP\n%s\n", roff(wrap(b.text, 0, 0, 120)))
			}
		}
		for _, c := range p.commands {
			fmt.Fprintf(&out, ".TP\n\\fB%s\\fR\n%s\n", roff(c.Name), roff(c.Usage))
		}
		for _, s := range p.flags {
			if s.name != "" {
				fmt.Fprintf(&out, ".SS %s\n", roff(s.name))
			}
			for _, f := range s.flags {
				fmt.Fprintf(&out, ".TP\n\\fB%s\\fR\n%s\n", roff(f.name), roff(f.about))
			}
		}
	}
	return out.String()
}

// roff writes a text so that the formatter takes none of it for its own.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
