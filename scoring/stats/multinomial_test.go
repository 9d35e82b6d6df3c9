package stats

import (
	"math"
	"testing"
)

// every calls f for each way that k draws of n outcomes can come out.
func every(k int, p []float64, f func(counts []int, prob float64)) {
	counts := make([]int, len(p))
	var from func(left int, prob float64)
	from = func(left int, prob float64) {
		if left == 0 {
			f(counts, prob)
			return
		}
		for i, q := range p {
			counts[i]++
			from(left-1, prob*q)
			counts[i]--
		}
	}
	from(k, 1)
}

func TestExpectations(t *testing.T) {
	for _, p := range [][]float64{{0.5, 0.5}, {1}, {0.25, 0.75}, {0.2, 0.3, 0.5}, {0.25, 0.25, 0.25, 0.25}, {0.5, 0.25, 0.25}} {
		for k := 1; k <= 6; k++ {
			var entropy, most float64
			every(k, p, func(counts []int, prob float64) {
				largest := 0
				for _, c := range counts {
					largest = max(largest, c)
				}
				entropy += prob * Entropy(counts)
				most += prob * float64(largest)
			})
			if got := ExpectedEntropy(k, p); math.Abs(got-entropy) > 1e-9 {
				t.Errorf("entropy of %d draws of %v: %v, counted out %v", k, p, got, entropy)
			}
			if got := ExpectedLargestCount(k, p); math.Abs(got-most) > 1e-9 {
				t.Errorf("most of %d draws of %v: %v, counted out %v", k, p, got, most)
			}
		}
	}
}
