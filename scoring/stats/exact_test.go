package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring/stats"
)

// By its definition: at each end the tail beyond k has half of what the level
// leaves.
func TestExactByItsDefinition(t *testing.T) {
	for _, n := range []int{2, 10, 56, 350} {
		for _, k := range []int{1, n / 3, n / 2, n - 1} {
			if k < 1 || k >= n {
				continue
			}
			iv := stats.ClopperPearson(k, n, 0.95)
			_, low := tails(binomial(n, iv.Low), k)
			high, _ := tails(binomial(n, iv.High), k)
			if math.Abs(low-0.025) > 1e-6 || math.Abs(high-0.025) > 1e-6 {
				t.Errorf("%d of %d: %+v leaves %g below and %g above", k, n, iv, low, high)
			}
		}
	}
}

// TestCurvedCovers: the interval of a difference of two F1 of one label holds the truth in at least 93 % of 1,000 runs.
func TestCurvedCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
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
				iv := stats.CurveDifferenceInterval(cell[3], cell[2], cell[1], cell[0], f1, 0.95)
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
