package report

import (
	"slices"
	"testing"

	"gavel/internal/doc"
	"gavel/scoring"
)

// The note names Tango's interval where it is his, and says of a run that is not at its end that all holds at every
// look.
func TestNoteOfWithin(t *testing.T) {
	for by, want := range map[string]string{scoring.IntervalByTango: "compare.tango", scoring.IntervalByBetting: "compare.betting"} {
		w := &scoring.MarginTest{
			Metric: "strict", Points: 5, Verdict: scoring.MarginDifferent, BMinusA: new(1.0), Low: new(-2.0), High: new(4.0),
			IntervalMethod: by, N: 40,
		}
		notes := pair{Comparison: &scoring.Comparison{ComparisonExtras: scoring.ComparisonExtras{MarginTest: w}}}.equivalence().Notes
		if !slices.ContainsFunc(notes, func(n doc.Note) bool { return n.Code == want }) {
			t.Errorf("%s: %v", by, notes)
		}
	}
}
