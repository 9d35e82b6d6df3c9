package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// McNemar is the exact two-sided p of McNemar's test: only is how often the first alone was right, other how often the
// second alone was. Under the null hypothesis each of those only+other items falls to either with probability ½; p is
// twice the smaller tail, at most 1. No discordant item gives 1.
func McNemar(only, other int) float64 {
	n := only + other
	if n == 0 {
		return 1
	}
	tail := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(only, other)))
	return math.Min(1, 2*tail)
}
