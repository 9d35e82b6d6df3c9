package cli

import (
	"testing"
	"unicode/utf8"
)

// TestRunsFit: a line of a long name and of a run that was interrupted a while ago fits 80 columns.
func TestRunsFit(t *testing.T) {
	e := &env{columns: 80}
	for _, line := range e.aligned([][]string{
		{"good for", "score", "kept", "judge", ""},
		{"··· unknown", "100 [90, 100]", "100 %", "sim:accuracy=0.8", "interrupted at 50 % · 11 minutes ago"},
	}) {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
