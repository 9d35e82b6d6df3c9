package stats

import (
	"math"
)

// Scale returns the distance between the categories a and b for [KrippendorffAlpha]; counts[c] is the frequency of c.
type Scale func(counts []float64, a, b int) float64

// Nominal is the scale of categories without an order: 0 for equal ones, else 1.
func Nominal(_ []float64, a, b int) float64 { return indicator(a != b) }

// Ordinal is the scale of ordered categories: the squared number of values between two categories, counting half of
// those in each.
func Ordinal(counts []float64, a, b int) float64 {
	if a > b {
		a, b = b, a
	}
	between := -(counts[a] + counts[b]) / 2
	for c := a; c <= b; c++ {
		between += counts[c]
	}
	return between * between
}

// AddCoincidences adds a unit to the k×k matrix of coincidences that [KrippendorffAlpha] takes; values are the
// categories that raters gave the unit, −1 for none. A unit with fewer than two ratings adds nothing.
func AddCoincidences(coincidences []float64, k int, values []int) {
	counts, rated := make([]float64, k), 0.0
	for _, v := range values {
		if v >= 0 {
			counts[v]++
			rated++
		}
	}
	if rated < 2 {
		return
	}
	for a, n := range counts {
		for b, m := range counts {
			if a == b {
				m--
			}
			coincidences[a*k+b] += n * m / (rated - 1)
		}
	}
}

// KrippendorffAlpha returns Krippendorff's α, the agreement beyond chance of any number of raters, from a k×k matrix
// of coincidences (see [AddCoincidences]); NaN if all values are one category.
//
// Source: Krippendorff, Content Analysis, 2nd edition (2004), chapter 11.
func KrippendorffAlpha(coincidences []float64, k int, scale Scale) float64 {
	counts, all := make([]float64, k), 0.0
	for i, n := range coincidences {
		counts[i/k] += n
		all += n
	}
	observed, expected := 0.0, 0.0
	for a := range k {
		for b := range k {
			d := scale(counts, a, b)
			observed += coincidences[a*k+b] * d
			expected += counts[a] * counts[b] * d
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - (all-1)*observed/expected
}
