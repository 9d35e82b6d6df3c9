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
		got, want := stats.Binary(float64(n), sx, sy, both), stat.Correlation(x, y, nil)
		if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v and %v: %v, gonum has %v", x, y, got, want)
		}
	}
}

func TestBinaryAtItsEnds(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name          string
		n, x, y, both float64
		want          float64
	}{
		{"the same", 36096, 12345, 12345, 12345, 1},
		{"opposites", 36097, 12345, 36097 - 12345, 0, -1},
		{"nothing", 0, 0, 0, 0, nan},
		{"one", 1, 1, 1, 1, nan},
		{"x constant", 5, 5, 2, 2, nan},
		{"y constant", 5, 2, 0, 0, nan},
		{"independent", 4, 2, 2, 1, 0},
	} {
		if got := stats.Binary(c.n, c.x, c.y, c.both); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPartial(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name       string
		xy, xz, yz float64
		want       float64
	}{
		{"nothing to take out", 0.3, 0, 0, 0.3},
		{"all is z's", 0.06, 0.2, 0.3, 0},
		{"by hand", 0.5, 0.6, 0.8, 0.02 / 0.48},
		{"x is z", 0.5, 1, 0.5, nan},
		{"y is z's opposite", -0.5, 0.5, -1, nan},
		{"undefined", 0.5, nan, 0.5, nan},
		{"undefined xy", nan, 0.1, 0.5, nan},
		{"past the end by rounding", 1, 0.9999999999999999, 0.9999999999999999, 1},
		{"past the lower end", -1, 0.9999999999999999, -0.9999999999999999, -1},
	} {
		if got := stats.Partial(c.xy, c.xz, c.yz); math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
