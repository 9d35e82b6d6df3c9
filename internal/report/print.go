package report

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"gavel/internal/codec"
	"gavel/internal/doc"
	"gavel/internal/report/table"
)

// Printable is what every format can show.
type Printable interface {
	Tables() []table.Table
	CSV(io.Writer) error
}

// Briefer is what has a short form for people: the answer, the numbers that stand for it, and what to do next.
type Briefer interface{ Brief() []table.Table }

// Sayer is what can be said in sentences, the answer first. They are printed first, unless a short form has them.
type Sayer interface{ Sentences() []string }

// Formats that results are printed in. Text is for a terminal.
const (
	JSON     = "json"
	CSV      = "csv"
	Markdown = "markdown"
	Text     = "text"
	FullText = "full" // text that leaves nothing out
)

// Print writes a result in a format; of text for a terminal of so many columns, 0 where lines may have any length.
func Print(w io.Writer, result any, format string, columns int) error {
	if of, ok := result.(interface{ Document() doc.Document }); ok && format != JSON {
		switch d := of.Document(); format {
		case CSV:
			return d.CSV(w)
		case Markdown:
			return d.Markdown(w)
		default:
			return d.Text(w, columns, format == FullText)
		}
	}
	if format == JSON {
		return codec.WriteIndented(w, result)
	}
	p := result.(Printable)
	switch format {
	case CSV:
		return p.CSV(w)
	case Markdown:
		return table.Writer(table.Markdown).Each(w, slices.Concat(said(p), p.Tables()))
	case FullText:
		return table.Stacked(columns).Each(w, slices.Concat(said(p), p.Tables()))
	}
	tables := p.Tables()
	if short, ok := p.(Briefer); ok {
		tables = short.Brief()
	}
	return table.TextWithin(columns).Each(w, slices.Concat(said(p), tables))
}

// said is what can be said in sentences, above the tables.
func said(p Printable) []table.Table {
	if s, ok := p.(Sayer); ok {
		if lines := s.Sentences(); len(lines) > 0 {
			return []table.Table{{Title: strings.Join(lines, "\n")}}
		}
	}
	return nil
}

// Listing is a plain table with JSON of its own.
type Listing struct {
	Table table.Table
	Data  any // of its JSON
}

// Add says something more of what is listed in lines of a name and a value.
func (l *Listing) Add(name, value string) {
	l.Table.Columns = table.Left("", "")
	l.Table.Rows = append(l.Table.Rows, []string{name, value})
}

func (l Listing) Tables() []table.Table        { return []table.Table{l.Table} }
func (l Listing) CSV(w io.Writer) error        { return table.CSV(w, l.Table) }
func (l Listing) MarshalJSON() ([]byte, error) { return json.Marshal(l.Data) }
