package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring/stats"
)

// TestLogitIsStatsmodels: coefficients are those of statsmodels 0.14 (GLM, binomial) on the same rows, and errors those
// of the jackknife that fits again without each cluster.
func TestLogitIsStatsmodels(t *testing.T) {
	state := 12345
	uniform := func() float64 {
		state = (1103515245*state + 12345) % (1 << 31)
		return float64(state) / (1 << 31)
	}
	var x [][]float64
	var y []bool
	var cluster []int
	for i := range 60 {
		a := 2*uniform() - 1
		b := 2*uniform() - 1
		for _, place := range []float64{1, -1} {
			x = append(x, []float64{a, b, place})
			y = append(y, uniform() < 1/(1+math.Exp(-(1.2*a-0.5*b+0.4*place))))
			cluster = append(cluster, i)
		}
	}
	fit := stats.FitLogistic(x, y, cluster)
	if fit == nil {
		t.Fatal("no fit")
	}
	var squares [3]float64
	for out := range 60 {
		without := func(i int) int { return (i + 2*out + 2) % len(x) } // the rows after those of the cluster
		var fewer [][]float64
		var verdicts []bool
		for i := range len(x) - 2 {
			fewer = append(fewer, x[without(i)])
			verdicts = append(verdicts, y[without(i)])
		}
		for j, beta := range stats.FitLogistic(fewer, verdicts, cluster[2:]).Beta {
			squares[j] += (beta - fit.Beta[j]) * (beta - fit.Beta[j])
		}
	}
	for j, want := range []float64{1.097294287, -0.676358560, 0.417788251} {
		again := math.Sqrt(squares[j] * 59 / 60)
		if math.Abs(fit.Beta[j]-want) > 5e-7 || math.Abs(fit.Error[j]-again) > 0.03*again {
			t.Errorf("%d: %.9f ± %.9f, want %v ± %.9f", j, fit.Beta[j], fit.Error[j], want, again)
		}
		in := fit.Interval(j, 0.95)
		if p := fit.Test(j); (p < 0.05) != (in.Low > 0 || in.High < 0) {
			t.Errorf("%d: p %g, interval %+v", j, p, in)
		}
	}
}

// TestLogitWithoutAFit: where a column tells everything, says what another says, or says nothing, there is none.
func TestLogitWithoutAFit(t *testing.T) {
	for name, x := range map[string][][]float64{
		"separated": {{1}, {2}, {-1}, {-3}},
		"twice":     {{1, 2}, {-1, -2}, {2, 4}, {1, 2}},
		"zero":      {{1, 0}, {-1, 0}, {-2, 0}, {1, 0}},
		"no row":    nil,
	} {
		if fit := stats.FitLogistic(x, []bool{true, true, false, false}[:len(x)], []int{0, 1, 2, 3}[:len(x)]); fit != nil {
			t.Errorf("%s: %+v", name, fit)
		}
	}
}

// TestLogitCovers: intervals of 95 % hold the coefficients that the rows were drawn with, each in 93 to 97 % of
// 1,000 draws.
func TestLogitCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(21, 34))
	want := []float64{0.8, -0.3, 0}
	const times = 1000
	held := make([]int, len(want))
	for range times {
		var x [][]float64
		var y []bool
		var cluster []int
		for i := range 250 {
			a := rng.NormFloat64()
			b := rng.NormFloat64()
			for _, place := range []float64{1, -1} {
				row := []float64{a, place, b}
				eta := 0.0
				for j, v := range row {
					eta += want[j] * v
				}
				x = append(x, row)
				y = append(y, rng.Float64() < 1/(1+math.Exp(-eta)))
				cluster = append(cluster, i)
			}
		}
		fit := stats.FitLogistic(x, y, cluster)
		for j, beta := range want {
			if in := fit.Interval(j, 0.95); in.Low <= beta && beta <= in.High {
				held[j]++
			}
		}
	}
	for j, n := range held {
		if n < 930 || n > 970 {
			t.Errorf("coefficient %d is held in %d of %d", j, n, times)
		}
	}
	t.Log(held)
}
