package stats

import (
	"gonum.org/v1/gonum/mathext"
)

// Blaker is the exact interval of a share: k of n independent units. Of all p it holds those under which what is as
// unlikely as k, counted from both ends, is more probable than 1−level. It covers at least at its level whatever
// the share is, and lies within Clopper and Pearson's. Its width is never 0.
//
// Source: Blaker, Canadian Journal of Statistics 28 (2000), 783–798.
func Blaker(k, n int, level float64) Interval {
	if n <= 0 || k < 0 || k > n {
		return noInterval
	}
	return Interval{blakerLow(k, n, level), 1 - blakerLow(n-k, n, level)}
}

// atLeast returns P(X ≥ k) of n trials with probability p.
func atLeast(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// blakerLow walks up from Clopper and Pearson's end. What counts against k from the other end is P(X ≤ j) with the
// largest j that keeps it at most P(X ≥ k). Between two changes of j their sum falls and then rises, so that it
// passes 1−level there only where it is above it at the end.
func blakerLow(k, n int, level float64) float64 {
	if k == 0 {
		return 0
	}
	atMost := func(j int, p float64) float64 { return 1 - atLeast(j+1, n, p) }
	p := Exact(k, n, level).Low
	j := min(int(float64(n)*p), k-1)
	for j >= 0 && atMost(j, p) > atLeast(k, n, p) {
		j--
	}
	for j < k-1 {
		enough := func(p float64) bool { return atLeast(k, n, p)+atMost(j, p) >= 1-level }
		if enough(p) {
			break
		}
		end := bisect(p, float64(k)/float64(n), func(p float64) bool { return atMost(j+1, p) <= atLeast(k, n, p) })
		if enough(end) {
			return bisect(p, end, enough)
		}
		p = end
		j++
	}
	return p
}

// bisect returns where ok turns true between low, where it is not, and high, where it is.
func bisect(low, high float64, ok func(float64) bool) float64 {
	for high-low > 1e-13 {
		mid := (low + high) / 2
		if ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
