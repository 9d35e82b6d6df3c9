package scoring_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

var thorough = stats.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 5}

// sureUnits are n pairs whose judgments are all right, or all wrong, at one confidence.
func sureUnits(n int, p float64, named string) (units []twoJudgments) {
	for i := range n {
		u := unit(fmt.Sprintf("p%04d", i), "g", "A", named, named)
		u.p = []float64{p, p}
		units = append(units, u)
	}
	return units
}

// shapeOf a unit's weight: the mean of n units has the variance that Student's t has.
func shapeOf(n int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975) / distuv.UnitNormal.Quantile(0.975)
	return (float64(n-1)/(t*t) - 1) / float64(n)
}

// All right or all wrong at one confidence: how far the accuracy may be from where it is has a beta distribution, and the
// error is how far that is from the confidence.
func TestCalibrationErrorOfJudgesAllAlike(t *testing.T) {
	for _, c := range []struct {
		n         int
		p         float64
		named     string
		value     float64
		low, high func(q float64) float64 // by how far the accuracy may be off
	}{
		{50, 0.9, "A", 0.1, func(q float64) float64 { return 0.1 - q }, nil},
		{350, 0.99, "A", 0.01, func(q float64) float64 { return 0.01 - q }, nil},
		{50, 0.9, "B", 0.9, func(q float64) float64 { return 0.9 - q }, nil},
		{20, 1, "A", 0, nil, func(q float64) float64 { return q }},
		{20, 0.3, "B", 0.3, func(q float64) float64 { return 0.3 - q }, nil},
	} {
		e := runOf(sureUnits(c.n, c.p, c.named)...).Score(thorough).Calibration.ECE
		a := shapeOf(c.n)
		off := distuv.Beta{Alpha: a / 2, Beta: a * float64(c.n)}.Quantile(0.975)
		low, high := c.value, c.value
		if c.low != nil {
			low = c.low(off)
		}
		if c.high != nil {
			high = c.high(off)
		}
		if math.Abs(*e.Value-c.value) > 1e-6 || math.Abs(*e.Low-low) > 0.004 || math.Abs(*e.High-high) > 0.004 || *e.Low >= *e.High {
			t.Errorf("%d at %g, named %s: %g [%g, %g], want %g [%g, %g]", c.n, c.p, c.named, *e.Value, *e.Low, *e.High, c.value, low, high)
		}
	}
}

// plainBootstrap is the interval of the error of units of forecasts, one sum after the other. beside are what half a unit
// comes to: forecasts that make it less and such that make it more, with how many each of them counts for.
func plainBootstrap(units [][]forecast, worth float64) (low, high float64) {
	var flat []forecast
	for _, u := range units {
		flat = append(flat, u...)
	}
	ones := func(forecast) float64 { return 1 }
	value := eceOf(flat, ones)
	surer := map[int]float64{}
	for _, f := range flat {
		surer[tenth(f.p)] += f.p - scoring.One(f.right)
	}
	sums := map[int][2]float64{} // of the confidences of a bin
	for _, f := range flat {
		at := sums[tenth(f.p)]
		sums[tenth(f.p)] = [2]float64{at[0] + f.p, at[1] + 1}
	}
	size, a := worth/float64(len(units)), shapeOf(len(units))
	src := rand.NewPCG(23, 29)
	var lows, highs []float64
	for range thorough.Rounds {
		var all []forecast
		var weights []float64
		for _, u := range units {
			w := distuv.Gamma{Alpha: a, Beta: 1, Src: src}.Rand()
			for _, f := range u {
				all, weights = append(all, f), append(weights, w)
			}
		}
		extra := size * distuv.Gamma{Alpha: a / 2, Beta: 1, Src: src}.Rand()
		for side, end := range []*[]float64{&lows, &highs} {
			in, by := slices.Clone(all), slices.Clone(weights)
			for _, f := range flat {
				right := surer[tenth(f.p)] > 0
				if side == 1 {
					right = sums[tenth(f.p)][0] < sums[tenth(f.p)][1]/2
				}
				in, by = append(in, forecast{f.p, right}), append(by, extra)
			}
			i := -1
			*end = append(*end, eceOf(in, func(forecast) float64 { i++; return by[i] }))
		}
	}
	slices.Sort(lows)
	slices.Sort(highs)
	high = math.Max(value, highs[len(highs)*975/1000])
	return math.Max(0, math.Min(2*value-high, lows[len(lows)*25/1000])), high
}

func tenth(p float64) int { return int(math.Ceil(p * 10)) }

func eceOf(all []forecast, weight func(forecast) float64) (ece float64) {
	gap, sum := map[int]float64{}, 0.0
	for _, f := range all {
		w := weight(f)
		gap[tenth(f.p)] += w * (f.p - scoring.One(f.right))
		sum += w
	}
	for _, g := range gap {
		ece += math.Abs(g)
	}
	return ece / sum
}

// The interval of a judge that is right less often than it says, by a plain bootstrap: of pairs, and of clusters of pairs.
func TestCalibrationErrorByPlainBootstrap(t *testing.T) {
	trials.Long(t)
	rng := rand.New(rand.NewPCG(31, 37))
	const n = 60
	for _, each := range []int{1, 3} {
		var records []*judging.Record
		units := make([][]forecast, n/each)
		for i := range n {
			u := unit(fmt.Sprintf("%04d:1:a:%d", i/each, i%each), "g", "A", "A", "A")
			for s := range 2 {
				p := []float64{0.65, 0.88, 0.97}[rng.IntN(3)]
				right := rng.Float64() < p-0.35
				if !right {
					u.judgments[s] = "B"
				}
				u.p = append(u.p, p)
				units[i/each] = append(units[i/each], forecast{p, right})
			}
			for _, r := range u.records() {
				if each > 1 {
					r.Source = "mt-bench" // whose ids begin with the question
				}
				records = append(records, r)
			}
		}
		e := gather(t, pairsManifest(n), records).Score(thorough).Calibration.ECE
		worth := (1 + 0.3*float64(each-1)) / float64(each)
		low, high := plainBootstrap(units, worth)
		if math.Abs(*e.Low-low) > 0.004 || math.Abs(*e.High-high) > 0.004 || low < 0.1 {
			t.Errorf("clusters of %d: %g [%g, %g], by a plain bootstrap [%g, %g]", each, *e.Value, *e.Low, *e.High, low, high)
		}
	}
}
