package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gavel/judging"
	"gavel/scoring"
)

// TestRunsFit: a line of a long name and of a run that was interrupted a while ago fits 80 columns.
func TestRunsFit(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e := &env{columns: 80, now: func() time.Time { return now }}
	text := e.runListText([]listedRun{{
		Run: "runs/half", Judge: "sim:accuracy=0.8", Level: scoring.LevelUnknown, Status: judging.Interrupted,
		Judgments: 32, Expected: 64, Ended: now.Add(-11 * time.Minute),
		Headline: &scoring.Result{Value: new(100.0), Low: new(90.0), High: new(100.0)},
		Coverage: &scoring.Result{Value: new(100.0)},
	}})
	if !strings.Contains(text, "  ··· unknown  100 [90, 100]  100 %  sim:accuracy=0.8  interrupted at 50 % · 1") {
		t.Errorf("%s", text)
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
