package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Holm adjusts a family of p values: sorted ascending, the i-th of m (from 0) is multiplied by m−i, never made
// smaller than the one before, capped at 1. The result is in the order given.
//
// Source: Holm, Scandinavian Journal of Statistics 6 (1979).
func Holm(p []float64) []float64 {
	order := ascending(p)
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = math.Max(highest, math.Min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}

// ascending are the indices of values from the lowest to the highest; equal ones stay in their order.
func ascending(x []float64) []int {
	order := make([]int, len(x))
	floats.ArgsortStable(slices.Clone(x), order)
	return order
}
