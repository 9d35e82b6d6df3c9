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
		how := stats.Permutation{Rounds: 4000, Seed: 1}
		bySums := how.Exchange(&rows, func(a, b []float64) float64 { return b[0] - a[0] })
		byUnits := how.Swapped(n, func(swapped []bool) (sum float64) {
			for i, v := range values {
				difference := v[1] - v[0]
				if swapped[i] {
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
	iv := stats.Default.Redrawn(len(values), mean)
	if width := iv.High - iv.Low; math.Abs(width-2*1.96/20) > 0.02 {
		t.Errorf("%v is %v wide, the mean of 400 normal values has 0.196", iv, width)
	}
	never := func([]int) float64 { return math.NaN() }
	if iv := stats.Default.Redrawn(3, never); !math.IsNaN(iv.Low) || !math.IsNaN(iv.High) {
		t.Errorf("of what is never defined: %v", iv)
	}
}

func TestSpearmanByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		rows [][]float64
		want float64
	}{
		{"nothing", nil, math.NaN()},
		{"one", [][]float64{{1, 1}}, math.NaN()},
		{"one value", [][]float64{{1, 1}, {1, 2}}, math.NaN()},
		{"a curve", [][]float64{{1, 1}, {2, 10}, {3, 1000}}, 1},
		{"falling", [][]float64{{1, 9}, {2, 5}, {3, 1}}, -1},
		{"1 − 6·6/(4·15)", [][]float64{{1, 2}, {2, 1}, {3, 4}, {4, 3}}, 0.6},
		// Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: Σxy = 4.5, Σx² = 4.5, Σy² = 5.
		{"a tie", [][]float64{{1, 1}, {2, 2}, {2, 3}, {3, 4}}, 4.5 / math.Sqrt(4.5*5)},
	} {
		got := stats.Spearman(c.rows)
		if math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
