package stats

import "math"

// BinaryCorrelation returns Pearson's correlation of two variables that are 0 or 1, over n pairs: the first is 1 in x
// pairs, the second in y, and both in both. It returns NaN if one of the variables never varies.
//
// With sums for means, r = (n·Σxy − Σx·Σy) / √((n·Σx² − (Σx)²)(n·Σy² − (Σy)²)), and
// Σx² = Σx for a binary x. Each factor under the root is a whole number, so two variables that are equal, or
// opposite, give exactly 1 or −1.
func BinaryCorrelation(n, x, y, both float64) float64 {
	vx, vy := x*(n-x), y*(n-y)
	if vx <= 0 || vy <= 0 {
		return math.NaN()
	}
	return (n*both - x*y) / math.Sqrt(vx*vy)
}

// Partial returns the correlation of x and y after removing the linear influence of z from both, from the correlations
// of each two of the three. It returns NaN if one of these is NaN, or if z determines x or y entirely.
func Partial(xy, xz, yz float64) float64 {
	residual := (1 - xz*xz) * (1 - yz*yz)
	if residual <= 0 || math.IsNaN(residual) {
		return math.NaN()
	}
	// Rounding alone may exceed the limits of ±1.
	return max(-1, min(1, (xy-xz*yz)/math.Sqrt(residual)))
}
