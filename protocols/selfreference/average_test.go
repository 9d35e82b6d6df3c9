package selfreference

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/scoring"
)

// The interval of an average by drawing: where each run's error is normal, as far below its value as its interval says for
// the lower end, and as far above for the upper, the averages of so many draws end where the interval does.
func TestAverageByDrawing(t *testing.T) {
	runs := []struct {
		value, low, high float64
		n                int
	}{{12, 4, 25, 80}, {35, 31, 38, 400}, {-5, -21, 8, 30}, {20, 20, 26, 150}}
	var results []scoring.Result
	mean, n := 0.0, 0.0
	for _, r := range runs {
		results = append(results, scoring.Result{Value: &r.value, Low: &r.low, High: &r.high, N: r.n})
		mean, n = mean+r.value*float64(r.n), n+float64(r.n)
	}
	mean /= n
	rng := rand.New(rand.NewPCG(41, 43))
	z := distuv.UnitNormal.Quantile(0.975)
	const draws = 200_000
	lows, highs := make([]float64, draws), make([]float64, draws)
	for i := range draws {
		for _, r := range runs {
			w, x := float64(r.n)/n, rng.NormFloat64()/z
			lows[i] += w * (r.value + x*(r.value-r.low))
			highs[i] += w * (r.value + x*(r.high-r.value))
		}
	}
	slices.Sort(lows)
	slices.Sort(highs)
	low, high := lows[draws*25/1000], highs[draws*975/1000]
	got := Average(results)
	if math.Abs(*got.Value-mean) > 1e-4 || math.Abs(*got.Low-low) > 0.05 || math.Abs(*got.High-high) > 0.05 || got.N != 660 {
		t.Errorf("%g [%g, %g] of %d, by drawing %g [%g, %g]", *got.Value, *got.Low, *got.High, got.N, mean, low, high)
	}
}
