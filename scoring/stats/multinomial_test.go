package stats

import (
	"math"
	"testing"
)

func TestEntropy(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   float64
	}{
		{nil, 0}, {[]int{0, 0}, 0}, {[]int{5}, 0}, {[]int{0, 3, 0}, 0},
		{[]int{1, 1}, 1}, {[]int{2, 2, 2, 2}, 2}, {[]int{2, 1, 1}, 1.5}, // ½·1 + 2·¼·2
		{[]int{1, 2}, math.Log2(3) - 2.0/3},
	} {
		if got := Entropy(c.counts); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.counts, got, c.want)
		}
	}
}

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
			if got := ExpectedMost(k, p); math.Abs(got-most) > 1e-9 {
				t.Errorf("most of %d draws of %v: %v, counted out %v", k, p, got, most)
			}
		}
	}
	// Two draws of two: alike with probability ½ (0 bits, 2), else 1 bit, 1.
	if e, m := ExpectedEntropy(2, []float64{0.5, 0.5}), ExpectedMost(2, []float64{0.5, 0.5}); math.Abs(e-0.5) > 1e-12 || math.Abs(m-1.5) > 1e-12 {
		t.Errorf("%v bits, %v", e, m)
	}
}

func TestUniformity(t *testing.T) {
	for _, c := range []struct {
		counts []int
		chi2   float64
		df     int
		p      float64
	}{
		{[]int{10, 10, 10}, 0, 2, 1},
		{[]int{30, 20, 10}, 10, 2, math.Exp(-5)}, // (100+0+100)/20; with two degrees p is exp(−χ²/2)
		{[]int{4, 0}, 4, 1, 0.04550026389635842}, // 2·(1 − Φ(2))
		{[]int{0, 0, 5, 0, 0}, 20, 4, 0.0004993992},
	} {
		chi2, df, p := Uniformity(c.counts)
		if math.Abs(chi2-c.chi2) > 1e-9 || df != c.df || math.Abs(p-c.p) > 1e-9 {
			t.Errorf("%v: χ² %v, %d, p %v; want %v, %d, %v", c.counts, chi2, df, p, c.chi2, c.df, c.p)
		}
	}
	for _, counts := range [][]int{nil, {7}, {0, 0}} {
		if chi2, _, p := Uniformity(counts); !math.IsNaN(chi2) || !math.IsNaN(p) {
			t.Errorf("%v: χ² %v, p %v", counts, chi2, p)
		}
	}
}
