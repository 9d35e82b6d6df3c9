// Package coverage measures how often intervals cover the truth: gavel's own code scores runs of simulated judges, and
// the 95 % interval of every metric is compared with its true value. It consists of tests, which try little by default;
// with GAVEL_TRIALS and -v they print the tables of docs/coverage.md and docs/diagnosis.md.
package coverage

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"

	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// size sets the amount of simulation.
type size struct {
	runs, rounds int
	strengths    []float64
	clusters     []clustering
}

// key identifies a metric of a run or of a comparison.
type key struct{ metric, mode string }

func (k key) String() string { return strings.TrimSpace(k.metric + " " + k.mode) }

// estimate holds a value with its interval.
type estimate struct {
	key
	value, low, high *float64
	interval         string
}

// cell holds a world with a strength, and the size of its runs.
type cell struct {
	world
	strength float64
	clustering
}

// tally counts intervals, those that cover the truth, and those that miss their own value; and sums the errors of
// values with an interval.
type tally struct {
	truth                          float64
	runs                           int
	intervals, covered, selfMissed int
	off, squares                   float64 // of value less truth: sum, and sum of squares
	methods                        map[string]bool
}

// print writes the table of a world.
func (s size) print(out io.Writer, w world) {
	table := tabwriter.NewWriter(out, 2, 0, 2, ' ', 0)
	fmt.Fprint(table, "metric\tinterval\tn")
	for _, strength := range s.strengths {
		fmt.Fprintf(table, "\t%g", strength)
	}
	fmt.Fprintln(table)
	rows, order := map[string][]string{}, []string{}
	for i, strength := range s.strengths {
		units, others := w.both(strength)
		truths := truths(w, units, others)
		for _, c := range s.clusters {
			tallies, metrics := s.measure(cell{world: w, strength: strength, clustering: c}, units, others, truths)
			for _, m := range metrics {
				row := m.String() + "\t" + c.String()
				if rows[row] == nil {
					rows[row] = make([]string, len(s.strengths)+1)
					order = append(order, row)
				}
				for by := range tallies[m].methods {
					if !strings.Contains(rows[row][0], by) {
						rows[row][0] = strings.TrimSpace(rows[row][0] + " " + by)
					}
				}
				rows[row][i+1] = tallies[m].String()
			}
		}
	}
	for _, row := range order {
		metric, n, _ := strings.Cut(row, "\t")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", metric, rows[row][0], n, strings.Join(rows[row][1:], "\t"))
	}
	table.Flush()
}

// String returns the coverage in percent of the intervals and the truth; the percentage of runs with an interval, if
// not all; and the number of intervals without their own value, if any.
func (t tally) String() string {
	if t.intervals == 0 {
		return "none"
	}
	text := fmt.Sprintf("%.1f (%.4g)", 100*float64(t.covered)/float64(t.intervals), t.truth)
	if t.intervals < t.runs {
		text += fmt.Sprintf(" in %.1f %%", 100*float64(t.intervals)/float64(t.runs))
	}
	if t.selfMissed > 0 {
		text += fmt.Sprintf(", %d without their value", t.selfMissed)
	}
	return text
}

// bias returns the mean error of the values, and its standard error.
func (t tally) bias() (mean, standardError float64) {
	n := float64(t.intervals)
	mean = t.off / n
	return mean, math.Sqrt(math.Max(0, t.squares/n-mean*mean) / n)
}

