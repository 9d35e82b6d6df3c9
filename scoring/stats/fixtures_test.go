package stats_test

import (
	"math"

	"gavel/scoring/stats"
)

func ratio(s []float64) float64 { return s[0] / s[1] }

func near(a, b stats.Interval, tolerance float64) bool {
	return math.Abs(a.Low-b.Low) <= tolerance && math.Abs(a.High-b.High) <= tolerance
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
