package stats

import (
	"gonum.org/v1/gonum/mathext"
)

// Blaker returns the exact interval of a share: k of n independent units. It contains every p under which an outcome at
// least as unlikely as k, counted from both ends, has a probability above 1−level. It covers at least at its level
// whatever the share, lies within Clopper and Pearson's, and its width is never 0.
//
// Source: Blaker, Canadian Journal of Statistics 28 (2000), 783–798.
func Blaker(k, n int, level float64) Interval {
	if n <= 0 || k < 0 || k > n {
		return noInterval
	}
	return Interval{blakerLow(k, n, level), 1 - blakerLow(n-k, n, level)}
}

// atLeast returns P(X ≥ k), the probability of k or more successes in n trials with probability p each.
func atLeast(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// blakerLow returns the lower end of Blaker's interval, searching upwards from Clopper and Pearson's. The opposite tail
// is P(X ≤ j) with the largest j that keeps it at most P(X ≥ k). Between two changes of j the sum of both tails
// falls and then rises, so it passes 1−level there only if it is above 1−level at the end.
func blakerLow(k, n int, level float64) float64 {
	if k == 0 {
		return 0
	}
	atMost := func(j int, p float64) float64 { return 1 - atLeast(j+1, n, p) }
	p := ClopperPearson(k, n, level).Low
	j := min(int(float64(n)*p), k-1)
	for j >= 0 && atMost(j, p) > atLeast(k, n, p) {
		j--
	}
	for j < k-1 {
		accepts := func(p float64) bool { return atLeast(k, n, p)+atMost(j, p) >= 1-level }
		if accepts(p) {
			break
		}
		end := bisect(p, float64(k)/float64(n), func(p float64) bool { return atMost(j+1, p) <= atLeast(k, n, p) })
		if accepts(end) {
			return bisect(p, end, accepts)
		}
		p = end
		j++
	}
	return p
}

// bisect returns the point between low, where ok is false, and high, where ok is true, at which ok becomes true.
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
