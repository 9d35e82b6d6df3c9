package stats

import (
	"math"
	"testing"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 5e-5) {
		t.Errorf("%s: %.5f, want %.5f", name, got, want)
	}
}

// r = 4/5; atanh 0.8 = 1.09861, and for four points the half width is 1.95996/√1.
func TestPearsonByHand(t *testing.T) {
	r, iv := Pearson([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 0.95)
	near(t, "r", r, 0.8)
	near(t, "low", iv.Low, math.Tanh(1.09861-1.95996))
	near(t, "high", iv.High, math.Tanh(1.09861+1.95996))
	if _, iv := Pearson([]float64{1, 2, 3}, []float64{1, 3, 2}, 0.95); iv != (Interval{-1, 1}) {
		t.Errorf("three points: %v", iv)
	}
	if r, iv := Pearson([]float64{1, 1, 1, 1}, []float64{1, 3, 2, 4}, 0.95); !math.IsNaN(r) || !math.IsNaN(iv.Low) {
		t.Errorf("constant: %v %v", r, iv)
	}
	if r, iv := Pearson([]float64{1, 2, 3, 4}, []float64{2, 4, 6, 8}, 0.95); r != 1 || iv.High != 1 {
		t.Errorf("on a line: %v %v", r, iv)
	}
}

// The line is y = x − 2 with residuals of ±0.1 on four points and 0 on one: Sxx = 10, s² = 0.04/3, t = 3.18245 with 3
// degrees of freedom. So g = t²s²/Sxx = 0.0135040, and the ends are 2 ± √((1−g)·t²s²/5)/(1−g).
func TestCrossoverByHand(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4}
	crossing, iv, slope := ZeroCrossing(x, []float64{-2.1, -0.9, 0, 1.1, 1.9}, 0.95)
	near(t, "slope", slope, 1)
	near(t, "at", crossing, 2)
	near(t, "low", iv.Low, 2-0.16546)
	near(t, "high", iv.High, 2+0.16546)
	for name, y := range map[string][]float64{"no slope": {1, -1, 1, -1, 1}, "constant": {2, 2, 2, 2, 2}} {
		if crossing, iv, slope := ZeroCrossing(x, y, 0.95); slope != 0 || !math.IsNaN(crossing) || !math.IsNaN(iv.Low) {
			t.Errorf("%s: %v %v %v", name, crossing, iv, slope)
		}
	}
	if _, _, slope := ZeroCrossing([]float64{2, 2, 2, 2, 2}, x, 0.95); slope != 0 {
		t.Errorf("all judges answer alike: %v", slope)
	}
}
