package stats

import "math"

// Tango is the score interval of the difference of two shares of the same n units: b are right in the second alone, c
// in the first alone. It holds the differences that the score test does not reject, and with it [PairsToEquate]'s two
// one-sided tests at (1−level)/2 each.
//
// Source: Tango, Statistics in Medicine 17 (1998), 891–908.
func Tango(b, c, n int, level float64) Interval {
	if n <= 0 || b < 0 || c < 0 || b+c > n {
		return noInterval
	}
	return Interval{
		tangoLow(float64(b), float64(c), float64(n), level),
		-tangoLow(float64(c), float64(b), float64(n), level),
	}
}

// tangoLow is the least difference that is not rejected.
func tangoLow(b, c, n, level float64) float64 {
	z := normal(level)
	held := func(diff float64) bool { return b-c-n*diff <= z*math.Sqrt(n*tangoVariance(b, c, n, diff)) }
	if held(-1) {
		return -1
	}
	return bisect(-1, (b-c)/n, held)
}

// tangoVariance is that of a unit's score, with the share that is right in the first alone at its likeliest under diff.
func tangoVariance(b, c, n, diff float64) float64 {
	p := -b - c + (2*n-b+c)*diff
	q := (math.Sqrt(math.Max(0, p*p+8*n*c*diff*(1-diff))) - p) / (4 * n)
	return math.Max(0, 2*q+diff*(1-diff))
}
