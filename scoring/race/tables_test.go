package race_test

import (
	"os"
	"strings"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring/race"
	"gavel/scoring/stats"
)

// A small table: what races promise, and what they are known to find and to cost (docs/race.md).
func TestRaces(t *testing.T) {
	const worlds = 400
	for _, c := range []struct {
		judges, items int
		points        float64
		benchmark     bool
		found, calls  float64 // at least, at most; shares
	}{
		{2, 350, 0, false, 0, 1}, {2, 350, 10, false, .74, .63}, {2, 350, 15, false, .99, .32},
		{2, 620, 10, false, .95, .41}, {2, 620, 15, false, 1, .19}, {4, 350, 15, false, .92, .46}, {8, 350, 0, false, 0, 1},
		{2, 350, 0, true, 0, .92}, {2, 350, 10, true, .99, .48}, {2, 620, 10, true, .99, .34}, {4, 350, 10, true, .97, .57},
	} {
		r := raced(worlds, c.judges, c.items, c.points/100, c.benchmark)
		erred := r.lost
		if c.benchmark {
			erred = r.behind
		}
		// What 400 worlds may be off by: the upper end of an exact interval of the share, the lower end of that
		// of errors.
		if found := stats.ClopperPearson(r.alone, worlds, 0.999).High; found < c.found {
			t.Errorf("%+v: the best is found in %d of %d", c, r.alone, worlds)
		}
		if low := stats.ClopperPearson(erred, worlds, 0.999).Low; low > alpha {
			t.Errorf("%+v: erred in %d of %d", c, erred, worlds)
		}
		if calls := r.calls / worlds; calls > c.calls+.03 {
			t.Errorf("%+v: %.3f of the calls", c, calls)
		}
		if c.points == 0 && !c.benchmark && r.anyLeft > r.worlds/4 {
			t.Errorf("%+v: of equal judges somebody left in %d of %d", c, r.anyLeft, worlds)
		}
	}
}

// The tables of docs/race.md in full, GAVEL_TRIALS times 100 worlds a row; without it, small ones.
func TestTables(t *testing.T) {
	worlds, sizes, judges := 20, []int{40}, []int{2}
	if os.Getenv("GAVEL_TRIALS") != "" {
		worlds, sizes, judges = trials.TrialCount(100), []int{350, 620}, []int{2, 4, 8}
	}
	for _, about := range race.Questions {
		var out strings.Builder
		simulate(&out, about, worlds, sizes, judges)
		t.Log(out.String())
		if strings.Count(out.String(), "\n") != 3+5*len(sizes)*len(judges) {
			t.Errorf("about %s: %s", about, out.String())
		}
	}
}
