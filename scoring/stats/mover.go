package stats

import (
	"math"
)

// CurveDifferenceInterval returns the interval of curve(B) − curve(A), where A and B are the shares of units on which
// each of two judges is right and curve is increasing. Of the same units, both judges are right on both, the first
// alone on onlyA, the second alone on onlyB, and none on neither. It combines the distances from each share to the ends
// of its Blaker interval as for two correlated estimates.
//
// Sources: Newcombe, Statistics in Medicine 17 (1998), 2635–2650, method 10, with its correction of the correlation;
// for functions of the shares Zou and Donner, Statistics in Medicine 27 (2008), 1693–1702 (MOVER).
func CurveDifferenceInterval(both, onlyA, onlyB, neither int, curve func(float64) float64, level float64) Interval {
	n := both + onlyA + onlyB + neither
	a, lessA, moreA := curveAtShare(both+onlyA, n, curve, level)
	b, lessB, moreB := curveAtShare(both+onlyB, n, curve, level)
	correlation := float64(both*neither - onlyA*onlyB)
	if correlation > 0 {
		correlation = max(0, correlation-float64(n)/2)
	}
	if spread := float64(both+onlyA) * float64(onlyB+neither) * float64(both+onlyB) * float64(onlyA+neither); spread > 0 {
		correlation /= math.Sqrt(spread)
	} else {
		correlation = 0
	}
	distance := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*correlation*x*y+y*y)) }
	return Interval{b - a - distance(lessB, moreA), b - a + distance(moreB, lessA)}
}

// DifferenceInterval returns the interval of a − b, two estimates over disjoint units, from the interval of each.
//
// Source: Zou and Donner, Statistics in Medicine 27 (2008), 1693–1702 (MOVER).
func DifferenceInterval(a, b float64, ivA, ivB Interval) Interval {
	return Interval{a - b - math.Hypot(a-ivA.Low, ivB.High-b), a - b + math.Hypot(ivA.High-a, b-ivB.Low)}
}

// curveAtShare returns the curve's value at the share k of n, and the distances down and up from it to the ends of its
// interval.
func curveAtShare(k, n int, curve func(float64) float64, level float64) (value, less, more float64) {
	iv := Blaker(k, n, level)
	value = curve(float64(k) / float64(n))
	return value, value - curve(iv.Low), curve(iv.High) - value
}
