package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Percentiles sorts values of a statistic in resamples and returns the interval that leaves half of 1−Level of them
// below and half above.
func (b Bootstrap) Percentiles(values []float64) Interval {
	tail := (1 - b.Level) / 2
	return Interval{quantile(tail, values), quantile(1-tail, values)}
}

// quantile sorts the values and returns the smallest one such that a share of at least p of them is not above it.
func quantile(p float64, values []float64) float64 {
	slices.Sort(values)
	return stat.Quantile(p, stat.Empirical, values, nil)
}

// PercentileInterval returns the percentile interval of a statistic that is not a function of sums: each round draws n
// of n units with replacement. Rounds with an undefined statistic (NaN) are left out; if all are, both ends are NaN.
//
// Source: Efron, Annals of Statistics 7 (1979), 1–26.
func (b Bootstrap) PercentileInterval(n int, statistic func(sample []int) float64) Interval {
	rng := rand.New(rand.NewPCG(b.Seed, uint64(n)))
	sample := make([]int, n)
	var values []float64
	for range b.Rounds {
		for i := range sample {
			sample[i] = rng.IntN(n)
		}
		if v := statistic(sample); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return noInterval
	}
	return b.Percentiles(values)
}
