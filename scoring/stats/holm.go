package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Holm corrects p-values for multiple tests: it multiplies the i-th smallest of m (from 0) by m−i, raises it to at
// least the corrected value of the next smaller one, and caps it at 1. The result is in the order of p.
//
// Source: Holm, Scandinavian Journal of Statistics 6 (1979).
func Holm(p []float64) []float64 {
	order := ascendingIndexes(p)
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}

// ascendingIndexes returns the indexes of the values in x from the lowest to the highest; equal values stay in order.
func ascendingIndexes(x []float64) []int {
	order := make([]int, len(x))
	floats.ArgsortStable(slices.Clone(x), order)
	return order
}
