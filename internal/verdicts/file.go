package verdicts

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"gavel/internal/report/table"
)

// Formats lists the endings of names of files of verdicts.
var Formats = []string{".csv", ".jsonl", ".parquet"}

// Write writes rows as CSV, JSON lines or Parquet; format is one of Formats.
func Write(w io.Writer, format string, rows []Row) error {
	if format == ".parquet" {
		return parquet.Write(w, rows)
	}
	cells := [][]string{{"item", "verdict", "consistent", "confidence", "use", "why", "language"}}
	var lines bytes.Buffer
	for _, x := range rows {
		cells = append(cells, []string{
			x.Item, x.Verdict, strconv.FormatBool(x.Consistent), table.Cell(x.Confidence, 4), x.Use, x.Why, x.Language,
		})
		_ = json.NewEncoder(&lines).Encode(x) // texts, numbers: cannot fail
	}
	if format == ".csv" {
		return table.WriteCSV(w, cells)
	}
	_, err := lines.WriteTo(w)
	return err
}
