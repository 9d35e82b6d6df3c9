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
	for _, c := range []struct {
		world    string
		strength float64
		clustering
	}{
		{"pairs", 0.95, clustering{50, 1}}, {"pairs", 0.8, clustering{20, 10}}, {"reference", 0.8, clustering{100, 1}},
		{"repeats", 0.95, clustering{50, 1}}, {"answers", 0.99, clustering{20, 10}}, {"judgments", 0.8, clustering{50, 1}},
		{"judgments of 3 agents", 0.95, clustering{50, 1}}, {"options", 0.95, clustering{20, 1}}, {"two options", 0.95, clustering{20, 1}},
		{"calibration", 1, clustering{50, 1}},
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
				if given += x.given; float64(x.held) < float64(x.given)*fewest/float64(few.runs) {
					t.Errorf("%s of strength %g, n = %s: %s covers %s", w.name, c.strength, c.clustering, m, x)
				}
			}
			if given == 0 {
				t.Errorf("%s: no interval", w.name)
			}
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
