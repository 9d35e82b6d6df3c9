package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// stakeCount is the number of stakes of a [Capital]: bets on the same scores, each of another share of what it owns.
// They are the nodes of a Gauss-Legendre rule over 0 to 1; its weights are the shares of the initial capital.
const stakeCount = 32

// The stakes of a [Capital], from 0 to 1, and the share of the initial capital on each.
var stakes, stakeWeights = legendre()

// legendre returns the nodes and the weights of a Gauss-Legendre rule over 0 to 1.
func legendre() (u, w [stakeCount]float64) {
	quad.Legendre{}.FixedLocations(u[:], w[:], 0, 1)
	return u, w
}

// Capital holds what an initial 1 becomes by betting against "the mean is at most null". Scores are from −1 to 1 and
// come in random order: independent draws from an infinite population, or draws without replacement from a total.
// Each stake u multiplies by 1 − u + u·(1+score)/(1+m), with m the largest mean that the null leaves for the scores
// to come; if the null holds, that is at most 1 on average. The capital is the mean over all stakes, so it ever
// reaches 1/α with probability at most α. For scores of ±1 and null 0, with replacement, it is the e-value of
// [LogOneSidedE] up to the error of quadrature.
//
// Source: Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86 (2024), 1–27
// (arXiv 2010.09686), §§4–5.
type Capital struct {
	null, scoreSum        float64             // the mean under test, and the sum of the scores so far
	populationSize, count int                 // all scores, or 0 for an infinite population, and those so far
	parts                 [stakeCount]float64 // by stake: capital of the bet, divided by exp(log)
	log                   float64             // keeps the parts in the range of a float
}

// NewCapital starts a bet against "the mean is at most null" over total scores; total is 0 for an infinite population.
func NewCapital(null float64, total int) *Capital {
	return &Capital{null: null, populationSize: total, parts: stakeWeights}
}

// slack is the largest rounding error expected in sums of scores.
const slack = 1e-9

// Add takes the next score and returns the natural logarithm of the capital after it: +∞ if no further scores can
// make "the mean is at most null" true.
func (c *Capital) Add(score float64) float64 {
	meanBound := c.null // largest mean of this and all later scores under the null
	if c.populationSize > 0 {
		meanBound = (float64(c.populationSize)*c.null - c.scoreSum) / float64(c.populationSize-c.count)
	}
	c.count++
	c.scoreSum += score
	if 1+meanBound > slack { // else all of them are −1 under the null, which Log checks
		gain := (1+score)/(1+meanBound) - 1
		total := 0.0
		for i, u := range stakes {
			c.parts[i] *= 1 + u*gain
			total += c.parts[i]
		}
		if total < 1e-100 || total > 1e100 {
			for i := range c.parts {
				c.parts[i] /= total
			}
			c.log += math.Log(total)
		}
	}
	return c.Log()
}

// Log returns the natural logarithm of the capital; +∞ if no further scores can make the null true.
func (c *Capital) Log() float64 {
	if c.refuted() {
		return math.Inf(1)
	}
	total := 0.0
	for _, p := range c.parts {
		total += p
	}
	return c.log + math.Log(total)
}

// refuted reports whether "the mean is at most null" is false whatever scores follow.
func (c *Capital) refuted() bool {
	if c.populationSize == 0 {
		return c.scoreSum > -float64(c.count)+slack && c.null <= -1
	}
	return c.scoreSum-float64(c.populationSize-c.count) > float64(c.populationSize)*c.null+slack
}

// BettingSequence returns a confidence sequence of the mean of scores from −1 to 1, in the order in which they came:
// with probability level it contains the mean after every score. The result is the interval after the last score and
// lies within the earlier ones. With total > 0 the scores are drawn without replacement from total, the mean is that of
// all of them, and the width is 0 after the last. With total = 0 the mean is that of the population.
//
// Source: as [Capital]. A capital of 2/(1−level) refutes a mean from either side.
func BettingSequence(scores []float64, total int, level float64) Interval {
	threshold := math.Log(2 / (1 - level))
	lowerEnd := func(sign float64) float64 {
		accepts := func(null float64) bool { // the capital does not refute the mean null
			c := NewCapital(null, total)
			for _, s := range scores {
				if c.Add(sign*s) >= threshold {
					return false
				}
			}
			return true
		}
		if accepts(-1) {
			return -1
		}
		return bisect(-1, 1, accepts)
	}
	return Interval{lowerEnd(1), -lowerEnd(-1)}
}

// BettingRatioSequence returns a confidence sequence of a ratio of means between 0 and 1: num over den, in the order in
// which they came, with 0 ≤ num ≤ den ≤ maxDen. With probability level it contains E(num)/E(den) after every
// pair. For the true ratio r, num − r·den is 0 on average; the bet is against that.
//
// Source: as [Capital].
func BettingRatioSequence(num, den []float64, maxDen, level float64) Interval {
	threshold := math.Log(2 / (1 - level))
	accepts := func(sign, ratio float64) bool {
		c := NewCapital(0, 0)
		for i := range num {
			if c.Add(sign*(num[i]-ratio*den[i])/maxDen) >= threshold {
				return false
			}
		}
		return true
	}
	iv := Interval{0, 1}
	if !accepts(1, 0) {
		iv.Low = bisect(0, 1, func(r float64) bool { return accepts(1, r) })
	}
	if !accepts(-1, 1) {
		iv.High = 1 - bisect(0, 1, func(r float64) bool { return accepts(-1, 1-r) })
	}
	return iv
}
