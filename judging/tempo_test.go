package judging

import (
	"testing"
	"time"
)

// TestTempoOfSlowJudges: a judge that takes minutes for each judgment has a rate
// and an end all the same, and what was judged long before tells nothing of it.
func TestTempoOfSlowJudges(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var tempo Tempo
	for range 50 { // before the run was gone on with
		tempo.Add(now.Add(-time.Hour))
	}
	tempo.Add(now.Add(-4 * time.Minute)) // took so long, and is just there
	if seconds, ok := tempo.Remaining(3, now); ok {
		t.Errorf("one judgment tells that %v s are left", seconds)
	}
	now = now.Add(4 * time.Minute)
	tempo.Add(now.Add(-4 * time.Minute))
	if seconds, ok := tempo.Remaining(3, now); !ok || seconds != 720 {
		t.Errorf("%v s are left, %v; want 720: each takes four minutes", seconds, ok)
	}
	for _, seconds := range []int{-60, -30} {
		tempo.Add(now.Add(time.Duration(seconds) * time.Second))
	}
	if rate := tempo.PerSecond(now); rate != 2./60 {
		t.Errorf("%v a second; of the last two minutes it is 2 in 60", rate)
	}
}
