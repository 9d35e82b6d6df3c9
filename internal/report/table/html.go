package table

import (
	_ "embed"
	"html/template"
	"slices"
	"strings"

	"gavel/scoring"
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
	"explain": Explain,
	"cell":    Table.explained,
}).Parse(page))

// Explained is a word of a page, with what it means where that is known. A button shows it, without any script.
type Explained struct {
	Text string
	Term *scoring.Term
}

// Explain finds a word among terms. Its explanation must be on the page too: [Explanations].
func Explain(terms []scoring.Term, text string) Explained {
	if t, ok := scoring.TermIn(terms, text); ok {
		return Explained{text, &t}
	}
	return Explained{Text: text}
}

// HTML is the word, as a button where it is explained.
func (e Explained) HTML() (template.HTML, error) { return executed("explained", e) }

// explained is the text of a cell that is no head.
func (t Table) explained(column int, text string) Explained {
	if column < len(t.Columns) && !t.Columns[column].Right {
		return Explain(t.Terms, text)
	}
	return Explained{Text: text}
}

// EachTerm gives the terms of the table's heads and cells, nil for heads that nothing explains.
func (t Table) EachTerm(f func(*scoring.Term)) {
	for _, c := range t.Columns {
		f(Explain(t.Terms, c.Name).Term)
	}
	for _, row := range t.Rows {
		for k, text := range row {
			f(t.explained(k, text).Term)
			if k == 0 {
				f(Explain(t.Terms, text).Term)
			}
		}
	}
}

// TermsOf lists the terms that explain words of some tables, each once.
func TermsOf(tables ...Table) (terms []scoring.Term) {
	for _, t := range tables {
		t.EachTerm(func(t *scoring.Term) {
			if t != nil && !slices.ContainsFunc(terms, func(u scoring.Term) bool { return u.ID() == t.ID() }) {
				terms = append(terms, *t)
			}
		})
	}
	return terms
}

// Explanations are what the words of a page are explained by: each is hidden until its button is pressed,
// and stands once on a page.
func Explanations(terms []scoring.Term) (template.HTML, error) {
	return executed("explanations", terms)
}

func executed(name string, of any) (template.HTML, error) {
	var b strings.Builder
	err := element.ExecuteTemplate(&b, name, of)
	return template.HTML(b.String()), err
}

// HTML is the table as an element of a page.
func (t Table) HTML() (template.HTML, error) { return executed("table", t) }

// Warned are warnings as notes.
func Warned(warnings []string) []string {
	notes := make([]string, len(warnings))
	for i, w := range warnings {
		notes[i] = warning + w
	}
	return notes
}
