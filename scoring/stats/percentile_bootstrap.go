package stats

import (
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
