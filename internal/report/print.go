package report

import (
	"encoding/json"
	"io"

	"gavel/internal/report/table"
)

// Printable is what every format can show.
type Printable interface {
	Tables() []table.Table
	CSV(io.Writer) error
}

// Print writes in a format: json, csv, markdown or, by whatever other name, text for a terminal of so many columns, 0
// where lines may have any length.
func Print(w io.Writer, p Printable, format string, columns int) error {
	switch format {
	case "json":
		return WriteJSON(w, p)
	case "csv":
		return p.CSV(w)
	case "markdown":
		return table.Writer(table.Markdown).Each(w, p.Tables())
	}
	return table.TextWithin(columns).Each(w, p.Tables())
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
