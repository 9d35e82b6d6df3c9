package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gavel/scoring/stats"
)

func TestBinaryIsPearson(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 2 + rng.IntN(40)
		x, y := make([]float64, n), make([]float64, n)
		var sx, sy, both float64
		for i := range n {
			x[i], y[i] = float64(rng.IntN(2)), float64(rng.IntN(2))
			sx, sy, both = sx+x[i], sy+y[i], both+x[i]*y[i]
		}
		got, want := stats.BinaryCorrelation(float64(n), sx, sy, both), stat.Correlation(x, y, nil)
		if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v and %v: %v, gonum has %v", x, y, got, want)
		}
	}
}
