package scoring_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

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

// All right or all wrong at one confidence: how far the accuracy may be from where it is has a beta distribution, and
// the error is how far that is from the confidence.
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
		if math.Abs(*e.Value-c.value) > 1e-6 || math.Abs(*e.Low-low) > 0.004 || math.Abs(*e.High-high) > 0.004 ||
			*e.Low >= *e.High {
			t.Errorf("%d at %g, named %s: %g [%g, %g], want %g [%g, %g]", c.n, c.p, c.named, *e.Value, *e.Low, *e.High, c.value, low, high)
		}
	}
}
