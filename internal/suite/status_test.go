package suite

import (
	"testing"
	"time"

	"gavel/judging"
)

// TestSuiteStatusRate: rate, time left and silence, from records alone.
func TestSuiteStatusRate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tempoOf := func(seconds ...int) *judging.Tempo {
		var tempo judging.Tempo
		for _, s := range seconds {
			tempo.Add(now.Add(time.Duration(s) * time.Second))
		}
		return &tempo
	}
	c := RunState{Expected: 100, Completed: 40}
	c.addPace(tempoOf(-40, -20, -30, -10), new(now.Add(-10*time.Second)), now)
	if c.Rate != 0.1 || c.SecondsLeft != 600 || c.SilentSeconds != 10 {
		t.Errorf("%+v, want 4 records in 40 s, 600 s left, silent for 10", c)
	}
	for _, few := range []*judging.Tempo{tempoOf(), tempoOf(-5), tempoOf(-5, -500), tempoOf(0, 0)} {
		c := RunState{Expected: 100}
		if c.addPace(few, &now, now); c.Rate != 0 || c.SecondsLeft != 0 {
			t.Errorf("%v: %+v", few, c)
		}
	}
	st := Status{Cells: []RunState{{Run: "r", Status: judging.Running, Rate: 2, SecondsLeft: 90, SilentSeconds: 3600}}, ByStatus: map[string]int{judging.Running: 1}}
	if row := st.Document().Blocks[0].Table.Rows[0].Cells; row[0].Text != "running, silent for 1h0m0s" || row[3].Text != "" {
		t.Errorf("a run that was killed: %+v", row)
	}
}
