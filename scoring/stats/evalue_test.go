package stats_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring/stats"
)

// exactE sums the integrals in whole numbers: ∫ θᵏ(1−θ)ᵐ from ½ to 1 is k!m!/(n+1)! times the share of the
// 2ⁿ⁺¹ rows of n+1 tosses that have at most k heads.
func exactE(k, n int) (e, above float64) {
	rows := new(big.Int)
	for j := range k + 1 {
		rows.Add(rows, new(big.Int).Binomial(int64(n+1), int64(j)))
	}
	below := new(big.Int).Mul(new(big.Int).Binomial(int64(n), int64(k)), big.NewInt(int64(n+1)))
	e, _ = new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), uint(n)), below).Float64()
	above, _ = new(big.Rat).SetFrac(rows, below).Float64()
	return e, above
}

func TestEValuesAreExact(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 30, 101, 250} {
		for k := range n + 1 {
			e, above := exactE(k, n)
			if got := stats.LogE(k, n); math.Abs(got-math.Log(e)) > 1e-9 {
				t.Errorf("E(%d of %d): log %g, not %g", k, n, got, math.Log(e))
			}
			if got := stats.LogOneSidedE(k, n); math.Abs(got-math.Log(above)) > 1e-9 {
				t.Errorf("E₊(%d of %d): log %g, not %g", k, n, got, math.Log(above))
			}
		}
	}
}

// Of large numbers, by the step that defines a martingale: the mean over the next toss of a fair coin is what it was
// for E, and for E₊, whose integral is cut at ½, as well.
func TestEValuesOfManyTosses(t *testing.T) {
	for _, n := range []int{10_000, 999_999} {
		for _, k := range []int{0, n / 10, n/2 - 500, n / 2, n/2 + 1, n/2 + 2000, n * 9 / 10, n} {
			for name, e := range map[string]func(k, n int) float64{"E": stats.LogE, "E₊": stats.LogOneSidedE} {
				now := e(k, n)
				next := math.Log((math.Exp(e(k, n+1)-now) + math.Exp(e(k+1, n+1)-now)) / 2)
				if !(math.Abs(next) < 1e-7) {
					t.Errorf("%s(%d of %d) = exp(%g) becomes another by a factor exp(%g)", name, k, n, now, next)
				}
			}
		}
	}
}

func TestCrossingIsWhereEValueReaches(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.05, 0.05 / 7} {
		c := stats.NewHeadsThreshold(alpha)
		for n := range 300 {
			for k := range n + 1 {
				if got, want := c.Reached(k, n), stats.LogOneSidedE(k, n) >= -math.Log(alpha); got != want {
					t.Fatalf("1/%g, %d of %d: reached %v, E₊ = %g", alpha, k, n, got, math.Exp(stats.LogOneSidedE(k, n)))
				}
			}
		}
	}
}

// scoresOf are b ones, c minus ones, and zeros up to n, shuffled.
func scoresOf(b, c, n int, rng *rand.Rand) []float64 {
	s := make([]float64, n)
	for i := range b {
		s[i] = 1
	}
	for i := range c {
		s[b+i] = -1
	}
	rng.Shuffle(n, func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

func TestCapitalOfCoinsIsTheEValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]int{{19, 16}, {45, 30}, {10, 10}, {40, 20}, {300, 180}, {1000, 560}} {
		capital := stats.NewCapital(0, 0)
		for _, s := range scoresOf(c[1], c[0]-c[1], c[0]+50, rng) { // ties do not change it
			capital.Add(s)
		}
		if got, want := capital.Log(), stats.LogOneSidedE(c[1], c[0]); math.Abs(got-want) > 1e-3 {
			t.Errorf("%d of %d: log %g, not %g", c[1], c[0], got, want)
		}
	}
}

// Whatever the scores are, if their mean is the null the capital is on average 1: counted out over all orders of a
// small population without replacement, and over all rows of coins with replacement.
func TestCapitalIsFair(t *testing.T) {
	population := []float64{1, 1, 0, 0, -1, -1, -1, 1, -1}
	null := -1.0 / 9
	var walk func(left []float64, so []float64) (total, n float64)
	walk = func(left, so []float64) (total, n float64) {
		if len(so) == 6 {
			c := stats.NewCapital(null, len(population))
			for _, s := range so {
				c.Add(s)
			}
			return math.Exp(c.Log()), 1
		}
		for i := range left {
			rest := append(append([]float64{}, left[:i]...), left[i+1:]...)
			a, b := walk(rest, append(so[:len(so):len(so)], left[i]))
			total, n = total+a, n+b
		}
		return total, n
	}
	if total, n := walk(population, nil); math.Abs(total/n-1) > 1e-9 {
		t.Errorf("without replacement the mean capital is %g", total/n)
	}
	mean := 0.0
	for row := range 729 { // scores −1, 0, 1 with probabilities .3, .2, .5: the mean is .2
		c, p := stats.NewCapital(0.2, 0), 1.0
		for range 6 {
			c.Add(float64(row%3) - 1)
			p *= []float64{.3, .2, .5}[row%3]
			row /= 3
		}
		mean += p * math.Exp(c.Log())
	}
	if math.Abs(mean-1) > 1e-9 {
		t.Errorf("with replacement the mean capital is %g", mean)
	}
}

// What is refuted for certain: no scores that are left could make it true.
func TestCapitalKnowsWhenItIsOver(t *testing.T) {
	c := stats.NewCapital(0, 10)
	for i := range 6 {
		if over := math.IsInf(c.Add(1), 1); over != (i == 5) {
			t.Errorf("after %d of 10 all ahead: %v", i+1, over)
		}
	}
	if c = stats.NewCapital(-1, 0); math.IsInf(c.Add(-1), 1) || !math.IsInf(c.Add(0), 1) {
		t.Error("a score above −1 refutes a mean of −1, and −1 does not")
	}
}

