package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"gavel/eval"
)

// The flag library prints help through this variable only; it is set once, before anything runs.
func init() {
	cli.HelpPrinter = func(w io.Writer, _ string, about any) {
		if p, ok := manualOf(about); ok {
			_, _ = io.WriteString(w, p.help(helpWidth(w)))
		}
	}
}

// plainWidth is how wide help is where it goes to no terminal.
const plainWidth = 100

func helpWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return max(40, width)
		}
	}
	return plainWidth
}

// manual is a command as its help, docs/cli.md and the man page show it.
type manual struct {
	name, about, usage, version, text string
	commands                          []*cli.Command
	flags                             []flagSection
}

type flagSection struct {
	name  string
	flags []flagHelp
}

type flagHelp struct{ name, about string }

func manualOf(of any) (manual, bool) {
	switch c := of.(type) {
	case *cli.App:
		return manual{name: c.Name, about: c.Usage, usage: c.Name + " COMMAND [flags] [arguments]", version: c.Version, text: c.Description,
			commands: visible(c.Commands), flags: sections(c.VisibleFlags())}, true
	case *cli.Command:
		name := cmp.Or(c.HelpName, c.Name)
		usage := cmp.Or(c.UsageText, name+" [flags]")
		if len(c.Subcommands) > 0 {
			usage = cmp.Or(c.UsageText, name+" COMMAND [flags]")
		}
		return manual{name: name, about: c.Usage, usage: usage, text: c.Description, commands: visible(c.Subcommands), flags: sections(c.VisibleFlags())}, true
	}
	return manual{}, false
}

func visible(all []*cli.Command) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(all), func(c *cli.Command) bool { return c.Hidden || c.Name == "help" })
}

// mostUsed are the flags that most command lines have, in the order in which one thinks of them.
var mostUsed = []string{"model", "dataset", "agents", "sample", "group", "prompt", "base-url", "concurrency", "think", "constrain", "repeat", "out", "dry-run"}

// parts are the headings of the other flags, by the names that fields have for them.
var parts = []struct{ part, name string }{
	{eval.What, "what is asked"}, {eval.How, "how it is asked"}, {eval.Server, "which server"},
	{eval.Where, "where replies and results go"}, {"", "other"},
}

// sections are the flags of a command, most used first. Where they are many they have headings.
func sections(flags []cli.Flag) (all []flagSection) {
	const few = 12
	used := flagSection{name: "most used"}
	for _, name := range mostUsed {
		if f := flagNamed(flags, name); f != nil {
			used.flags = append(used.flags, helpOf(f))
			flags = slices.DeleteFunc(slices.Clone(flags), func(g cli.Flag) bool { return f == g })
		}
	}
	if len(used.flags)+len(flags) <= few {
		for _, f := range flags {
			used.flags = append(used.flags, helpOf(f))
		}
		return []flagSection{{flags: used.flags}}
	}
	all = append(all, used)
	for _, p := range parts {
		s := flagSection{name: p.name}
		for _, f := range flags {
			if c, ok := f.(cli.CategorizableFlag); ok && c.GetCategory() == p.part {
				s.flags = append(s.flags, helpOf(f))
			}
		}
		all = append(all, s)
	}
	return slices.DeleteFunc(all, func(s flagSection) bool { return len(s.flags) == 0 })
}

// givenAgain is how the library writes that a flag may be given again.
var givenAgain = regexp.MustCompile(` \[ .* \]$`)

// helpOf is what the library says of a flag, less that a switch is off unless it is given.
func helpOf(f cli.Flag) flagHelp {
	name, about, _ := strings.Cut(f.String(), "\t")
	about = strings.TrimSuffix(strings.TrimSpace(about), "(default: false)")
	return flagHelp{givenAgain.ReplaceAllString(strings.TrimSpace(name), " ..."), strings.TrimSpace(about)}
}

// help is the page as plain text.
func (p manual) help(width int) string {
	var out strings.Builder
	section := func(name, text string) { fmt.Fprintf(&out, "%s:\n%s\n", name, strings.TrimRight(text, "\n")) }
	first := p.name
	if p.about != "" {
		first += " - " + p.about
	}
	section("NAME", wrap(first, 3, 6+utf8.RuneCountInString(p.name), width))
	section("\nUSAGE", wrap(p.usage, 3, 6, width))
	if p.version != "" {
		section("\nVERSION", "   "+p.version)
	}
	if p.text != "" {
		section("\nDESCRIPTION", describe(p.text, width))
	}
	if len(p.commands) > 0 {
		var rows []flagHelp
		for _, c := range p.commands {
			rows = append(rows, flagHelp{c.Name, c.Usage})
		}
		section("\nCOMMANDS", columns(rows, width))
	}
	var flags []string
	for _, s := range p.flags {
		text := columns(s.flags, width)
		if s.name != "" {
			text = "   " + s.name + "\n\n" + text
		}
		flags = append(flags, text)
	}
	section("\nOPTIONS", strings.Join(flags, "\n"))
	return out.String()
}

// describe lays a description out: paragraphs anew, indented lines and columns as they are.
func describe(text string, width int) string {
	var out strings.Builder
	for _, b := range blocks(text) {
		if b.asIs {
			out.WriteString("   " + strings.ReplaceAll(b.text, "\n", "\n   ") + "\n")
		} else {
			out.WriteString(wrap(b.text, 3, 3, width) + "\n")
		}
		if b.ends {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// block is a paragraph in one line, or lines that are to stay as they are. It ends with an empty line, or the next
// one follows at once.
type block struct {
	text       string
	asIs, ends bool
}

func blocks(text string) (all []block) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		asIs := strings.HasPrefix(line, " ") || strings.Contains(line, "   ")
		last := len(all) - 1
		switch {
		case line == "" && last >= 0:
			all[last].ends = true
		case line == "":
		case last < 0 || all[last].ends || all[last].asIs != asIs:
			all = append(all, block{text: line, asIs: asIs})
		case asIs:
			all[last].text += "\n" + line
		default:
			all[last].text += " " + line
		}
	}
	return all
}

// columns lays out names with what they are beside them or, where there is no room for that, beneath.
func columns(rows []flagHelp, width int) string {
	const most = 26
	left := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.name); n <= most {
			left = max(left, n)
		}
	}
	var out strings.Builder
	for _, r := range rows {
		n := utf8.RuneCountInString(r.name)
		switch {
		case r.about == "":
			out.WriteString("   " + r.name + "\n")
		case width < 60 || n > left:
			fmt.Fprintf(&out, "   %s\n%s\n", r.name, wrap(r.about, min(left+5, width/4), min(left+5, width/4), width))
		default:
			fmt.Fprintf(&out, "   %-*s%s\n", left+2, r.name, strings.TrimLeft(wrap(r.about, left+5, left+5, width), " "))
		}
	}
	return out.String()
}

// wrap breaks a text into lines: the first begins at one column, the others at another.
func wrap(text string, first, others, width int) string {
	var out strings.Builder
	out.WriteString(strings.Repeat(" ", first))
	at := first
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			out.WriteString("\n" + strings.Repeat(" ", others))
			at = others
		default:
			out.WriteString(" ")
			at++
		}
		out.WriteString(word)
		at += n
	}
	return out.String()
}
