package stats

import (
	"math"
)

// Curved is the interval of curve(B) − curve(A), where A and B are the shares of the same units on which two judges
// are right, and curve rises: both are right on both of them, the first alone on onlyA, the second alone on onlyB. The
// distances from each share to the ends of its own interval, Blaker's, are put together as of two correlated estimates.
//
// Sources: Newcombe, Statistics in Medicine 17 (1998), 2635–2650, method 10, with its correction of the
// correlation; for functions of the shares Zou and Donner, Statistics in Medicine 27 (2008), 1693–1702 (MOVER).
func Curved(both, onlyA, onlyB, neither int, curve func(float64) float64, level float64) Interval {
	n := both + onlyA + onlyB + neither
	a, lessA, moreA := around(both+onlyA, n, curve, level)
	b, lessB, moreB := around(both+onlyB, n, curve, level)
	related := float64(both*neither - onlyA*onlyB)
	if related > 0 {
		related = math.Max(0, related-float64(n)/2)
	}
	if spread := float64(both+onlyA) * float64(onlyB+neither) * float64(both+onlyB) * float64(onlyA+neither); spread > 0 {
		related /= math.Sqrt(spread)
	} else {
		related = 0
	}
	apart := func(x, y float64) float64 { return math.Sqrt(math.Max(0, x*x-2*related*x*y+y*y)) }
	return Interval{b - a - apart(lessB, moreA), b - a + apart(moreB, lessA)}
}

// Apart is the interval of a − b, where a and b are of units that have nothing in common, from the interval of each.
//
// Source: Zou and Donner, Statistics in Medicine 27 (2008), 1693–1702 (MOVER).
func Apart(a, b float64, ofA, ofB Interval) Interval {
	return Interval{a - b - math.Hypot(a-ofA.Low, ofB.High-b), a - b + math.Hypot(ofA.High-a, b-ofB.Low)}
}

// around is what a share of k of n comes to, and how far below and above it the ends of its interval are.
func around(k, n int, curve func(float64) float64, level float64) (value, less, more float64) {
	iv := Blaker(k, n, level)
	value = curve(float64(k) / float64(n))
	return value, value - curve(iv.Low), curve(iv.High) - value
}
