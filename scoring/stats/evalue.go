package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// LogE returns the natural logarithm of the e-value 2ⁿ / ((n+1)·C(n, k)) of k heads in n tosses: the value that an
// initial 1 reaches by betting on all probabilities of heads equally. If the coin is fair the e-value is a martingale,
// so it ever reaches 1/α with probability at most α, however often it is checked.
//
// Source: Ville (1939); the mixture is Robbins's, Annals of Mathematical Statistics 41 (1970), 1397–1409.
func LogE(k, n int) float64 {
	return float64(n)*math.Ln2 - math.Log(float64(n+1)) - LogChoose(n, k)
}

// LogOneSidedE returns the natural logarithm of the one-sided e-value 2ⁿ⁺¹ · ∫ θᵏ(1−θ)ⁿ⁻ᵏ dθ, θ
// from ½ to 1, of k heads in n tosses: [LogE] with a bet that the coin favours heads. If it does not, the e-value ever
// reaches 1/α with probability at most α. The integral is a tail of the binomial distribution with n+1 tosses, and is
// summed as such.
func LogOneSidedE(k, n int) float64 {
	if 2*k >= n { // the shorter tail is the other one
		return LogE(k, n) + math.Ln2 + math.Log1p(-math.Exp(logAtMost(n-k, n+1)))
	}
	return LogE(k, n) + math.Ln2 + logAtMost(k, n+1)
}

// logAtMost returns the logarithm of P(X ≤ k) for n tosses of a fair coin and k ≤ (n+1)/2, where each term is
// smaller than the one above it.
func logAtMost(k, n int) float64 {
	sum, term := 1.0, 1.0
	for j := k; j > 0; j-- {
		term *= float64(j) / float64(n-j+1)
		if term < sum*1e-18 {
			break
		}
		sum += term
	}
	return LogChoose(n, k) - float64(n)*math.Ln2 + math.Log(sum)
}

// LogChoose returns the natural logarithm of the binomial coefficient C(n, k).
func LogChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// HeadsThreshold finds for each number of coin tosses the number of heads at which the one-sided e-value of
// [LogOneSidedE] reaches a threshold. It is fast for repeated checks: that number of heads grows by at most one with
// each toss.
type HeadsThreshold struct {
	log   float64 // natural logarithm of the threshold
	heads []int   // by number of tosses n: the heads that reach the threshold; n+1 if even n heads do not
}

// NewHeadsThreshold returns a Crossing for the threshold 1/alpha.
func NewHeadsThreshold(alpha float64) *HeadsThreshold {
	return &HeadsThreshold{log: -math.Log(alpha), heads: []int{1}}
}

// Reached reports whether k heads in n tosses reach the threshold.
func (c *HeadsThreshold) Reached(k, n int) bool {
	for m := len(c.heads); m <= n; m++ {
		threshold := c.heads[m-1]
		if threshold > m || LogOneSidedE(threshold, m) < c.log {
			threshold++
		}
		c.heads = append(c.heads, min(threshold, m+1))
	}
	return k >= c.heads[n]
}
