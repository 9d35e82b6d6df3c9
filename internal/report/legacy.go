package report

import (
	"html/template"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// ItemLinks are the addresses of the items that a filter takes, of a group or "" for all; nil where there are none.
type ItemLinks func(show, group string) string

// link to the items of a group; "" where there is none.
func (address ItemLinks) link(show, group string) string {
	if address == nil {
		return ""
	}
	if group == scoring.Overall {
		group = ""
	}
	return address(show, group)
}

// pieces of a bar of what units came to. link is the address of the items that a filter takes.
func (l *Layout) pieces(b scoring.Breakdown, link func(show string) string) (pieces []Piece) {
	for _, end := range l.Ends {
		if n := b.Count(end.Part); n > 0 {
			pieces = append(pieces, Piece{N: n, Look: end.Look, Words: end.Words, Link: link(end.Show)})
		}
	}
	return pieces
}

// partsBar is what became of the units of a run.
type partsBar struct {
	Bar    template.HTML
	Pieces []Piece
	Of     int
	*Bracket
	Line template.HTML
}

// Bracket joins the first units of a bar.
type Bracket struct {
	N            int
	Bold, Words  string
	Beyond       string // of the others
	BeyondLength int
}

// Shared is a piece's share of the bar, or what else is said of it.
func (b partsBar) Shared(p Piece) string {
	if p.Note != "" {
		return p.Note
	}
	return p.share(b.Of)
}

func capital(s string) string { return doc.Capital(s) }

func spaced(words string) template.HTML {
	return template.HTML(template.HTMLEscapeString(doc.Spaced(words)))
}

func shortName(name string, most int) string { return doc.ShortName(name, most) }

// Explanations are of the words of some tables.
func Explanations(tables []table.Table) (template.HTML, error) {
	var terms []scoring.Term
	for _, t := range tables {
		t.EachTerm(func(term *scoring.Term) {
			if term != nil {
				terms = append(terms, *term)
			}
		})
	}
	return table.Explanations(terms)
}
