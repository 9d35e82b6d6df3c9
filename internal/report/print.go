package report

import (
	"io"

	"gavel/internal/codec"
	"gavel/internal/doc"
)

// Documenter is a result that can be laid out as a document and so printed in every format.
type Documenter interface{ Document() doc.Document }

// Formats in which results can be printed.
const (
	JSON     = "json"
	CSV      = "csv"
	Markdown = "markdown"
	Text     = "text" // for a terminal
	FullText = "full" // text with every block and column
)

// Print writes a result in a format. result must be a [Documenter] unless the format is JSON. columns is the width of
// the terminal for text; 0 means any width.
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
