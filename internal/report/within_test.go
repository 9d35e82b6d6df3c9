package report

import (
	"strings"
	"testing"

	"gavel/scoring"
)

// The note names Tango's interval where it is his, and says of a run that is not at its end that all holds at every look.
func TestNoteOfWithin(t *testing.T) {
	for by, want := range map[string]string{scoring.ByTango: "Tango's", scoring.ByBetting: "at every look"} {
		w := &scoring.Within{Metric: "strict", Points: 5, Verdict: scoring.Different, Diff: new(1.0), Low: new(-2.0), High: new(4.0), Interval: by, N: 40}
		if got := strings.Join(within(w).Notes, " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s", by, got)
		}
	}
}
