package table

import (
	_ "embed"
	"html/template"
	"strings"

	"gavel/scoring"
)

//go:embed table.html
var page string

// Warning begins the notes that are warnings.
const Warning = "! "

var element = template.Must(template.New("").Funcs(template.FuncMap{
	"clean":   Clean,
	"warning": func(s string) bool { return strings.HasPrefix(s, Warning) },
	"plain":   func(s string) string { return strings.TrimPrefix(s, Warning) },
	"right":   Table.right,
	"explain": Explain,
	"cell":    Table.explained,
}).Parse(page))

// Explained is a word of a page, with its definition if that is known. A button shows it, without any script.
type Explained struct {
	Text string
	Term *scoring.Term
}

// Explain finds a word among terms. Its definition must be on the page too: [Explanations].
func Explain(terms []scoring.Term, text string) Explained {
	if t, ok := scoring.TermIn(terms, text); ok {
		return Explained{Text: text, Term: &t}
	}
	return Explained{Text: text}
}

// HTML returns the word, as a button if it is explained.
func (e Explained) HTML() (template.HTML, error) { return executed("explained", e) }

// right reports whether a column has numbers.
func (t Table) right(column int) bool { return column < len(t.Columns) && t.Columns[column].Right }

// explained returns the text of a cell after the first, explained if it is no number.
func (t Table) explained(column int, text string) Explained {
	if t.right(column) {
		return Explained{Text: text}
	}
	return Explain(t.Terms, text)
}

// Explains returns the terms that explain heads and cells of the table.
func (t Table) Explains() (terms []scoring.Term) {
	add := func(word Explained) {
		if word.Term != nil {
			terms = append(terms, *word.Term)
		}
	}
	for _, c := range t.Columns {
		add(Explain(t.Terms, c.Name))
	}
	for _, row := range t.Rows {
		for k, text := range row {
			if k == 0 {
				add(Explain(t.Terms, text))
			} else {
				add(t.explained(k, text))
			}
		}
	}
	return terms
}

// Explanations returns the definitions of words of a page: each is hidden until its button is pressed, and stands once
// on a page.
func Explanations(terms []scoring.Term) (template.HTML, error) {
	return executed("explanations", terms)
}

func executed(name string, data any) (template.HTML, error) {
	var b strings.Builder
	err := element.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err
}

// HTML returns the table as an element of a page.
func (t Table) HTML() (template.HTML, error) { return executed("table", t) }
