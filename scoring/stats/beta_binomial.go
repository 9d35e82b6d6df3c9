package stats

import (
	"math"
)

// ShareConfidenceSequence returns the interval of a share, k of n, that is valid at every look: it holds at all n
// together. It is narrowest after 100 units.
func ShareConfidenceSequence(k, n int, level float64) Interval {
	if n == 0 {
		return Interval{Low: 0, High: 1}
	}
	return BetaBinomialSequence(k, n, level, 100)
}

// BetaBinomialSequence returns a confidence sequence of a share after k successes in n units: with probability level it
// contains the true share at every n. The mixture is a beta distribution around the share under test; best is the
// number of units at which the sequence is narrowest among such mixtures.
//
// Source: Howard, Ramdas, McAuliffe and Sekhon, Annals of Statistics 49 (2021), 1055–1080 (arXiv 1810.08240),
// proposition 7 and, for how wide the mixture is, proposition 3.
func BetaBinomialSequence(k, n int, level, best float64) Interval {
	if n <= 0 || k < 0 || k > n {
		return noInterval
	}
	threshold := -math.Log(1 - level)
	share := float64(k) / float64(n)
	accepts := func(p float64) bool { return logBetaBinomialRatio(k, n, p, level, best) < threshold }
	iv := Interval{0, 1}
	if k > 0 {
		iv.Low = bisect(0, share, accepts)
	}
	if k < n {
		iv.High = 1 - bisect(0, 1-share, func(q float64) bool { return accepts(1 - q) })
	}
	return iv
}

// logBetaBinomialRatio returns the logarithm of a likelihood ratio: the probability of k successes in n units under the
// mixture, over that under the share p. best is the number of units at which the interval is narrowest.
func logBetaBinomialRatio(k, n int, p, level, best float64) float64 {
	if p <= 0 || p >= 1 {
		return math.Inf(1)
	}
	v := p * (1 - p)
	l := -2 * math.Log(1-level)
	r := max(best*v/(l+math.Log1p(l))-v, 1e-3*v)
	a, b := r/(1-p), r/p
	wins, losses := float64(k), float64(n-k)
	return logBeta(a+wins, b+losses) - logBeta(a, b) - wins*math.Log(p) - losses*math.Log1p(-p)
}

// logBeta returns the logarithm of the beta function.
func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}
