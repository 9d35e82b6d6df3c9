package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Spearman returns Spearman's ρ, the correlation of the ranks of x and y; NaN if x or y is constant.
func Spearman(x, y []float64) float64 { return stat.Correlation(ranks(x), ranks(y), nil) }

// ranks returns the rank of each value, from 1 for the lowest; equal values share the mean of their ranks.
func ranks(x []float64) []float64 {
	sorted := slices.Sorted(slices.Values(x))
	out := make([]float64, len(x))
	for i, v := range x {
		lower, _ := slices.BinarySearch(sorted, v)
		upTo, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
		out[i] = float64(lower+upTo+1) / 2
	}
	return out
}

// Kendall returns Kendall's τ-b: concordant minus discordant pairs of units, over the geometric mean of the pairs
// untied in x and those untied in y; NaN if x or y is constant.
func Kendall(x, y []float64) float64 {
	levels := slices.Compact(slices.Sorted(slices.Values(y)))
	lower := make([]float64, len(levels)) // units with a lower x, by level of y
	order := ascending(x)
	pairs := func(n float64) float64 { return n * (n - 1) / 2 }
	untiedX := pairs(float64(len(x)))
	untiedY, balance := untiedX, 0.0
	for len(order) > 0 {
		n := slices.IndexFunc(order, func(i int) bool { return x[i] != x[order[0]] })
		if n < 0 {
			n = len(order)
		}
		untiedX -= pairs(float64(n))
		counts := make([]float64, len(levels))
		for _, i := range order[:n] {
			k, _ := slices.BinarySearch(levels, y[i])
			balance += floats.Sum(lower[:k]) - floats.Sum(lower[k+1:])
			counts[k]++
		}
		floats.Add(lower, counts)
		order = order[n:]
	}
	for _, n := range lower {
		untiedY -= pairs(n)
	}
	return balance / math.Sqrt(untiedX*untiedY)
}

// WeightedKappa returns Cohen's κ with quadratic weights of two raters' scores: 1 − Σ(x−y)² / the same over all pairs
// of an x with a y. For scores between the levels it is Lin's concordance, which has this formula.
//
// Source: Cohen, Psychological Bulletin 70 (1968), 213–220; Lin, Biometrics 45 (1989), 255–268.
func WeightedKappa(x, y []float64) float64 {
	meanX, varX := stat.PopMeanVariance(x, nil)
	meanY, varY := stat.PopMeanVariance(y, nil)
	distance := floats.Distance(x, y, 2)
	return 1 - distance*distance/float64(len(x))/(varX+varY+(meanX-meanY)*(meanX-meanY))
}

// ICC returns the intraclass correlation ICC(2,1) of two raters' scores: absolute agreement of single scores, raters
// drawn at random.
//
// Source: Shrout and Fleiss, Psychological Bulletin 86 (1979), 420–428.
func ICC(x, y []float64) float64 {
	n := float64(len(x))
	sums := floats.AddTo(make([]float64, len(x)), x, y)
	differences := floats.SubTo(make([]float64, len(x)), x, y)
	bias, variance := stat.MeanVariance(differences, nil)
	units, residual, raters := stat.Variance(sums, nil)/2, variance/2, n*bias*bias/2
	return (units - residual) / (units + residual + 2/n*(raters-residual))
}
