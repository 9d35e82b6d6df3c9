package table

import (
	_ "embed"
	"html/template"
	"strings"
)

//go:embed table.html
var page string

// warning begins the notes that are warnings.
const warning = "! "

var element = template.Must(template.New("").Funcs(template.FuncMap{
	"clean": Clean, "lines": func(s string) []string { return strings.Split(s, "\n") },
	"warning": func(s string) bool { return strings.HasPrefix(s, warning) },
	"plain":   func(s string) string { return strings.TrimPrefix(s, warning) },
	"right":   func(t Table, i int) bool { return i < len(t.Columns) && t.Columns[i].Right },
}).Parse(page))

// HTML is the table as an element of a page.
func (t Table) HTML() (template.HTML, error) {
	var b strings.Builder
	err := element.Execute(&b, t)
	return template.HTML(b.String()), err
}

// Warned are warnings as notes.
func Warned(warnings []string) []string {
	notes := make([]string, len(warnings))
	for i, w := range warnings {
		notes[i] = warning + w
	}
	return notes
}
