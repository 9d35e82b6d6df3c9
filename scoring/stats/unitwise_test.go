package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

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
		bySums := how.Exchange(&rows, func(a, b []float64) float64 { return b[0] - a[0] })
		byUnits := how.ExchangeUnits(n, func(swapped []int) (sum float64) {
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

func TestRedrawnMean(t *testing.T) {
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
	iv := stats.Default.PercentileInterval(len(values), mean)
	if width := iv.High - iv.Low; math.Abs(width-2*1.96/20) > 0.02 {
		t.Errorf("%v is %v wide, the mean of 400 normal values has 0.196", iv, width)
	}
	never := func([]int) float64 { return math.NaN() }
	if iv := stats.Default.PercentileInterval(3, never); !math.IsNaN(iv.Low) || !math.IsNaN(iv.High) {
		t.Errorf("of what is never defined: %v", iv)
	}
}
