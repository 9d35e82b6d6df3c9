// Package manual prints the help of commands, for a terminal and as Markdown.
package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Page holds the help of one command, or of the program.
type Page struct {
	// the command with the words before it (gavel run pairwise), what it does, and its usage line
	Name, About, Usage string
	// version of the program; "" on pages of commands
	Version string
	// the description: its paragraphs are wrapped to the width; lines that begin with a space or have columns are not
	Description string
	Commands    []Section // subcommands
	Flags       []Section
	Footer      string // last line, which says where more help is
}

// Section holds flags or commands below a heading, Name; "" for none.
type Section struct {
	Name string
	Rows []Entry
}

// Entry is a line of help: a command or a flag, and what it does.
type Entry struct{ Name, About string }

// Help returns the page as plain text, wrapped at width columns.
func (p Page) Help(width int) string {
	var out strings.Builder
	section := func(name, text string) { fmt.Fprintf(&out, "%s:\n%s\n", name, strings.TrimRight(text, "\n")) }
	first := p.Name
	if p.About != "" {
		first += " - " + p.About
	}
	section("NAME", wrap(first, 3, 6, width))
	var usages []string
	for usage := range strings.Lines(p.Usage) {
		usages = append(usages, wrap(usage, 3, 6, width))
	}
	section("\nUSAGE", strings.Join(usages, "\n"))
	if p.Version != "" {
		section("\nVERSION", "   "+p.Version)
	}
	if p.Description != "" {
		section("\nDESCRIPTION", wrapDescription(p.Description, width))
	}
	if len(p.Commands) > 0 {
		section("\nCOMMANDS", sections(p.Commands, width, "\n"))
	}
	between := "\n"
	if p.Footer != "" {
		between = ""
	}
	section("\nOPTIONS", sections(p.Flags, width, between))
	if p.Footer != "" {
		fmt.Fprintf(&out, "\n%s\n", p.Footer)
	}
	return out.String()
}

// Markdown returns the pages of all commands as one page of documentation in Markdown.
func Markdown(pages []Page) string {
	var out strings.Builder
	out.WriteString("# Commands\n\nPrinted by `gavel docs markdown`; change the commands, not this page.\n")
	for _, p := range pages {
		fmt.Fprintf(&out, "\n## %s\n\n```\n%s```\n", p.Name, p.Help(100))
	}
	return out.String()
}

// sections returns the text of sections, with between after each but the last.
func sections(all []Section, width int, between string) string {
	widest := 0
	for _, s := range all {
		for _, r := range s.Rows {
			if n := utf8.RuneCountInString(r.Name); n <= widestName {
				widest = max(widest, n)
			}
		}
	}
	var parts []string
	for _, s := range all {
		text := layOutColumns(s.Rows, widest, width)
		if s.Name != "" {
			text = " " + s.Name + "\n" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, between)
}

// wrapDescription wraps the paragraphs of a description and keeps indented lines and columns.
func wrapDescription(text string, width int) string {
	var out strings.Builder
	paragraph := ""
	endParagraph := func() {
		if paragraph != "" {
			out.WriteString(wrap(paragraph, 3, 3, width) + "\n")
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		asIs := strings.HasPrefix(line, " ") || strings.Contains(line, "   ")
		switch {
		case line == "":
			endParagraph()
			out.WriteString("\n")
		case asIs:
			endParagraph()
			out.WriteString("   " + line + "\n")
		default:
			paragraph += " " + line
		}
	}
	endParagraph()
	return out.String()
}

// widestName is the widest name, in columns, that has its text beside it; wider names have it below.
const widestName = 26

// layOutColumns returns names with their texts beside them or, if there is no room, below. widest is the width of the
// column of names, width that of the page.
func layOutColumns(rows []Entry, widest, width int) string {
	indent := widest + 5
	if width < 60 {
		indent = width / 4
	}
	var out strings.Builder
	for _, r := range rows {
		n := utf8.RuneCountInString(r.Name)
		switch {
		case r.About == "":
			out.WriteString("   " + r.Name + "\n")
		case width < 60 || n > widest:
			fmt.Fprintf(&out, "   %s\n%s\n", r.Name, wrap(r.About, indent, indent, width))
		default:
			fmt.Fprintf(&out, "   %-*s%s\n", widest+2, r.Name, strings.TrimLeft(wrap(r.About, indent, indent, width), " "))
		}
	}
	return out.String()
}

// wrap breaks a text into lines of at most width columns. The first line is indented by first
// blanks, the others by others.
func wrap(text string, first, others, width int) string {
	var out strings.Builder
	out.WriteString(strings.Repeat(" ", first))
	column := first
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			out.WriteString("\n" + strings.Repeat(" ", others))
			column = others
		default:
			out.WriteString(" ")
			column++
		}
		out.WriteString(word)
		column += n
	}
	return out.String()
}
