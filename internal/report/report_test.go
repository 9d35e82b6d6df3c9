package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/scoring"
)

func of(x float64) *float64 { return &x }

// stored reads what gavel printed as JSON.
func stored[T any](name string) (v T) {
	text, err := os.ReadFile(filepath.Join("testdata", "stored", name+".json"))
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		panic(err)
	}
	return v
}

// twoRuns are a judge with everything and one that gave no verdict.
func twoRuns() report.Scores { return report.Scores{Runs: stored[[]scoring.Report]("runs")} }

// storedComparison is one of two runs.
func storedComparison(name string) report.Comparison {
	c := stored[*scoring.Comparisons](name)
	for _, two := range c.Comparisons {
		two.A, two.B = two.Sides[0], two.Sides[1]
	}
	return report.Comparison{Comparisons: c}
}

func TestFormats(t *testing.T) {
	for name, result := range map[string]any{"scores": twoRuns(), "comparison": storedComparison("comparison")} {
		t.Run(name, func(t *testing.T) { goldens(t, result, name) })
	}
}

// goldens compares a result in every format with stored files, twice: the same results are the same bytes.
func goldens(t *testing.T, result any, name string) {
	for format, ending := range map[string]string{report.FullText: ".txt", report.Markdown: ".md", report.CSV: ".csv"} {
		text := printed(t, result, format)
		golden.AssertBytes(t, text, name+ending)
		if !bytes.Equal(text, printed(t, result, format)) {
			t.Errorf("%s: the same results gave other bytes", ending)
		}
	}
}

// printed is a result in a format.
func printed(t *testing.T, result any, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Print(&b, result, format, 0); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrorsAreReported(t *testing.T) {
	for _, format := range []string{report.JSON, report.CSV, report.Markdown, report.Text, report.FullText} {
		if err := report.Print(full{}, twoRuns(), format, 0); err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}
