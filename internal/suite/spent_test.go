package suite

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/cache"
	"gavel/internal/eval"
	"gavel/scoring/race"
)

// A race whose hours are spent is still what it was when it is asked for again with the same budget.
func TestSpentHoursKeepTheRace(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "name: r\nout: out\njudges: [{model: \"accuracy=0.6,seed=1\", backend: sim}, {model: \"accuracy=0.5,seed=2\", backend: sim}]\n" +
		"conditions:\n  - protocol: pairwise\n    dataset: sample\n"
	assert.NilError(t, os.WriteFile("race.yaml", []byte(text), 0o644))
	var seconds atomic.Int64
	e := &eval.Maker{
		HTTP: http.DefaultClient, Version: "test", Getenv: func(string) string { return "" },
		Now:       func() time.Time { return time.Unix(1_800_000_000+seconds.Add(1), 0) },
		OpenCache: func(dir string) (*cache.Store, error) { return cache.Open(dir, cache.Options{MinFree: 1}) },
	}
	calls := func() []int {
		t.Helper()
		s, err := Open("race.yaml")
		assert.NilError(t, err)
		_, err = s.Race(context.Background(), e, race.Rules{Alpha: 0.05}, Limits{Hours: 1.0 / 3600})
		if !errors.Is(err, eval.ErrIncomplete) {
			t.Fatal(err)
		}
		st, err := s.raceState()
		assert.NilError(t, err)
		return st.ItemsAsked
	}
	first := calls()
	if repeated := calls(); first[0] == 0 || repeated[0] != first[0] || repeated[1] != first[1] {
		t.Errorf("asked %v, and by the same command again %v", first, repeated)
	}
}
