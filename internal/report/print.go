package report

import (
	"io"

	"gavel/internal/codec"
	"gavel/internal/doc"
	"gavel/internal/report/table"
)

// Printable is what every format can show.
type Printable interface {
	Tables() []table.Table
	CSV(io.Writer) error
}

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
		return table.Writer(table.Markdown).Each(w, p.Tables())
	case FullText:
		return table.Stacked(columns).Each(w, p.Tables())
	}
	return table.TextWithin(columns).Each(w, p.Tables())
}
