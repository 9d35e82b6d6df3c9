package stats

import (
	"cmp"
	"math"
	"slices"

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
	var units Rows // equal ones once
	for i := range x {
		units.Add([]float64{x[i], y[i]})
	}
	var balance, untiedX, untiedY float64
	for i, a := range units.DistinctRows {
		for _, b := range units.DistinctRows[:i] {
			dx, dy := cmp.Compare(a.Row[0], b.Row[0]), cmp.Compare(a.Row[1], b.Row[1])
			pairs := a.Count * b.Count
			balance += float64(pairs * dx * dy)
			untiedX += float64(pairs * dx * dx)
			untiedY += float64(pairs * dy * dy)
		}
	}
	return balance / math.Sqrt(untiedX*untiedY)
}

// WeightedKappa returns Cohen's κ with quadratic weights of two raters' scores: 1 − Σ(x−y)² / the same over all
// pairs of an x with a y. For scores between the levels it is Lin's concordance, which has this formula.
//
// Source: Cohen, Psychological Bulletin 70 (1968), 213–220; Lin, Biometrics 45 (1989), 255–268.
func WeightedKappa(x, y []float64) float64 {
	n := float64(len(x))
	return absoluteAgreement(x, y, n/(n-1), 0)
}

// ICC returns the intraclass correlation ICC(2,1) of two raters' scores: absolute agreement of single scores, raters
// drawn at random.
//
// Source: Shrout and Fleiss, Psychological Bulletin 86 (1979), 420–428, for two raters.
func ICC(x, y []float64) float64 { return absoluteAgreement(x, y, 1, 1/float64(len(x))) }

// absoluteAgreement returns twice the covariance over the sum of the variances, to which it adds the squared difference
// of the means with the weight bias, and from which it takes the variance of the differences with the weight residual.
func absoluteAgreement(x, y []float64, bias, residual float64) float64 {
	variances := stat.Variance(x, nil) + stat.Variance(y, nil)
	covariances := 2 * stat.Covariance(x, y, nil)
	difference := stat.Mean(x, nil) - stat.Mean(y, nil)
	return covariances / (variances + bias*difference*difference - residual*(variances-covariances))
}
