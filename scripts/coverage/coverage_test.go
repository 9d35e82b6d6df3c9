package main

import (
	"testing"
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
