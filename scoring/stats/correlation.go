package stats

import "math"

// Binary is Pearson's correlation of two variables that are 0 or 1, from n pairs of them: x and y are how often each is
// 1, both how often both are. NaN where one of them never varies.
//
// With sums for means, r = (n·Σxy − Σx·Σy) / √((n·Σx² − (Σx)²)(n·Σy² − (Σy)²)), and Σx² =
// Σx for a binary x. Each factor under the root is a whole number, so that two variables that are the same, or each
// other's opposite, come to exactly 1 or −1.
func Binary(n, x, y, both float64) float64 {
	vx, vy := x*(n-x), y*(n-y)
	if vx <= 0 || vy <= 0 {
		return math.NaN()
	}
	return (n*both - x*y) / math.Sqrt(vx*vy)
}

// Partial is the correlation of x and y with the linear influence of z taken from both. NaN where one of the three is,
// or where z tells x or y entirely: then nothing of it is left to correlate.
func Partial(xy, xz, yz float64) float64 {
	left := (1 - xz*xz) * (1 - yz*yz)
	if left <= 0 || math.IsNaN(left) {
		return math.NaN()
	}
	// Rounding alone may carry it past the ends of the scale.
	return math.Max(-1, math.Min(1, (xy-xz*yz)/math.Sqrt(left)))
}
