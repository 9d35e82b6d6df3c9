package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/scoring"
)

// A run of self-reference with a few of its numbers stands beside one of answers and one of pairs.
func TestFormatsOfModes(t *testing.T) {
	modes := report.Scores{Runs: stored[[]scoring.Report]("modes")}
	for name, result := range map[string]any{"modes": modes, "modes-compared": storedComparison("modes-compared")} {
		b := printed(t, result, report.CSV)
		rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll() // refuses rows of unequal length
		if err != nil || !strings.HasSuffix(strings.Join(rows[0], ","), ",note,mode,unit") {
			t.Errorf("%s: %v, columns %q", name, err, rows[0])
		}
		goldens(t, result, name)
	}
}
