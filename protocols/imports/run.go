package imports

import (
	"fmt"
	"os"
	"strings"

	"gavel/judging"
)

// ImportedRun is a run that an importer made from another harness's file.
type ImportedRun struct {
	Dir                string // folder of the run
	Manifest           *judging.Manifest
	Summary            []string // lines that the command prints about the import
	ReadingDifferences []string // sentences on differences between the file and gavel's reading
}

// AddLine adds a formatted line to the summary that the command prints.
func (r *ImportedRun) AddLine(format string, args ...any) {
	r.Summary = append(r.Summary, fmt.Sprintf(format, args...))
}

// SkippedRowsSummary returns lines of a summary on n skipped rows, with the reasons of the first in bad; nil if n is 0.
func SkippedRowsSummary(n int, rows string, bad []string) []string {
	if n == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%d %s were skipped:", n, rows)}
	for _, b := range bad {
		lines = append(lines, "  "+b)
	}
	return lines
}

// TruncateList returns the first 20 sentences of a list, indented, and how many more there are.
func TruncateList(all []string) (lines []string) {
	const limit = 20
	for i, d := range all {
		if i == limit {
			return append(lines, fmt.Sprintf("  … and %d more", len(all)-i))
		}
		lines = append(lines, "  "+d)
	}
	return lines
}

// ReportDifferences returns lines on the first differences between files and gavel's reading of them. It writes all
// differences to the file list, if it is not "".
func ReportDifferences(list string, runs []*ImportedRun) (notes []string, err error) {
	var all []string
	for _, r := range runs {
		for _, d := range r.ReadingDifferences {
			if len(runs) > 1 {
				d = r.Manifest.Spec.Model.Name + ": " + d
			}
			all = append(all, d)
		}
	}
	notes = TruncateList(all)
	if list == "" {
		return notes, nil
	}
	var lines []byte
	for _, d := range all {
		lines = fmt.Appendln(lines, strings.ReplaceAll(d, "\n", " "))
	}
	if err := os.WriteFile(list, lines, 0o666); err != nil {
		return notes, err
	}
	return append(notes, fmt.Sprintf("%d disagreements written to %s", len(all), list)), nil
}
