package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func TestQuantileIsThatOfSortedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		values := make([]float64, 1+rng.IntN(60))
		for i := range values {
			values[i] = float64(rng.IntN(20)) // many are alike
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, p := range []float64{0, 0.025, 0.3, 0.5, 0.975, 1} {
			if got, want := quantile(p, slices.Clone(values)), stat.Quantile(p, stat.Empirical, sorted, nil); got != want {
				t.Fatalf("%g of %v: %g, want %g", p, sorted, got, want)
			}
		}
	}
}
