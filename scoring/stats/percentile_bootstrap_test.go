package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is found without sorting is what stands there in the sorted values, ties among them.
func TestSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values := make([]float64, 1+rng.IntN(60))
		for i := range values {
			values[i] = float64(rng.IntN(1 + rng.IntN(100)))
		}
		sorted := slices.Sorted(slices.Values(values))
		k := rng.IntN(len(values))
		if got := smallest(k, slices.Clone(values)); got != sorted[k] {
			t.Fatalf("number %d of %v: %g, sorted %g", k, values, got, sorted[k])
		}
	}
}
