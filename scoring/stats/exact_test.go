package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring/stats"
)

func TestExact(t *testing.T) {
	for _, c := range []struct {
		name  string
		k, n  int
		level float64
		want  stats.Interval
	}{
		// none: the upper end is 1 − (α/2)^(1/n) = 1 − 0.025^(1/350)
		{"none of 350", 0, 350, 0.95, stats.Interval{Low: 0, High: 0.0104841}},
		{"all of 350", 350, 350, 0.95, stats.Interval{Low: 0.9895159, High: 1}},
		{"none of one", 0, 1, 0.95, stats.Interval{Low: 0, High: 0.975}},
		{"one of one", 1, 1, 0.95, stats.Interval{Low: 0.025, High: 1}},
		{"eight of ten", 8, 10, 0.95, stats.Interval{Low: 0.4439045, High: 0.9747893}},
		{"half of twenty", 10, 20, 0.95, stats.Interval{Low: 0.2719578, High: 0.7280422}},
		{"none of ten, 90 %", 0, 10, 0.90, stats.Interval{Low: 0, High: 0.2588656}},
		{"no trials", 0, 0, 0.95, stats.Interval{Low: math.NaN(), High: math.NaN()}},
		{"more than all", 2, 1, 0.95, stats.Interval{Low: math.NaN(), High: math.NaN()}},
		{"fewer than none", -1, 1, 0.95, stats.Interval{Low: math.NaN(), High: math.NaN()}},
	} {
		got := stats.Exact(c.k, c.n, c.level)
		if !near(got, c.want, 1e-6) && !(same(got.Low, c.want.Low) && same(got.High, c.want.High)) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// By its definition: at each end the tail beyond k has half of what the level
// leaves.
func TestExactByItsDefinition(t *testing.T) {
	for _, n := range []int{2, 10, 56, 350} {
		for _, k := range []int{1, n / 3, n / 2, n - 1} {
			if k < 1 || k >= n {
				continue
			}
			iv := stats.Exact(k, n, 0.95)
			_, low := tails(binomial(n, iv.Low), k)
			high, _ := tails(binomial(n, iv.High), k)
			if math.Abs(low-0.025) > 1e-6 || math.Abs(high-0.025) > 1e-6 {
				t.Errorf("%d of %d: %+v leaves %g below and %g above", k, n, iv, low, high)
			}
		}
	}
}

func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		name        string
		only, other int
		want        float64
	}{
		{"no discordant pair", 0, 0, 1},
		{"one", 1, 0, 1},                          // 2 · 1/2
		{"two", 2, 0, 0.5},                        // 2 · 1/4
		{"fifteen to none", 15, 0, 1.0 / 16384},   // 2 · 2⁻¹⁵
		{"ten to three", 10, 3, 2 * 378.0 / 8192}, // 2 · (1 + 13 + 78 + 286) / 2¹³ = 0.0923
		{"even", 7, 7, 1},                         // twice the tail is above 1
		{"almost even", 5, 4, 1},
		// 2 · Σ_{i≤20} C(60,i) / 2⁶⁰ = 0.01349
		{"forty to twenty", 40, 20, 0.013489294},
	} {
		for _, swapped := range []bool{false, true} {
			a, b := c.only, c.other
			if swapped {
				a, b = b, a
			}
			if got := stats.McNemar(a, b); math.Abs(got-c.want) > 1e-6*c.want {
				t.Errorf("%s (%d, %d): p = %v, want %v", c.name, a, b, got, c.want)
			}
		}
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one", []float64{0.03}, []float64{0.03}},
		// sorted 0.005·4, 0.01·3, 0.03·2, 0.04·1, each no less than the one before
		{"a worked example", []float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{"never above 1", []float64{0.5, 0.9, 0.6}, []float64{1, 1, 1}},
		{"never below the one before", []float64{0.01, 0.011}, []float64{0.02, 0.02}},
		{"ties", []float64{0.02, 0.02, 0.5}, []float64{0.06, 0.06, 0.5}},
		{"zero", []float64{0, 1}, []float64{0, 1}},
	} {
		before := slices.Clone(c.p)
		got := stats.Holm(c.p)
		ok := len(got) == len(c.want)
		for i := 0; ok && i < len(got); i++ {
			ok = math.Abs(got[i]-c.want[i]) < 1e-12
		}
		if !ok {
			t.Errorf("%s: %v becomes %v, want %v", c.name, c.p, got, c.want)
		}
		if !slices.Equal(c.p, before) {
			t.Errorf("%s: the p values given are now %v", c.name, c.p)
		}
	}
}

// TestCurvedCovers: the interval of a difference of two F1 of one label holds the truth in at least 93 % of 1,000 runs.
func TestCurvedCovers(t *testing.T) {
	trials.Long(t)
	f1 := func(p float64) float64 { return 2 * p / (1 + p) }
	for _, n := range []int{10, 50, 350} {
		for _, world := range [][2]float64{{0.5, 0.4}, {0.81, 0.66}, {0.95, 0.9}} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			held := 0
			const runs = 1000
			for range runs {
				var cell [4]int
				for range n {
					a, b := rng.Float64(), rng.Float64()
					if rng.Float64() < 2.0/3 {
						b = a
					}
					i := 0
					if a < world[0] {
						i += 2
					}
					if b < world[1] {
						i++
					}
					cell[i]++
				}
				iv := stats.Curved(cell[3], cell[2], cell[1], cell[0], f1, 0.95)
				if truth := f1(world[1]) - f1(world[0]); iv.Low <= truth && truth <= iv.High {
					held++
				}
			}
			if held < 930 {
				t.Errorf("n = %d, %v: %d of %d hold the truth", n, world, held, runs)
			}
		}
	}
}
