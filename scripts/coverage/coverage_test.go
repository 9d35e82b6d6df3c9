package main

import (
	"testing"

	"gavel/scoring"
)

// few is a table that takes a second: with 60 runs, an interval that covers in 93 % of all does so in fewer than 49 once in
// 1,500 cells.
var few = size{runs: 60, rounds: 200}

const fewest = 49

func TestIntervalsCover(t *testing.T) {
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
			found, metrics := few.measure(cell{w, c.strength, c.clustering}, units, others, truths(w, units, others))
			given := 0
			for _, m := range metrics {
				x := found[m]
				if given += x.given; float64(x.held) < float64(x.given)*fewest/float64(few.runs) || x.without > 0 {
					t.Errorf("%s of strength %g, n = %s: %s covers %s", w.name, c.strength, c.clustering, m, x)
				}
			}
			if given == 0 {
				t.Errorf("%s: no interval", w.name)
			}
		}
	}
}

// Of tables of equal judges at most 5 % call some different: 6 of 20 and more do so once in 3,000 times. Enough exchanges
// are drawn that a p can be small enough.
func TestEqualJudgesAreEqual(t *testing.T) {
	e := equality{tables: 20, judges: 5, n: 350, rounds: 2000, strength: 0.7}
	for _, w := range equals {
		if wrong, tests := e.differing(w); wrong > 5 || tests < 50 || tests > 2000/20 {
			t.Errorf("%s: %d of %d tables, %d tests each", w.name, wrong, e.tables, tests)
		}
	}
}

// Each kind of judge gets its own diagnosis on 350 units, and on 32 none is called strong that is not: neither those of the
// table nor judges that are just not strong.
func TestJudgesAreDiagnosed(t *testing.T) {
	const runs = 20
	for _, j := range judges {
		if codes, _ := j.diagnose(runs, 350); codes[j.code] < runs-2 {
			t.Errorf("%s: %v, want %s", j.name, codes, j.code)
		}
		if _, levels := j.diagnose(runs, 32); j.code != scoring.CodeStrong && levels[scoring.Strong] > 0 {
			t.Errorf("%s: %v of 32 units", j.name, levels)
		}
	}
	for _, j := range []judge{{name: "not quite strong", world: pairsOf(0.749, 0)}, {name: "not quite, by the first in 10 %", world: pairsOf(0.83, 0.1)}} {
		if _, levels := j.diagnose(200, 32); levels[scoring.Strong] > 6 { // of 2 in 200 twice in 1,000
			t.Errorf("%s: called strong in %d of 200", j.name, levels[scoring.Strong])
		}
	}
}