// refutes tells whether betting against "the mean is at most null" ever reaches 1/alpha.
func refutes(scores []float64, sign, null float64, of int, alpha float64) bool {
	c := stats.NewCapital(sign*null, of)
	for _, s := range scores {
		if c.Add(sign*s) >= -math.Log(alpha) {
			return true
		}
	}
	return false
}

func TestCapitalRarelyRefutesTheMean(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(3, 4))
	const worlds, n, total, alpha = 2000, 200, 300, 0.1
	for _, c := range [][2]int{{60, 30}, {10, 10}, {3, 0}, {150, 150}} {
		mean := float64(c[0]-c[1]) / total
		for _, size := range []int{total, 0} {
			refuted := [2]int{}
			for range worlds {
				s := scoresOf(c[0], c[1], total, rng)
				if size == 0 {
					drawn := make([]float64, n)
					for i := range drawn {
						drawn[i] = s[rng.IntN(total)]
					}
					s = drawn
				}
				for side, sign := range []float64{1, -1} {
					if refutes(s[:n], sign, mean, size, alpha) {
						refuted[side]++
					}
				}
			}
			if limit := worlds * (alpha + 3*math.Sqrt(alpha*(1-alpha)/worlds)); float64(max(refuted[0], refuted[1])) > limit {
				t.Errorf("%v of %d, %d in all: refuted in %v of %d worlds", c, total, size, refuted, worlds)
			}
		}
	}
}

func TestBettingEndsWhereCapitalRefutes(t *testing.T) {
	s := scoresOf(60, 30, 300, rand.New(rand.NewPCG(7, 8)))[:150]
	for _, total := range []int{0, 300} {
		iv := stats.BettingSequence(s, total, 0.9)
		for end, sign := range map[float64]float64{iv.Low: 1, iv.High: -1} {
			if refutes(s, sign, end+sign*1e-9, total, .05) || !refutes(s, sign, end-sign*1e-9, total, .05) {
				t.Errorf("of %d: the end %g is not where the capital begins to refute", total, end)
			}
		}
	}
}

func TestBettingOfAllScoresIsTheirMean(t *testing.T) {
	s := scoresOf(40, 25, 150, rand.New(rand.NewPCG(5, 6)))
	if iv := stats.BettingSequence(s, 150, 0.95); !near(iv, stats.Interval{Low: .1, High: .1}, 1e-9) {
		t.Errorf("[%g, %g]", iv.Low, iv.High)
	}
	some, all := stats.BettingSequence(s[:100], 150, 0.95), stats.BettingSequence(s[:100], 0, 0.95)
	if !(some.High-some.Low < 0.9*(all.High-all.Low)) {
		t.Errorf("100 of 150 tell no more of these than of all: [%g, %g] and [%g, %g]", some.Low, some.High, all.Low, all.High)
	}
	if iv := stats.BettingSequence(nil, 0, 0.95); iv != (stats.Interval{Low: -1, High: 1}) {
		t.Errorf("of nothing: [%g, %g]", iv.Low, iv.High)
	}
	for sign := range 2 {
		same := make([]float64, 20)
		for i := range same {
			same[i] = float64(2*sign - 1)
		}
		if iv := stats.BettingSequence(same, 0, 0.95); !(iv.High-iv.Low < 1) || iv.Low != -1 && iv.High != 1 {
			t.Errorf("all %g: [%g, %g]", same[0], iv.Low, iv.High)
		}
	}
}

func TestBetaBinomialAtItsEnds(t *testing.T) {
	for _, k := range []int{0, 30} {
		iv := stats.BetaBinomialSequence(k, 30, 0.95, 100)
		if share := float64(k) / 30; share < iv.Low || share > iv.High || !(iv.High-iv.Low < 0.5) {
			t.Errorf("%d of 30: [%g, %g]", k, iv.Low, iv.High)
		}
	}
}

// The share is inside at every n, in all but 5 % of the walks: counted out, walk by walk, up to 60 units.
func TestBetaBinomialHoldsItsShareAlways(t *testing.T) {
	for _, share := range []float64{.5, .8, .97} {
		inside := map[int]float64{0: 1}
		for n := 1; n <= 60; n++ {
			next := map[int]float64{}
			for k, p := range inside {
				next[k] += p * (1 - share)
				next[k+1] += p * share
			}
			for k := range next {
				if iv := stats.BetaBinomialSequence(k, n, 0.95, 30); share < iv.Low || share > iv.High {
					delete(next, k)
				}
			}
			inside = next
		}
		kept := 0.0
		for _, p := range inside {
			kept += p
		}
		if kept < 0.95 {
			t.Errorf("%g is left out by %.4f of the walks", share, 1-kept)
		}
	}
}

// A sequence of a ratio holds it at every look, and narrows towards it.
func TestBettingRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const worlds, n, ratio = 300, 120, 0.6
	missed := 0
	for range worlds {
		var num, den []float64
		for range n {
			d := float64(rng.IntN(3)) // judgments that are decided
			k := 0.0
			for range int(d) {
				if rng.Float64() < ratio {
					k++
				}
			}
			num, den = append(num, k), append(den, d)
		}
		if iv := stats.BettingRatioSequence(num, den, 2, 0.95); iv.Low > ratio || iv.High < ratio || iv.High-iv.Low > 0.45 {
			missed++
		}
	}
	if missed > worlds/20 {
		t.Errorf("missed in %d of %d", missed, worlds)
	}
	if iv := stats.BettingRatioSequence(nil, nil, 1, 0.95); iv.Low != 0 || iv.High != 1 {
		t.Errorf("of nothing: %v", iv)
	}
}
