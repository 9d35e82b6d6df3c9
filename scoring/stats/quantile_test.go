package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// What is found without sorting is what stands there in the sorted values, ties among them.
func TestQuantileIsThatOfSortedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		values := make([]float64, 1+rng.IntN(60))
		for i := range values {
			values[i] = float64(rng.IntN(1 + rng.IntN(100)))
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, p := range []float64{0, 0.025, 0.5, 0.975, 1, rng.Float64()} {
			if got, want := quantile(p, slices.Clone(values)), stat.Quantile(p, stat.Empirical, sorted, nil); got != want {
				t.Fatalf("%g of %v: %g, want %g", p, sorted, got, want)
			}
		}
	}
}
