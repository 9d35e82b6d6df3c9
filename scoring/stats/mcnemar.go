package stats

import "gonum.org/v1/gonum/stat/distuv"

// McNemar returns the exact two-sided p-value of McNemar's test: firstOnly items are right in the first alone,
// secondOnly in the second alone. Under the null hypothesis each of those items falls to either with probability ½; p
// is twice the smaller tail, at most 1. Without discordant items p is 1.
func McNemar(firstOnly, secondOnly int) float64 {
	n := firstOnly + secondOnly
	if n == 0 {
		return 1
	}
	tail := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(firstOnly, secondOnly)))
	return min(1, 2*tail)
}
