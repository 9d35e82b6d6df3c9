package stats_test

import (
	"fmt"

	"gavel/scoring/stats"
)

// 28 of 32 pairs are correct in both orders. What may be said of the judge?
func ExampleBlaker() {
	in := stats.Blaker(28, 32, 0.95)
	fmt.Printf("%.1f %% [%.1f, %.1f]\n", 100*28/32.0, 100*in.Low, 100*in.High)
	// Output:
	// 87.5 % [71.9, 95.6]
}

// Two judges on the same pairs: 12 are right by the first alone, 3 by the second alone. Three comparisons were made.
func ExampleMcNemar() {
	p := stats.McNemar(12, 3)
	fmt.Printf("%.4f, corrected %.4f\n", p, stats.Holm([]float64{p, 0.4, 0.7})[0])
	// Output:
	// 0.0352, corrected 0.1055
}
