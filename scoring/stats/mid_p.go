package stats

import (
	"gonum.org/v1/gonum/mathext"
)

// MidPInterval returns the mid-P interval of a share of x in n. Neither has to be whole: for clustered units n is the
// effective number of independent ones (see [EffectiveSampleSize]). Each end leaves half of 1−level beyond x, where x
// itself counts half. The width is never 0.
//
// Source: Lancaster, JASA 56 (1961), 223–234; for an effective n Korn and Graubard, Survey Methodology 24 (1998),
// 193–201, who apply it to Clopper and Pearson's.
func MidPInterval(x, n, level float64) Interval {
	if !(n > 0) || x < 0 || x > n {
		return noInterval
	}
	return Interval{midPLow(x, n, level), 1 - midPLow(n-x, n, level)}
}

// midPLow returns the lower end of the mid-P interval of x in n.
func midPLow(x, n, level float64) float64 {
	if x <= 0 {
		return 0
	}
	return bisect(0, x/n, func(p float64) bool {
		beyond := mathext.RegIncBeta(x, n-x+1, p) // P(X ≥ x); then P(X > x)
		if x < n {
			beyond += mathext.RegIncBeta(x+1, n-x, p)
		}
		return beyond/2 > (1-level)/2
	})
}
