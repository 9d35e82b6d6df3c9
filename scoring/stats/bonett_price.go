package stats

import (
	"math"
)

// PairedInterval returns the interval of the mean of n scores, b of them 1, c of them −1 and the others 0. That mean
// is the difference of two shares over the same units: b units are right in the second alone and c in the first alone.
// Each of b and c counts as one more and n as two more, so that the width is never 0.
//
// Source: Bonett and Price, Journal of Educational and Behavioral Statistics 37 (2012), 479–488.
func PairedInterval(b, c, n, level float64) Interval {
	if !(n > 0) || b < 0 || c < 0 || b+c > n {
		return noInterval
	}
	m := n + 2
	p := (b + 1) / m
	q := (c + 1) / m
	d := p - q
	half := normalCritical(level) * math.Sqrt((p+q-d*d)/m)
	return Interval{max(-1, d-half), min(1, d+half)}
}
