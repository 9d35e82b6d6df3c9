package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Percentiles sorts values drawn, and returns the interval that holds Level of them.
func (b Bootstrap) Percentiles(values []float64) Interval {
	tail := (1 - b.Level) / 2
	return Interval{quantile(tail, values), quantile(1-tail, values)}
}

// quantile sorts the values and returns the least that a share p of them do not exceed.
func quantile(p float64, values []float64) float64 {
	slices.Sort(values)
	return stat.Quantile(p, stat.Empirical, values, nil)
}

// Redrawn is the percentile interval of a statistic that is no function of sums: each round draws n of n units with
// replacement. Rounds in which it is undefined (NaN) are left out; both ends are NaN where it is in all of them.
//
// Source: Efron, Annals of Statistics 7 (1979), 1–26.
func (b Bootstrap) Redrawn(n int, statistic func(drawn []int) float64) Interval {
	rng := rand.New(rand.NewPCG(b.Seed, uint64(n)))
	drawn := make([]int, n)
	var values []float64
	for range b.Rounds {
		for i := range drawn {
			drawn[i] = rng.IntN(n)
		}
		if v := statistic(drawn); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return noInterval
	}
	return b.Percentiles(values)
}