// measure simulates a cell.
func (s size) measure(c cell, units, others []unit, truths []estimate) (map[key]tally, []key) {
	tallies, metrics := map[key]tally{}, []key{}
	for _, e := range truths {
		if e.value != nil {
			tallies[e.key] = tally{truth: *e.value, runs: s.runs, methods: map[string]bool{}}
			metrics = append(metrics, e.key)
		}
	}
	var mu sync.Mutex
	spread(s.runs, func(i int) {
		rng := rand.New(rand.NewPCG(uint64(i), math.Float64bits(c.strength)+uint64(c.clusters*c.each)))
		records, other := c.draw(rng, units, others, c.clustering)
		list := c.estimates(records, other, stats.Bootstrap{Rounds: s.rounds, Level: 0.95, Seed: rng.Uint64()})
		mu.Lock()
		defer mu.Unlock()
		for _, e := range list {
			t, ok := tallies[e.key]
			if !ok || e.value == nil || e.low == nil || e.high == nil {
				continue
			}
			t.intervals++
			t.off += *e.value - t.truth
			t.squares += (*e.value - t.truth) * (*e.value - t.truth)
			t.methods[e.interval] = true
			if *e.low <= t.truth && t.truth <= *e.high {
				t.covered++
			}
			if *e.value < *e.low || *e.value > *e.high {
				t.selfMissed++
			}
			tallies[e.key] = t
		}
	})
	return tallies, metrics
}

// spread runs do for n indexes on all processors.
func spread(n int, do func(i int)) {
	var todo sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		todo.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	todo.Wait()
}

// both returns all units of a world and, for comparisons, those of the second judge.
func (w world) both(strength float64) (units, others []unit) {
	units = numbered(w.units(strength))
	if !math.IsNaN(w.compared) {
		others = numbered(w.units(strength - w.compared*(1-strength)))
	}
	return units, others
}

func numbered(units []unit) []unit {
	for i := range units {
		units[i].number = i
	}
	return units
}

// truths returns the values of all units and, if there are others, the differences to their values.
func truths(w world, units, others []unit) []estimate {
	list := w.estimates(everything(units), nil, stats.Bootstrap{})
	if others == nil {
		return list
	}
	second := map[key]*float64{}
	for _, e := range w.estimates(everything(others), nil, stats.Bootstrap{}) {
		second[e.key] = e.value
	}
	for _, e := range list {
		if b := second[e.key]; e.value != nil && b != nil {
			d := *b - *e.value
			list = append(list, estimate{key: key{e.metric, e.mode + compared}, value: &d})
		}
	}
	return list
}

const compared = " B − A"

// estimates returns the values of a run and, if there is another, of their comparison.
func (w world) estimates(records, other []*judging.Record, b stats.Bootstrap) (list []estimate) {
	run := w.run(records)
	rep := run.Score(b)
	for _, r := range rep.Results {
		if r.Group == scoring.Overall && !strings.HasPrefix(r.Metric, answer.RuleCountPrefix) {
			list = append(list, estimate{
				key:      key{r.Metric, r.Mode},
				value:    r.Value,
				low:      r.Low,
				high:     r.High,
				interval: r.IntervalMethod,
			})
		}
	}
	if rep.Repetitions != nil {
		r := rep.Repetitions.SelfAgreement
		list = append(list, estimate{
			key:      key{metric: r.Metric},
			value:    r.Value,
			low:      r.Low,
			high:     r.High,
			interval: r.IntervalMethod,
		})
	}
	if c := rep.Calibration; c != nil {
		for i, e := range []scoring.Estimate{c.Confidence, c.Accuracy, c.Brier, c.ECE} {
			list = append(list, estimate{
				key:      key{[]string{"confidence", "accuracy", "brier", "ece"}[i], ""},
				value:    e.Value,
				low:      e.Low,
				high:     e.High,
				interval: e.IntervalMethod,
			})
		}
	}
	if other == nil {
		return list
	}
	c, err := scoring.Compare([]*scoring.Run{run, w.run(other)}, b)
	if err != nil {
		panic(err)
	}
	for _, d := range c.Comparisons[0].Differences {
		if d.Group == scoring.Overall {
			list = append(list, estimate{
				key:      key{d.Metric, d.Mode + compared},
				value:    d.BMinusA,
				low:      d.Low,
				high:     d.High,
				interval: d.IntervalMethod,
			})
		}
	}
	return list
}
