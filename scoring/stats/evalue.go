package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// LogE is the logarithm of the e-value 2ⁿ / ((n+1)·C(n, k)) of k heads in n tosses: what a bet on either side of a
// fair coin has become of 1, all probabilities being bet on alike. If the coin is fair it is a martingale, so that it
// ever reaches 1/α with probability at most α, however often one looks.
//
// Source: Ville (1939); the mixture is Robbins's, Annals of Mathematical Statistics 41 (1970), 1397–1409.
func LogE(k, n int) float64 {
	return float64(n)*math.Ln2 - math.Log(float64(n+1)) - LogChoose(n, k)
}

// LogAbove is the logarithm of the one-sided e-value 2ⁿ⁺¹ · ∫ θᵏ(1−θ)ⁿ⁻ᵏ dθ, θ from ½ to 1: as
// [LogE], and the bet is that the coin favours heads. If it does not, it ever reaches 1/α with probability at most
// α. The integral is a tail of the binomial distribution with n+1 tosses, and is summed as such.
func LogAbove(k, n int) float64 {
	if 2*k >= n { // the shorter tail is the other one
		return LogE(k, n) + math.Ln2 + math.Log1p(-math.Exp(logAtMost(n-k, n+1)))
	}
	return LogE(k, n) + math.Ln2 + logAtMost(k, n+1)
}

// logAtMost is the logarithm of P(X ≤ k) of n tosses of a fair coin, for k ≤ (n+1)/2: from there on downwards
// each term is smaller than the one before.
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

// LogChoose is the logarithm of the binomial coefficient.
func LogChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// Crossing finds from how many heads on the one-sided e-value reaches a threshold, toss after toss. It is for those who
// ask often: that number grows by at most one with each toss.
type Crossing struct {
	log   float64
	heads []int // of n tosses; n+1 where even n heads do not reach it
}

// NewCrossing is for the threshold 1/alpha.
func NewCrossing(alpha float64) *Crossing { return &Crossing{log: -math.Log(alpha), heads: []int{1}} }

// Reached tells whether k heads in n tosses reach the threshold.
func (c *Crossing) Reached(k, n int) bool {
	for m := len(c.heads); m <= n; m++ {
		least := c.heads[m-1]
		if least > m || LogAbove(least, m) < c.log {
			least++
		}
		c.heads = append(c.heads, min(least, m+1))
	}
	return k >= c.heads[n]
}
