package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/scoring/stats"
)

func TestPairsToTell(t *testing.T) {
	if n := stats.PairsToTell(.1, .3, .05, .8); math.Abs(n-233.1) > 0.05 {
		t.Errorf("10 points: %g pairs", n)
	}
	for _, c := range []struct{ n, diff float64 }{{350, .082}, {620, .062}, {1865, .036}} {
		if d := stats.Tells(c.n, .3, .05, .8); math.Abs(d-c.diff) > 0.0005 {
			t.Errorf("%g pairs tell %g", c.n, d)
		}
	}
	for _, d := range []float64{0, -1, .31, math.NaN()} {
		if n := stats.PairsToTell(d, .3, .05, .8); !math.IsNaN(n) {
			t.Errorf("a difference of %g: %g pairs", d, n)
		}
	}
	if d := stats.Tells(3, .3, .05, .8); !math.IsNaN(d) {
		t.Errorf("3 pairs tell %g", d)
	}
}

// The power that the formula promises, counted out: McNemar's test without correction, over all discordant counts.
func TestPairsToTellIsOfThatPower(t *testing.T) {
	const discordant, diff, n = .3, .1, 233
	power := 0.0
	all := distuv.Binomial{N: n, P: discordant}
	for m := 1.0; m <= n; m++ {
		wins := distuv.Binomial{N: m, P: (discordant + diff) / 2 / discordant}
		for k := 0.0; k <= m; k++ {
			if math.Abs(2*k-m) >= 1.959964*math.Sqrt(m) {
				power += all.Prob(m) * wins.Prob(k)
			}
		}
	}
	if math.Abs(power-.8) > .015 {
		t.Errorf("the power is %g", power)
	}
}

// each is every outcome of n units with its probability.
func eachOutcome(n int, p, q float64, use func(b, c int, probability float64)) {
	for b := range n + 1 {
		for c := range n - b + 1 {
			lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
			use(b, c, math.Exp(lg(n)-lg(b)-lg(c)-lg(n-b-c)+float64(b)*math.Log(p)+float64(c)*math.Log(q)+float64(n-b-c)*math.Log(1-p-q)))
		}
	}
}

// Two shares that are the same are found to be so with the power that the formula promises, and two that differ by the
// margin at most at the level.
func TestTangoEquates(t *testing.T) {
	const margin, discordant = .1, .2
	n := int(math.Ceil(stats.PairsToEquate(margin, discordant, .05, .8)))
	for _, c := range []struct{ diff, low, high float64 }{{0, .77, .85}, {margin, 0, .055}, {-margin, 0, .055}} {
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
