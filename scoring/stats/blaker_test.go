package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/scoring/stats"

	"gavel/internal/trials"
)

// binomial is P(X = i) for all i.
func binomial(n int, p float64) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		out[i] = distuv.Binomial{N: float64(n), P: p}.Prob(float64(i))
	}
	return out
}

// tails are P(X ≤ k) and P(X ≥ k).
func tails(pmf []float64, k int) (low, high float64) {
	for i, q := range pmf {
		if i <= k {
			low += q
		}
		if i >= k {
			high += q
		}
	}
	return low, high
}

// blakers is acceptability by its definition: the smaller tail at k, and the largest tail of the other side that is no
// larger than it.
func blakers(pmf []float64, k int) float64 {
	low, high := tails(pmf, k)
	least, other := math.Min(low, high), 0.0
	for i := range pmf {
		l, h := tails(pmf, i)
		if t := map[bool]float64{true: h, false: l}[low < high]; t <= least*(1+1e-9) {
			other = math.Max(other, t)
		}
	}
	return least + other
}

func TestBlakerByItsDefinition(t *testing.T) {
	for _, c := range [][2]int{{0, 5}, {3, 10}, {17, 20}, {19, 20}, {20, 20}, {47, 50}} {
		k, n := c[0], c[1]
		want := stats.Interval{Low: 1, High: 0}
		const steps = 4000
		for i := 1; i < steps; i++ {
			if p := float64(i) / steps; blakers(binomial(n, p), k) >= 0.05 {
				want.Low, want.High = math.Min(want.Low, p), math.Max(want.High, p)
			}
		}
		got := stats.Blaker(k, n, 0.95)
		if !near(got, want, 1.01/steps) {
			t.Errorf("%d of %d: %+v, by the definition %+v", k, n, got, want)
		}
	}
}

// One share has an interval at each level, whichever is asked for first.
func TestBlakerByLevel(t *testing.T) {
	wide, narrow := stats.Blaker(7, 31, 0.99), stats.Blaker(7, 31, 0.8)
	if wide.Low >= narrow.Low || wide.High <= narrow.High || wide != stats.Blaker(7, 31, 0.99) {
		t.Errorf("at 99 %% %+v, at 80 %% %+v", wide, narrow)
	}
}

func TestBlakerCovers(t *testing.T) {
	for _, n := range []int{1, 2, 20, 50, 100, 350} {
		ivs := make([]stats.Interval, n+1)
		for k := range ivs {
			ivs[k] = stats.Blaker(k, n, 0.95)
			if cp := stats.ClopperPearson(k, n, 0.95); ivs[k].Low < cp.Low-1e-12 || ivs[k].High > cp.High+1e-12 ||
				ivs[k].High <= ivs[k].Low {
				t.Errorf("%d of %d: %+v is not within Clopper and Pearson's %+v", k, n, ivs[k], cp)
			}
		}
		for i := 1; i < 200; i++ {
			p := float64(i) / 200
			if got := covers(n, p, ivs); got < 0.95-1e-9 {
				t.Errorf("n = %d, p = %g: covers %.4f", n, p, got)
			}
		}
	}
}

func covers(n int, p float64, ivs []stats.Interval) (sum float64) {
	for k, q := range binomial(n, p) {
		if ivs[k].Low <= p+1e-9 && p <= ivs[k].High+1e-9 {
			sum += q
		}
	}
	return sum
}

// By its definition, at each end the tail beyond and half of what is at k make half of what the level leaves.
func TestMidP(t *testing.T) {
	for _, c := range [][2]int{{1, 10}, {9, 10}, {57, 60}, {175, 350}} {
		iv := stats.MidPInterval(float64(c[0]), float64(c[1]), 0.95)
		low, high := binomial(c[1], iv.Low), binomial(c[1], iv.High)
		_, above := tails(low, c[0])
		below, _ := tails(high, c[0])
		if math.Abs(above-low[c[0]]/2-0.025) > 1e-9 || math.Abs(below-high[c[0]]/2-0.025) > 1e-9 {
			t.Errorf("%d of %d: %+v leaves %g and %g", c[0], c[1], iv, above-low[c[0]]/2, below-high[c[0]]/2)
		}
	}
	// all of n: half of p^n is a fortieth
	if iv := stats.MidPInterval(20, 20, 0.95); !near(iv, stats.Interval{Low: math.Pow(0.05, 1.0/20), High: 1}, 1e-9) {
		t.Errorf("20 of 20: %+v", iv)
	}
	// between whole numbers it lies between theirs
	a, b, c := stats.MidPInterval(8, 10, 0.95), stats.MidPInterval(8.4, 10.5, 0.95), stats.MidPInterval(8.8, 11, 0.95)
	if !(a.Low < b.Low && b.Low < c.Low && a.High > b.High && b.High > c.High) {
		t.Errorf("8 of 10 %+v, 8.4 of 10.5 %+v, 8.8 of 11 %+v", a, b, c)
	}
	if iv := stats.MidPInterval(0, 0, 0.95); !math.IsNaN(iv.Low) {
		t.Errorf("of nothing: %+v", iv)
	}
}

// quantiles of the normal and of Student's t, as tables have them.
const (
	z975  = 1.959964
	t975  = 2.045230 // 29 degrees of freedom
	t9753 = 3.182446 // 3
)

