package stats_test

import (
	"math"
	"testing"

	"gavel/scoring/stats"
)

// TestPlanKeepsThePromisedPower: Connor's formula gave 234 pairs for 10 points, with which the exact test of `gavel
// compare` has a power of 77.6 %. The numbers are those of a second computation with scipy, which looked at every n up
// to 1.6 times as many; here the power is counted out over all outcomes around them.
func TestPlanKeepsThePromisedPower(t *testing.T) {
	for _, c := range []struct {
		diff, discordant float64
		tell, equate     int
	}{
		{.1, .3, 249, 259}, {.1, .2, 168, 178}, {.2, .5, 103, 105}, {.1, .1, 78, 104},
		{.3, .3, 25, 30}, {.15, .4, 147, 152}, {.2, 1, 210, 212}, {.3, .9, 83, 82}, {.2, .95, 194, 201},
		{.5, .5, 15, 16}, {.25, .8, 106, 107},
	} {
		tell := stats.PairsToDetect(c.diff, c.discordant, .05, .8)
		equate := stats.PairsToEquate(c.diff, c.discordant, .05, .8)
		if tell != float64(c.tell) || equate != float64(c.equate) {
			t.Errorf("%+v: %g and %g pairs", c, tell, equate)
		}
		for n := c.tell - 1; n <= c.tell+3; n++ {
			detected := 0.0
			eachOutcome(n, (c.discordant+c.diff)/2, (c.discordant-c.diff)/2, func(b, w int, p float64) {
				if b > w && p > 1e-12 && stats.McNemar(w, b) < .05 {
					detected += p
				}
			})
			if detected >= .8 != (n >= c.tell) {
				t.Errorf("%g points of %g, %d pairs: the power is %g", 100*c.diff, c.discordant, n, detected)
			}
		}
	}
	if n := stats.PairsToDetect(.001, .3, .05, .8); math.Abs(n-2.3557e6) > 2000 {
		t.Errorf("a tenth of a point: %g pairs", n)
	}
}

// TestPairsTellWhatTheyAreFor: what a number of pairs tells, and how many pairs tell that, are one.
func TestPairsTellWhatTheyAreFor(t *testing.T) {
	for _, diff := range []float64{.05, .1, .2} {
		n := int(stats.PairsToDetect(diff, .3, .05, .8))
		if d := stats.DetectableDifference(n, .3, .05, .8); d > diff || d < .97*diff {
			t.Errorf("%d pairs, which tell %g, tell %g", n, diff, d)
		}
		if d := stats.DetectableDifference(n-1, .3, .05, .8); d <= diff {
			t.Errorf("%d pairs tell %g", n-1, d)
		}
	}
}

// eachOutcome is every outcome of n units with its probability.
func eachOutcome(n int, p, q float64, use func(b, c int, probability float64)) {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	rest := math.Max(0, 1-p-q)
	for b := range n + 1 {
		for c := range n - b + 1 {
			l := lg(n) - lg(b) - lg(c) - lg(n-b-c)
			l += term(float64(b), p) + term(float64(c), q) + term(float64(n-b-c), rest)
			use(b, c, math.Exp(l))
		}
	}
}

// Two shares that are the same are found to be so with the power that the formula promises, and two that differ by the
// margin at most at the level.
func TestTangoEquates(t *testing.T) {
	const margin, discordant = .1, .2
	n := int(math.Ceil(stats.PairsToEquate(margin, discordant, .05, .8)))
	for _, c := range []struct{ diff, low, high float64 }{{0, .8, .81}, {margin, 0, .055}, {-margin, 0, .055}} {
		same := 0.0
		eachOutcome(n, (discordant+c.diff)/2, (discordant-c.diff)/2, func(b, w int, p float64) {
			if p < 1e-9 {
				return
			}
			if iv := stats.Tango(b, w, n, .9); iv.Low > -margin && iv.High < margin {
				same += p
			}
		})
		if same < c.low || same > c.high {
			t.Errorf("of %d pairs that differ by %g, %g are called the same", n, c.diff, same)
		}
	}
}

// The interval is what the score test does not reject, with the restricted likelihood maximised by hand.
func TestTangoIsTheScoreTest(t *testing.T) {
	for _, c := range [][3]int{{9, 0, 100}, {20, 5, 60}, {3, 4, 20}, {0, 0, 30}, {10, 10, 40}} {
		b, w, n := float64(c[0]), float64(c[1]), float64(c[2])
		for _, end := range []float64{stats.Tango(c[0], c[1], c[2], .95).Low, stats.Tango(c[0], c[1], c[2], .95).High} {
			best, variance := math.Inf(-1), 0.0
			for q := math.Max(0, -end) + 1e-7; 2*q+end < 1; q += 1e-6 {
				l := term(b, q+end) + term(w, q) + term(n-b-w, 1-2*q-end)
				if l > best {
					best, variance = l, 2*q+end-end*end
				}
			}
			z := math.Abs(b-w-n*end) / math.Sqrt(n*variance)
			if math.Abs(z-1.959964) > 0.01 {
				t.Errorf("%v: at %g the score is %g", c, end, z)
			}
		}
	}
	iv := stats.Tango(0, 0, 30, .95)
	if z := 1.959964 * 1.959964; math.Abs(iv.High-z/(30+z)) > 1e-5 {
		t.Errorf("without discordant pairs: [%g, %g]", iv.Low, iv.High)
	}
}

func term(count, p float64) float64 {
	if count == 0 {
		return 0
	}
	return count * math.Log(p)
}
