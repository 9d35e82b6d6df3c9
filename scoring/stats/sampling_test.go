package stats_test

import (
	"cmp"
	"math"
	"slices"
)

// inclusion is with which probability each of len(sizes) units is drawn, when n are, proportional to their sizes,
// which are above 0: 1 where a unit's share of n is more than itself.
func inclusion(sizes []float64, n int) []float64 {
	chances := make([]float64, len(sizes))
	if n >= len(sizes) {
		for i := range chances {
			chances[i] = 1
		}
		return chances
	}
	for {
		sum, left := 0.0, float64(n)
		for i, size := range sizes {
			if chances[i] == 1 {
				left--
			} else {
				sum += size
			}
		}
		again := false
		for i, size := range sizes {
			if chances[i] == 1 {
				continue
			}
			chances[i] = left * size / sum
			if chances[i] >= 1 {
				chances[i], again = 1, true
			}
		}
		if !again {
			return chances
		}
	}
}

// paretoSample draws n units with these probabilities of inclusion, and gives them in the order drawn; draws are
// uniform numbers, one a unit. The first k of them are such a sample too, nearly, with probabilities k/n as large.
//
// Source: Rosén, Journal of Statistical Planning and Inference 62 (1997).
func paretoSample(chances, draws []float64, n int) []int {
	order := make([]int, len(chances))
	rank := make([]float64, len(chances))
	for i, c := range chances {
		order[i] = i
		rank[i] = draws[i] * (1 - c) / (c * (1 - draws[i]))
		if c == 1 || math.IsNaN(rank[i]) {
			rank[i] = 0
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(draws[a], draws[b]))
	})
	return order[:min(n, len(order))]
}
