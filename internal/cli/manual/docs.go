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
		for _, s := range p.Commands {
			writeRows(&out, "Command", s)
		}
		for _, s := range p.Flags {
			writeRows(&out, "Flag", s)
		}
	}
	return out.String()
}

// writeRows writes a table.
func writeRows(out *strings.Builder, head string, s Section) {
	if len(s.Rows) == 0 {
		return
	}
	if s.Name != "" {
		head += ", " + s.Name
	}
	fmt.Fprintf(out, "\n| %s | |\n|---|---|\n", head)
	for _, r := range s.Rows {
		fmt.Fprintf(out, "| `%s` | %s |\n", r.Name, cell(r.About))
	}
}

func cell(text string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(text) }

// sentence begins with a capital and ends with a point.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
