package imports

import (
	"fmt"
	"os"
	"strings"

	"gavel/judging"
)

// Run is the result of an import.
type Run struct {
	Dir      string
	Manifest *judging.Manifest
	Said     []string // what there is to say of it, a line each
	Differ   []string // what the file says otherwise than we read, one sentence each
}

// Say adds a line to what there is to say.
func (r *Run) Say(format string, args ...any) { r.Said = append(r.Said, fmt.Sprintf(format, args...)) }

// Skipped says of rows that they were skipped, if any were, and why the first of them.
func Skipped(n int, rows string, bad []string) []string {
	if n == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%d %s were skipped:", n, rows)}
	for _, b := range bad {
		lines = append(lines, "  "+b)
	}
	return lines
}

// Few are the first of many sentences, indented, and how many more there are.
func Few(all []string) (lines []string) {
	const few = 20
	for i, d := range all {
		if i == few {
			return append(lines, fmt.Sprintf("  … and %d more", len(all)-i))
		}
		lines = append(lines, "  "+d)
	}
	return lines
}

// Differ are sentences on what files say otherwise than gavel reads, the first few of them; all go to the file
// of that name, "" for none.
func Differ(list string, runs []*Run) (said []string, err error) {
	var all []string
	for _, r := range runs {
		for _, d := range r.Differ {
			if len(runs) > 1 {
				d = r.Manifest.Spec.Model.Name + ": " + d
			}
			all = append(all, d)
		}
	}
	said = Few(all)
	if list == "" {
		return said, nil
	}
	var lines strings.Builder
	for _, d := range all {
		fmt.Fprintln(&lines, strings.ReplaceAll(d, "\n", " "))
	}
	if err := os.WriteFile(list, []byte(lines.String()), 0o666); err != nil {
		return said, err
	}
	return append(said, fmt.Sprintf("%d disagreements written to %s", len(all), list)), nil
}
