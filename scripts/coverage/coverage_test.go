package coverage

import (
	"math"
	"os"
	"strings"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// onlyWhenAsked skips a test of a full table unless GAVEL_TRIALS sets its size.
func onlyWhenAsked(t *testing.T) {
	t.Helper()
	if os.Getenv("GAVEL_TRIALS") == "" {
		t.Skip("a table in full takes hours: GAVEL_TRIALS=100 and -v make it")
	}
}

// The table of docs/coverage.md: of every world, metric, strength and clustering.
func TestCoverageTable(t *testing.T) {
	onlyWhenAsked(t)
	s := size{runs: trials.TrialCount(20), rounds: 1000, strengths: []float64{0.5, 0.8, 0.95, 0.99}}
	for _, n := range []int{20, 50, 100, 350} {
		s.clusters = append(s.clusters, separate(n))
	}
	for _, alike := range []float64{0, 0.1, 0.3, 0.5} {
		s.clusters = append(s.clusters, clustering{clusters: 80, each: 20, alike: alike})
	}
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			var out strings.Builder
			s.print(&out, w)
			t.Log(out.String())
			if strings.Contains(out.String(), "without their value") {
				t.Error("an interval is beside its own value")
			}
		})
	}
}

// smallTable is a table that takes a second: with 60 runs, an interval with 93 % coverage covers fewer than 49 times in
// one of 1,500 cells.
var smallTable = size{runs: 60, rounds: 200}

const fewest = 49

// mostBias limits the mean error of a value beyond chance, relative to the truth, or to 1 if that is less.
const mostBias = 0.02

func TestIntervalsCover(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	similar := clustering{clusters: 20, each: 10, alike: 0.1}
	for _, c := range []struct {
		world    string
		strength float64
		clustering
	}{
		{"pairs", 0.95, separate(50)}, {"pairs", 0.8, similar}, {"reference", 0.8, separate(100)},
		{"repeats", 0.95, separate(50)}, {"answers", 0.99, similar}, {"judgments", 0.8, separate(50)},
		{"judgments of 3 agents", 0.95, separate(50)}, {"options", 0.95, separate(20)},
		{"two options", 0.95, separate(20)},
		{"calibration", 1, separate(50)},
	} {
		for _, w := range worlds {
			if w.name != c.world {
				continue
			}
			units, others := w.both(c.strength)
			tallies, metrics := smallTable.measure(cell{w, c.strength, c.clustering}, units, others, truths(w, units, others))
			intervals := 0
			for _, m := range metrics {
				x := tallies[m]
				mostHaveIt := 2*x.intervals >= smallTable.runs
				if mean, se := x.bias(); mostHaveIt && m.metric != "ece" && math.Abs(mean) > 4*se+mostBias*math.Max(1, math.Abs(x.truth)) {
					t.Errorf("%s of strength %g, n = %s: %s is %.4g off on average (± %.2g), of %.4g",
						w.name, c.strength, c.clustering, m, mean, se, x.truth)
				}
				if intervals += x.intervals; float64(x.covered) < float64(x.intervals)*fewest/float64(smallTable.runs) ||
					x.selfMissed > 0 {
					t.Errorf("%s of strength %g, n = %s: %s covers %s", w.name, c.strength, c.clustering, m, x)
				}
			}
			if intervals == 0 {
				t.Errorf("%s: no interval", w.name)
			}
		}
	}
}

// Of tables of equal judges, by compare and by rank, at most 5 % call some different, give or take what chance does.
// Enough exchanges are drawn that a p can be small enough.
func TestEqualJudgesAreEqual(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	for _, e := range []equality{
		{tables: trials.TrialCount(20), judges: 5, n: 350, rounds: 2000, strength: 0.7},
		{tables: trials.TrialCount(60), judges: 2, n: 60, rounds: 300, strength: 0.7},
	} {
		for _, w := range equals {
			wrong, tests, apart := e.differing(w)
			iv := stats.ClopperPearson(wrong, e.tables, 0.95)
			t.Logf("%s, %d judges, %d items, %d tests: %d of %d tables, %.1f %% [%.1f, %.1f]; %d rankings",
				w.name, e.judges, e.n, tests, wrong, e.tables, 100*float64(wrong)/float64(e.tables), 100*iv.Low, 100*iv.High, apart)
			for _, k := range []int{wrong, apart} {
				if low := stats.ClopperPearson(k, e.tables, 0.998).Low; low > 0.05 {
					t.Errorf("%s: %d of %d tables of %d judges call some different", w.name, k, e.tables, e.judges)
				}
			}
			if e.judges == 5 && (tests < 50 || tests > e.rounds/20) {
				t.Errorf("%s: %d tests a table", w.name, tests)
			}
		}
	}
}

// Each kind of judge gets its own diagnosis on 350 units, and on 32 none is called strong that is not: neither those of
// the table nor judges that are just not strong.
func TestJudgesAreDiagnosed(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	runs := trials.TrialCount(20)
	for _, j := range judges {
		codes, _ := j.diagnose(runs, 350)
		if codes[j.code] < runs*9/10 {
			t.Errorf("%s: %v, want %s", j.name, codes, j.code)
		}
		small, levels := j.diagnose(runs, 32)
		t.Logf("%-40s %-15s %-40s %s", j.name, j.protocol, shares(codes, runs), shares(small, runs))
		if j.code != scoring.CodeStrongJudge && levels[scoring.LevelStrong] > 0 {
			t.Errorf("%s: %v of 32 units", j.name, levels)
		}
	}
	for _, j := range []judge{{name: "not quite strong", world: pairsOf(0.749, 0)}, {name: "not quite, by the first in 10 %", world: pairsOf(0.83, 0.1)}} {
		if _, levels := j.diagnose(200, 32); levels[scoring.LevelStrong] > 6 { // of 2 in 200 twice in 1,000
			t.Errorf("%s: called strong in %d of 200", j.name, levels[scoring.LevelStrong])
		}
	}
}
