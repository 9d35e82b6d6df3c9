package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gavel/scoring/stats"
)

// Of a mean both ways of exchanging and of resampling are to come to the same.
func TestUnitByUnitAsBySums(t *testing.T) {
	for _, n := range []int{1, 5, 8, 60} { // the last has more exchanges than are drawn
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		var rows stats.Rows
		values := make([][2]float64, n)
		for i := range values {
			values[i] = [2]float64{rng.Float64(), rng.Float64() + 0.15}
			rows.Add(values[i][:])
		}
		how := stats.Bootstrap{Rounds: 4000, Seed: 1}
		bySums := how.PermutationTest(&rows, func(a, b []float64) float64 { return b[0] - a[0] })
		byUnits := how.PermutationTestUnits(n, func(swapped []int) (sum float64) {
			for i, v := range values {
				difference := v[1] - v[0]
				if swapped[i] == 1 {
					difference = -difference
				}
				sum += difference
			}
			return sum
		})
		if math.Abs(bySums-byUnits) > 0.02 || n < 9 && bySums != byUnits {
			t.Errorf("%d units: p is %v by sums, %v unit by unit", n, bySums, byUnits)
		}
	}
}

// TestJackknifeOfAMean: of a mean, the jackknife is Student's interval; that of 400 values in 200 parts is as wide.
func TestJackknifeOfAMean(t *testing.T) {
	values := make([]float64, 400)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	mean := func(drawn []int) (sum float64) {
		for _, i := range drawn {
			sum += values[i]
		}
		return sum / float64(len(drawn))
	}
	iv := stats.Jackknife(12, mean, false, 0.95)
	center, deviation := stat.MeanStdDev(values[:12], nil)
	half := 2.200985 * deviation / math.Sqrt(12) // the quantile of t with 11 degrees of freedom
	if math.Abs(iv.Low-center+half) > 1e-6 || math.Abs(iv.High-center-half) > 1e-6 {
		t.Errorf("%v, want %v ± %v", iv, center, half)
	}
	iv = stats.Jackknife(len(values), mean, false, 0.95)
	if width := iv.High - iv.Low; math.Abs(width-2*1.96/20) > 0.02 {
		t.Errorf("%v is %v wide, the mean of 400 normal values has 0.196", iv, width)
	}
}

// TestJackknifeAtTheEnds: where all 20 units agree, the interval is that of 20 of 20, 1 − 2·(1 − 0.025^(1/20)); a
// statistic that is never defined has none.
func TestJackknifeAtTheEnds(t *testing.T) {
	for _, value := range []float64{1, -1, math.NaN()} {
		iv := stats.Jackknife(20, func([]int) float64 { return value }, true, 0.95)
		want := stats.Interval{Low: 0.663133, High: 1}
		if value == -1 {
			want = stats.Interval{Low: -1, High: -0.663133}
		}
		near := math.Abs(iv.Low-want.Low) < 1e-6 && math.Abs(iv.High-want.High) < 1e-6
		if near == math.IsNaN(value) || math.IsNaN(value) && !math.IsNaN(iv.Low) {
			t.Errorf("of %v: %v", value, iv)
		}
	}
}
