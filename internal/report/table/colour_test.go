package table_test

import (
	"strings"
	"testing"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// TestColour: a terminal with colours shows levels in theirs, and nothing else writes an escape sequence.
func TestColour(t *testing.T) {
	judges := table.Table{Title: "judges", Columns: table.TextColumns("judge", "good for"), Notes: []string{"a note"}}
	colours := map[scoring.UsabilityLevel]string{
		scoring.LevelStrong:   "\x1b[32m●●● strong\x1b[0m",
		scoring.LevelUsable:   "\x1b[34m●●○ usable\x1b[0m",
		scoring.LevelWeak:     "\x1b[33m●○○ weak\x1b[0m",
		scoring.LevelUnusable: "\x1b[31m○○○ unusable\x1b[0m",
		scoring.LevelUnknown:  "\x1b[2m··· unknown\x1b[0m",
	}
	for level := range colours {
		judges.AddRow("a judge", table.LevelWithSymbol(level))
	}
	var plain, coloured strings.Builder
	write := table.TextWriter(80)
	if err := write(&plain, judges); err != nil {
		t.Fatal(err)
	}
	if err := write(table.ColouredWriter{Writer: &coloured}, judges); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("no terminal is told of colours: %q", plain.String())
	}
	for level, want := range colours {
		if !strings.Contains(coloured.String(), want) {
			t.Errorf("%s: no %q in %q", level, want, coloured.String())
		}
	}
	if got := coloured.String(); !strings.HasPrefix(got, "\x1b[1mjudges\x1b[0m\n") ||
		!strings.HasSuffix(got, "\x1b[2m a note\x1b[0m\n\n") {
		t.Errorf("title and note: %q", got)
	}
	bare := strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[31m", "", "\x1b[32m", "",
		"\x1b[33m", "", "\x1b[34m", "").Replace(coloured.String())
	if bare != plain.String() {
		t.Errorf("the lines are others without colours:\n%s\n%s", bare, plain.String())
	}
}
