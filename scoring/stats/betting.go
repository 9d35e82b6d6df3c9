package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// bets are how boldly a [Capital] bets, and how much of it does: nearly all stakes from none to everything alike.
const bets = 32

var stakes, shares = legendre()

func legendre() (u, w [bets]float64) {
	quad.Legendre{}.FixedLocations(u[:], w[:], 0, 1)
	return u, w
}

// Capital is what betting against "the mean is at most null" makes of 1. Scores are from −1 to 1 and come in
// random order, either independently of a population without end or, without replacement, of so many. Each stake u
// multiplies by 1 − u + u·(1+score)/(1+m), with m the largest mean that the null leaves for the scores to come;
// if the null holds that is at most 1 on average. The capital is the mean over all stakes, so that it ever reaches
// 1/α with probability at most α. For scores of ±1 and null 0, with replacement, it is the e-value of [LogAbove]
// up to the rule of quadrature.
//
// Source: Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86 (2024), 1–27
// (arXiv 2010.09686), §§4–5.
type Capital struct {
	null, sum float64
	of, seen  int
	parts     [bets]float64
	log       float64 // what the parts were divided by, that they stay in range
}

// NewCapital bets against "the mean is at most null", of so many scores; of is 0 for a population without end.
func NewCapital(null float64, of int) *Capital {
	return &Capital{null: null, of: of, parts: shares}
}

// slack is by how much sums of scores may be off.
const slack = 1e-9

// Add takes the next score, and is the logarithm of the capital after it: +∞ where no more scores can make the null
// true.
func (c *Capital) Add(score float64) float64 {
	left := c.null // what the mean of this and all scores after it is at most
	if c.of > 0 {
		left = (float64(c.of)*c.null - c.sum) / float64(c.of-c.seen)
	}
	c.seen++
	c.sum += score
	if 1+left > slack { // else the null says that all of them are −1, and Log whether they are
		gain := (1+score)/(1+left) - 1
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

// Log is the logarithm of the capital.
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

// refuted tells whether the null is false whatever scores are still to come.
func (c *Capital) refuted() bool {
	if c.of == 0 {
		return c.sum > -float64(c.seen)+slack && c.null <= -1
	}
	return c.sum-float64(c.of-c.seen) > float64(c.of)*c.null+slack
}

// Betting is a confidence sequence of a mean of scores from −1 to 1, in the order in which they came: with
// probability level it holds the mean always, after each of them. It is that after the last one, and lies within
// those before. Of scores without replacement of is how many there are in all, the mean is theirs, and after the last
// its width is 0; with of = 0 the mean is that of the population.
//
// Source: as [Capital]. Each end is refuted by a capital of 2/(1−level).
func Betting(scores []float64, of int, level float64) Interval {
	enough := math.Log(2 / (1 - level))
	least := func(sign float64) float64 {
		held := func(null float64) bool { // the null mean is not refuted
			c := NewCapital(null, of)
			for _, s := range scores {
				if c.Add(sign*s) >= enough {
					return false
				}
			}
			return true
		}
		if held(-1) {
			return -1
		}
		return bisect(-1, 1, held)
	}
	return Interval{least(1), -least(-1)}
}

// BettingRatio is a confidence sequence of a ratio of means, from 0 to 1: num of den, in the order in which they
// came, with 0 ≤ num ≤ den ≤ most. With probability level it holds E(num)/E(den) after each of them: of that
// ratio, r, num − r·den is 0 on average, and is bet on.
//
// Source: as [Capital].
func BettingRatio(num, den []float64, most, level float64) Interval {
	enough := math.Log(2 / (1 - level))
	held := func(sign, ratio float64) bool {
		c := NewCapital(0, 0)
		for i := range num {
			if c.Add(sign*(num[i]-ratio*den[i])/most) >= enough {
				return false
			}
		}
		return true
	}
	iv := Interval{0, 1}
	if !held(1, 0) {
		iv.Low = bisect(0, 1, func(r float64) bool { return held(1, r) })
	}
	if !held(-1, 1) {
		iv.High = 1 - bisect(0, 1, func(r float64) bool { return held(-1, 1-r) })
	}
	return iv
}
