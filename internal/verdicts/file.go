package verdicts

import (
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"gavel/internal/codec"
	"gavel/internal/report/table"
)

// Formats lists the endings of names of files of verdicts.
var Formats = []string{".csv", ".jsonl", ".parquet"}

// Write writes rows as CSV, JSON lines or Parquet; format is one of Formats.
func Write(w io.Writer, format string, rows []Row) error {
	cells := [][]string{{"item", "verdict", "consistent", "confidence", "use", "why", "language"}}
	for _, x := range rows {
		cells = append(cells, []string{
			x.Item, x.Verdict, strconv.FormatBool(x.Consistent), table.Cell(x.Confidence, 4), x.Use, x.Why, x.Language,
		})
		line, err := codec.Marshal(x)
		if err == nil && format == ".jsonl" {
			_, err = w.Write(append(line, '\n'))
		}
		if err != nil {
			return err
		}
	}
	switch format {
	case ".csv":
		return table.WriteCSV(w, cells)
	case ".parquet":
		return parquet.Write(w, rows)
	}
	return nil
}
