package stats

import (
	"math"
)

// Scale is how far apart two categories of a scale are; of[c] is how often category c was named.
type Scale func(of []float64, a, b int) float64

// Nominal categories are the same or they are not.
func Nominal(_ []float64, a, b int) float64 {
	if a == b {
		return 0
	}
	return 1
}

// Ordinal categories are as far apart as many values lie between them, half of those at each end.
func Ordinal(of []float64, a, b int) float64 {
	if a > b {
		a, b = b, a
	}
	between := -(of[a] + of[b]) / 2
	for c := a; c <= b; c++ {
		between += of[c]
	}
	return between * between
}

// Coincide adds a unit to a matrix of coincidences: values are the categories that raters gave it, −1 where one
// gave none. A unit that fewer than two rated adds nothing.
func Coincide(coincidences []float64, k int, values []int) {
	of, rated := make([]float64, k), 0.0
	for _, v := range values {
		if v >= 0 {
			of[v]++
			rated++
		}
	}
	if rated < 2 {
		return
	}
	for a, n := range of {
		for b, m := range of {
			if a == b {
				m--
			}
			coincidences[a*k+b] += n * m / (rated - 1)
		}
	}
}

// Alpha is Krippendorff's α of a matrix of coincidences (see [Coincide]); NaN where all values are one category.
//
// Source: Krippendorff, Content Analysis, 2nd edition (2004), chapter 11.
func Alpha(coincidences []float64, k int, scale Scale) float64 {
	of, all := make([]float64, k), 0.0
	for i, n := range coincidences {
		of[i/k] += n
		all += n
	}
	observed, expected := 0.0, 0.0
	for a := range k {
		for b := range k {
			d := scale(of, a, b)
			observed += coincidences[a*k+b] * d
			expected += of[a] * of[b] * d
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - (all-1)*observed/expected
}
