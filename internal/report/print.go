package report

import (
	"io"

	"gavel/internal/codec"
	"gavel/internal/doc"
)

// Documenter has a document, which every format can show; JSON prints the result itself.
type Documenter interface{ Document() doc.Document }

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
	if format == JSON {
		if d, ok := result.(doc.Document); ok {
			result = d.Data
		}
		return codec.WriteIndented(w, result)
	}
	switch d := result.(Documenter).Document(); format {
	case CSV:
		return d.CSV(w)
	case Markdown:
		return d.Markdown(w)
	default:
		return d.Text(w, columns, format == FullText)
	}
}