func TestEffective(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []stats.ClusterCount
		x, n  float64
	}{
		{"one unit each", []stats.ClusterCount{{Num: 1, Den: 1, Count: 17}, {Num: 0, Den: 1, Count: 3}, {Num: 0, Den: 0, Count: 9}}, 17, 20},
		// Two of four clusters of ten all right, two all wrong: ρ is 1 or more, so the guess leaves it. Between:
		// 4·5² = 100; of independent units 40·¼ = 10; 4/3·100/10 = 13.33 = 1 + 9ρ.
		{"all or nothing", []stats.ClusterCount{{Num: 10, Den: 10, Count: 2}, {Num: 0, Den: 10, Count: 2}},
			20 / (40.0 / 3) * (z975 / t9753) * (z975 / t9753), 40 / (40.0 / 3) * (z975 / t9753) * (z975 / t9753)},
		// All alike: ρ is the guess, 0.3, and the effect 1 + 2·0.3.
		{"all right", []stats.ClusterCount{{Num: 3, Den: 3, Count: 30}}, 90 / 1.6 * (z975 / t975) * (z975 / t975), 90 / 1.6 * (z975 / t975) * (z975 / t975)},
		// One cluster: its units are worth one.
		{"one cluster", []stats.ClusterCount{{Num: 2, Den: 4, Count: 1}}, 0.5, 1},
		{"none", nil, 0, 0},
	} {
		if x, n := stats.EffectiveSampleSize(c.parts, 0.95); math.Abs(x-c.x) > 1e-4 || math.Abs(n-c.n) > 1e-4 {
			t.Errorf("%s: %g of %g, want %g of %g", c.name, x, n, c.x, c.n)
		}
	}
}

// TestEffectiveByWeights: clusters of unlike sizes count by their weights. Of 4, 2 and 2 units, with 3, 1 and 0
// right, the share is ½, a unit's cluster has 24/8 = 3, and there are 64/24 of one size. Off by 1, 0 and −1,
// over 1 − den/8: 2, 0 and −4/3; between: 2/3·(4 + 16/9) = 104/27; ρ = (104/27/2 − 1)/2; the rarer 4
// units are worth 4/(1 + 2·ρ).
func TestEffectiveByWeights(t *testing.T) {
	rho := (104.0/27/2 - 1) / 2
	rarer := 4 / (1 + 2*rho)
	if guessed := (rho*rarer + 0.3*4) / (rarer + 4); guessed > rho {
		rho = guessed
	}
	df := 64.0/24 - 1
	student := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(0.975)
	want := 8 / (1 + 2*rho) * (z975 / student) * (z975 / student)
	if x, n := stats.EffectiveSampleSize([]stats.ClusterCount{{Num: 3, Den: 4, Count: 1}, {Num: 1, Den: 2, Count: 1}, {Num: 0, Den: 2, Count: 1}}, 0.95); math.Abs(n-want) > 1e-5 || math.Abs(x-want/2) > 1e-5 {
		t.Errorf("%g of %g, want half of %g", x, n, want)
	}
}

// TestEffectiveCovers: over clusters whose units are as correlated as is said, each with a draw that they
// share, of one size or of sizes from 1 to 40. GAVEL_TRIALS makes it so many times as long, and -v prints the
// table of docs/coverage.md.
func TestEffectiveCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	runs := trials.TrialCount(200)
	for _, unlike := range []bool{false, true} {
		for _, clusters := range []int{20, 80} {
			for _, rho := range []float64{0, 0.1, 0.2, 0.4} {
				line := fmt.Sprintf("| %d | %s | %g |", clusters, map[bool]string{true: "1 to 40", false: "20"}[unlike], rho)
				for _, share := range []float64{0.8, 0.9, 0.925, 0.95, 0.99} {
					rng := rand.New(rand.NewPCG(uint64(clusters), uint64(1000*share+10*rho)))
					held := 0
					for range runs {
						parts := make([]stats.ClusterCount, clusters)
						for c := range parts {
							size := 20
							if unlike {
								size = max(1, min(40, int(math.Exp(rng.Float64()*math.Log(41)))))
							}
							shared := rng.Float64() < share
							parts[c] = stats.ClusterCount{Den: float64(size), Count: 1}
							for range size {
								is := rng.Float64() < share
								if rng.Float64() < math.Sqrt(rho) {
									is = shared
								}
								if is {
									parts[c].Num++
								}
							}
						}
						x, n := stats.EffectiveSampleSize(parts, 0.95)
						if iv := stats.MidPInterval(x, n, 0.95); iv.Low <= share && share <= iv.High {
							held++
						}
					}
					line += fmt.Sprintf(" %.1f |", 100*float64(held)/float64(runs))
					if held < runs*89/100 {
						t.Errorf("%d clusters, unlike %t, ρ %g: %d of %d intervals hold %g", clusters, unlike, rho, held, runs, share)
					}
				}
				t.Log(line)
			}
		}
	}
}

// What it covers is counted out over all outcomes.
func TestPairedCovers(t *testing.T) {
	const n = 50
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	for _, w := range [][2]float64{{0.03, 0}, {0.02, 0.01}, {0.05, 0.05}, {0.2, 0.1}, {0.4, 0.1}, {0.9, 0.05}, {0.98, 0.005}} {
		p, q, sum := w[0], math.Max(w[1], 1e-12), 0.0
		for b := 0; b <= n; b++ {
			for c := 0; b+c <= n; c++ {
				if iv := stats.PairedInterval(float64(b), float64(c), n, 0.95); iv.Low <= p-q && p-q <= iv.High {
					sum += math.Exp(lg(n) - lg(b) - lg(c) - lg(n-b-c) +
						float64(b)*math.Log(p) + float64(c)*math.Log(q) + float64(n-b-c)*math.Log(1-p-q))
				}
			}
		}
		if sum < 0.94 {
			t.Errorf("+1 with %g, −1 with %g: covers %.4f", w[0], w[1], sum)
		}
	}
}
