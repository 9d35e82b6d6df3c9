package manual

import (
	"fmt"
	"strings"
)

// Markdown is all pages as one document.
func Markdown(pages []Page) string {
	var out strings.Builder
	out.WriteString("# Commands\n\nPrinted by `gavel docs markdown`; change the commands, not this page. " +
		"`gavel COMMAND --help` has the same text.\n")
	for _, p := range pages {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n```\n%s\n```\n", p.Name, wrap(sentence(p.About), 0, 0, 120), p.Usage)
		for _, b := range blocks(p.Text) {
			if b.asIs {
				fmt.Fprintf(&out, "\n```\n%s\n```\n", strings.TrimPrefix(strings.ReplaceAll(b.text, "\n  ", "\n"), "  "))
			} else {
				fmt.Fprintf(&out, "\n%s\n", wrap(b.text, 0, 0, 120))
			}
		}
		if len(p.Commands) > 0 {
			out.WriteString("\n| Command | |\n|---|---|\n")
		}
		for _, c := range p.Commands {
			fmt.Fprintf(&out, "| `%s` | %s |\n", c.Name, cell(c.About))
		}
		for _, s := range p.Flags {
			if len(s.Rows) == 0 {
				continue
			}
			head := "Flag"
			if s.Name != "" {
				head += ", " + s.Name
			}
			fmt.Fprintf(&out, "\n| %s | |\n|---|---|\n", head)
			for _, f := range s.Rows {
				fmt.Fprintf(&out, "| `%s` | %s |\n", f.Name, cell(f.About))
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

// Man is all pages as one page of a manual; the first is the program's own.
func Man(pages []Page) string {
	var out strings.Builder
	for i, p := range pages {
		if i == 0 {
			fmt.Fprintf(&out, ".TH GAVEL 1\n.SH NAME\ngavel \\- %s\n.SH SYNOPSIS\n%s\n.SH DESCRIPTION\n",
				roff(p.About), roff(p.Usage))
		} else {
			fmt.Fprintf(&out, ".SH %s\n%s\n.PP\n\\fB%s\\fR\n",
				roff(strings.ToUpper(p.Name)), roff(sentence(p.About)), roff(p.Usage))
		}
		for _, b := range blocks(p.Text) {
			if b.asIs {
				fmt.Fprintf(&out, ".PP\n.nf\n%s\n.fi\n", roff(b.text))
			} else {
				fmt.Fprintf(&out, ".PP\n%s\n", roff(wrap(b.text, 0, 0, 120)))
			}
		}
		for _, c := range p.Commands {
			fmt.Fprintf(&out, ".TP\n\\fB%s\\fR\n%s\n", roff(c.Name), roff(c.About))
		}
		for _, s := range p.Flags {
			if s.Name != "" {
				fmt.Fprintf(&out, ".SS %s\n", roff(s.Name))
			}
			for _, f := range s.Rows {
				fmt.Fprintf(&out, ".TP\n\\fB%s\\fR\n%s\n", roff(f.Name), roff(f.About))
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
