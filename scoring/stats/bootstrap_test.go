package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gavel/scoring/stats"
)

// textbook is the bootstrap as every textbook has it: one row drawn after the
// other, the sums, the statistic; and then its percentiles, for each level.
func textbook(rows [][]float64, rounds int, levels []float64, stat func(sums []float64) float64) []stats.Interval {
	rng := rand.New(rand.NewPCG(7, 11))
	var values []float64
	sums := make([]float64, len(rows[0]))
	for range rounds {
		clear(sums)
		for range rows {
			for k, v := range rows[rng.IntN(len(rows))] {
				sums[k] += v
			}
		}
		if v := stat(sums); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	at := func(p float64) float64 {
		return values[min(max(int(math.Ceil(p*float64(len(values))))-1, 0), len(values)-1)]
	}
	var intervals []stats.Interval
	for _, level := range levels {
		intervals = append(intervals, stats.Interval{Low: at((1 - level) / 2), High: at(1 - (1-level)/2)})
	}
	return intervals
}

func ratio(s []float64) float64 { return s[0] / s[1] }

// correlation is Pearson's r from n, Σx, Σy, Σx², Σy², Σxy.
func correlation(s []float64) float64 {
	n := s[0]
	return (s[5] - s[1]*s[2]/n) / math.Sqrt((s[3]-s[1]*s[1]/n)*(s[4]-s[2]*s[2]/n))
}

// made makes n rows.
func made(n int, row func(i int, rng *rand.Rand) []float64) [][]float64 {
	rng := rand.New(rand.NewPCG(3, 5))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = row(i, rng)
	}
	return rows
}

// rounds of the bootstraps compared.
const rounds = 8000

var samples = []struct {
	name      string
	rows      [][]float64
	stat      func([]float64) float64
	tolerance float64 // about four standard errors of a percentile
}{
	{"a share of 350 pairs", made(350, func(i int, _ *rand.Rand) []float64 {
		return []float64{map[bool]float64{true: 1}[i < 203], 1}
	}), ratio, 0.005},
	{"a rare share", made(200, func(i int, _ *rand.Rand) []float64 {
		return []float64{map[bool]float64{true: 1}[i < 3], 1}
	}), ratio, 0.0051},
	{"a share whose denominator varies", made(120, func(i int, _ *rand.Rand) []float64 {
		return [][]float64{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}}[i%5]
	}), ratio, 0.008},
	{"a paired difference of shares", made(150, func(i int, _ *rand.Rand) []float64 {
		return [][]float64{{1, 1, 1, 1}, {1, 1, 0, 1}, {0, 1, 1, 1}, {0, 1, 0, 1}, {1, 1, 1, 1}, {0, 0, 1, 1}}[i%6]
	}), func(s []float64) float64 { return s[2]/s[3] - s[0]/s[1] }, 0.011},
	{"every row of its own", made(80, func(_ int, rng *rand.Rand) []float64 {
		return []float64{rng.NormFloat64() + 2, 1}
	}), ratio, 0.019},
	{"a correlation", made(60, func(_ int, rng *rand.Rand) []float64 {
		x := rng.NormFloat64()
		y := x + rng.NormFloat64()
		return []float64{1, x, y, x * x, y * y, x * y}
	}), correlation, 0.016},
	{"three pairs", [][]float64{{1, 1}, {0, 1}, {1, 1}}, ratio, 1e-9},
	{"sometimes undefined", [][]float64{{1, 1}, {0, 0}, {0, 1}, {0, 0}}, ratio, 1e-9},
}

func near(a, b stats.Interval, tolerance float64) bool {
	return math.Abs(a.Low-b.Low) <= tolerance && math.Abs(a.High-b.High) <= tolerance
}

func one(stat func([]float64) float64) func(sums, out []float64) {
	return func(sums, out []float64) { out[0] = stat(sums) }
}

func TestBootstrapIsTheTextbooks(t *testing.T) {
	levels := []float64{0.5, 0.8, 0.95}
	for _, c := range samples {
		want := textbook(c.rows, rounds, levels, c.stat)
		for i, level := range levels {
			got := stats.Bootstrap{Rounds: rounds, Level: level, Seed: 2}.Sums(c.rows, 1, one(c.stat))[0]
			if !near(got, want[i], c.tolerance) {
				t.Errorf("%s, %g %%: %+v, the textbook has %+v", c.name, 100*level, got, want[i])
			}
		}
	}
}

// Rows that are alike may be drawn as one class: the distribution is that of
// rows which differ by too little to matter.
func TestBootstrapOfAlikeRowsIsThatOfAlmostAlikeRows(t *testing.T) {
	for _, c := range samples[:4] {
		apart := make([][]float64, len(c.rows))
		for i, r := range c.rows {
			apart[i] = slices.Clone(r)
			apart[i][0] += 1e-12 * float64(i+1)
		}
		b := stats.Bootstrap{Rounds: rounds, Level: 0.95, Seed: 4}
		alike, almost := b.Sums(c.rows, 1, one(c.stat))[0], b.Sums(apart, 1, one(c.stat))[0]
		if !near(alike, almost, c.tolerance+1e-9) {
			t.Errorf("%s: %+v of alike rows, %+v of almost alike ones", c.name, alike, almost)
		}
	}
}

