package stats

import "math"

// Tango returns the score interval of the difference of two shares over the same n units: b are right in the second
// alone, c in the first alone. It contains the differences that the score test does not reject; [PairsToEquate]'s two
// one-sided tests at (1−level)/2 each use it.
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

// tangoLow returns the smallest difference that the score test does not reject; arguments are those of [Tango].
func tangoLow(b, c, n, level float64) float64 {
	z := normalCritical(level)
	accepts := func(diff float64) bool { return b-c-n*diff <= z*math.Sqrt(n*tangoVariance(b, c, n, diff)) }
	if accepts(-1) {
		return -1
	}
	return bisect(-1, (b-c)/n, accepts)
}

// tangoVariance returns the variance of a unit's score if the true difference is diff, using the share right in the
// first alone that is then most likely.
func tangoVariance(b, c, n, diff float64) float64 {
	p := -b - c + (2*n-b+c)*diff
	q := (math.Sqrt(max(0, p*p+8*n*c*diff*(1-diff))) - p) / (4 * n)
	return max(0, 2*q+diff*(1-diff))
}
