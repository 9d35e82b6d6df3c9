package scoring_test

import (
	"math"
	"testing"

	"gavel/scoring"
)

// By hand: the means of (1,2) (2,4) (3,3) are 2 and 3, Σ(x−2)(y−3) = 1 + 0 + 0 =
// 1, Σ(x−2)² = 2: slope 0.5, intercept 3 − 1 = 2.
func TestFitLine(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y []float64
		want scoring.Line
		ok   bool
	}{
		{"by hand", []float64{1, 2, 3}, []float64{2, 4, 3}, scoring.Line{Intercept: 2, Slope: 0.5, N: 3}, true},
		{"a line itself", []float64{0, 10, 20, 30}, []float64{5, 4, 3, 2}, scoring.Line{Intercept: 5, Slope: -0.1, N: 4}, true},
		{"two points", []float64{1, 2}, []float64{2, 4}, scoring.Line{}, false},
		{"one above the other", []float64{1, 1, 1}, []float64{2, 4, 3}, scoring.Line{}, false},
		{"none", nil, nil, scoring.Line{}, false},
	} {
		got, ok := scoring.FitLine(c.x, c.y)
		if ok != c.ok || got.N != c.want.N || math.Abs(got.Intercept-c.want.Intercept) > 1e-12 || math.Abs(got.Slope-c.want.Slope) > 1e-12 {
			t.Errorf("%s: %+v %v, want %+v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestCross(t *testing.T) {
	cot, self := scoring.Line{Intercept: 50, Slope: 0.25}, scoring.Line{Intercept: 30, Slope: 0.75}
	for _, c := range []struct {
		name      string
		a, b      scoring.Line
		low, high float64
		want      float64
		ok        bool
	}{
		{"inside", cot, self, 20, 70, 40, true},
		{"the other way round", self, cot, 20, 70, 40, true},
		{"at the end", cot, self, 40, 70, 40, true},
		{"before the data", cot, self, 41, 70, 40, false},
		{"after the data", cot, self, 10, 39, 40, false},
		{"parallel", cot, scoring.Line{Intercept: 60, Slope: 0.25}, 0, 100, 0, false},
		{"the same", cot, cot, 0, 100, 0, false},
	} {
		x, ok := c.a.Cross(c.b, c.low, c.high)
		if ok != c.ok || ok && (x != c.want || c.a.At(x) != c.b.At(x)) {
			t.Errorf("%s: %g %v, want %g %v", c.name, x, ok, c.want, c.ok)
		}
	}
}