// The standard error of a mean is known: σ/√n.
func TestBootstrapWidthIsTheStandardError(t *testing.T) {
	rows := samples[0].rows // 203 of 350
	p := 203.0 / 350
	se := math.Sqrt(p * (1 - p) / 350)
	iv := stats.Default.Sums(rows, 1, one(ratio))[0]
	if want := (stats.Interval{Low: p - 1.96*se, High: p + 1.96*se}); !near(iv, want, 0.005) {
		t.Errorf("%+v, by the normal approximation %+v", iv, want)
	}
}

func TestBootstrapWhereThereIsLittleToDraw(t *testing.T) {
	nan := math.NaN()
	undefined := func([]float64) float64 { return math.NaN() }
	for _, c := range []struct {
		name   string
		rows   [][]float64
		rounds int
		stat   func([]float64) float64
		want   stats.Interval
	}{
		{"no rows", nil, 1000, ratio, stats.Interval{Low: nan, High: nan}},
		{"no rounds", [][]float64{{1, 1}}, 0, ratio, stats.Interval{Low: nan, High: nan}},
		{"one row", [][]float64{{1, 2}}, 1000, ratio, stats.Interval{Low: 0.5, High: 0.5}},
		{"one round", [][]float64{{1, 2}}, 1, ratio, stats.Interval{Low: 0.5, High: 0.5}},
		{"all alike", [][]float64{{1, 4}, {1, 4}, {1, 4}}, 1000, ratio, stats.Interval{Low: 0.25, High: 0.25}},
		{"undefined in every draw", [][]float64{{0, 0}, {0, 0}}, 1000, ratio, stats.Interval{Low: nan, High: nan}},
		{"undefined whatever is drawn", [][]float64{{1, 1}, {0, 1}}, 1000, undefined, stats.Interval{Low: nan, High: nan}},
		// a quarter of the draws has no denominator, the others are 1: those are left out
		{"undefined in some", [][]float64{{1, 1}, {0, 0}}, 1000, ratio, stats.Interval{Low: 1, High: 1}},
	} {
		got := stats.Bootstrap{Rounds: c.rounds, Level: 0.95, Seed: 1}.Sums(c.rows, 1, one(c.stat))
		if len(got) != 1 || !same(got[0].Low, c.want.Low) || !same(got[0].High, c.want.High) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := stats.Default.Sums(nil, 3, func([]float64, []float64) {}); len(got) != 3 {
		t.Errorf("three statistics of no rows: %+v", got)
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestBootstrapIsDeterministic(t *testing.T) {
	rows := samples[2].rows
	b := stats.Bootstrap{Rounds: 500, Level: 0.9, Seed: 1}
	a := b.Sums(rows, 1, one(ratio))
	if again := b.Sums(rows, 1, one(ratio)); !slices.Equal(a, again) {
		t.Errorf("%+v and then %+v", a, again)
	}
	b.Seed = 2
	if other := b.Sums(samples[4].rows, 1, one(ratio)); slices.Equal(other, stats.Bootstrap{Rounds: 500, Level: 0.9, Seed: 1}.Sums(samples[4].rows, 1, one(ratio))) {
		t.Error("another seed draws the same")
	}
}

// The statistics of one call are of the same draws, each with its own interval.
func TestBootstrapOfSeveralStatistics(t *testing.T) {
	rows := [][]float64{{1, 1}, {0, 1}, {1, 1}, {0, 1}, {1, 1}}
	got := stats.Default.Sums(rows, 3, func(s, out []float64) {
		out[0], out[1], out[2] = s[0]/s[1], 1-s[0]/s[1], math.NaN()
	})
	if math.Abs(got[0].Low-(1-got[1].High)) > 0.21 || got[0].Low >= got[0].High || !math.IsNaN(got[2].Low) {
		t.Errorf("%+v", got)
	}
	alone := stats.Default.Sums(rows, 1, one(ratio))
	if got[0] != alone[0] {
		t.Errorf("beside others %+v, alone %+v", got[0], alone[0])
	}
}

func TestBootstrapLeavesItsRowsAlone(t *testing.T) {
	rows := [][]float64{{1, 1}, {0, 1}, {1, 1}}
	before := [][]float64{{1, 1}, {0, 1}, {1, 1}}
	stats.Default.Sums(rows, 1, one(ratio))
	for i := range rows {
		if !slices.Equal(rows[i], before[i]) {
			t.Errorf("row %d is now %v", i, rows[i])
		}
	}
}
