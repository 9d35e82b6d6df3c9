package stats_test

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/scoring/stats"
)

func is(t *testing.T, have, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(have-want) <= tolerance) {
		t.Errorf("%v, want %v", have, want)
	}
}

// none is a rater who did not rate a unit.
const none = -1

// TestAlphaOfOneTable holds α to the figure that other implementations give for a table.
func TestAlphaOfOneTable(t *testing.T) {
	coincidences := make([]float64, 9)
	for i, n := range []int{13, 0, 0, 0, 20, 7, 0, 4, 56} {
		for range n {
			stats.AddCoincidences(coincidences, 3, []int{i / 3, i % 3})
		}
	}
	is(t, stats.KrippendorffAlpha(coincidences, 3, stats.Nominal), 0.7972585, 5e-8)
	is(t, stats.Agreement([]float64{13, 0, 0, 0, 20, 7, 0, 4, 56}, 3), 0.89, 1e-12)
	assert.Assert(t, math.IsNaN(stats.KrippendorffAlpha([]float64{7, 0, 0, 0}, 2, stats.Nominal)))
}

// TestAlphaOfRatersWhoLeaveUnitsOut is the example of Krippendorff's "Computing Krippendorff's
// alpha-reliability" (2011).
func TestAlphaOfRatersWhoLeaveUnitsOut(t *testing.T) {
	raters := [][]int{
		{none, none, none, none, none, 3, 4, 1, 2, 1, 1, 3, 3, none, 3},
		{1, none, 2, 1, 3, 3, 4, 3, none, none, none, none, none, none, none},
		{none, none, 2, 1, 3, 4, 4, none, 2, 1, 1, 3, 3, none, 4},
	}
	const k = 5
	coincidences := make([]float64, k*k)
	for unit := range raters[0] {
		stats.AddCoincidences(coincidences, k, []int{raters[0][unit], raters[1][unit], raters[2][unit]})
	}
	is(t, stats.KrippendorffAlpha(coincidences, k, stats.Nominal), 0.691358, 5e-7)
	is(t, stats.KrippendorffAlpha(coincidences, k, squaredDistance), 0.810845, 5e-7)
	is(t, stats.KrippendorffAlpha(coincidences, k, stats.Ordinal), ordinalByHand(coincidences, k), 1e-12)
}

// squaredDistance is the scale of categories that are numbers.
func squaredDistance(_ []float64, a, b int) float64 { return float64((a - b) * (a - b)) }

// ordinalByHand is α of an ordinal scale over every two values, with each value's rank in the middle of its ties.
func ordinalByHand(coincidences []float64, k int) float64 {
	var rank [5]float64
	of, all := make([]float64, k), 0.0
	for i, n := range coincidences {
		of[i/k] += n
	}
	for c, n := range of {
		rank[c] = all + n/2
		all += n
	}
	observed, expected := 0.0, 0.0
	for a := range k {
		for b := range k {
			d := (rank[a] - rank[b]) * (rank[a] - rank[b])
			observed += coincidences[a*k+b] * d
			expected += of[a] * of[b] * d / (all - 1)
		}
	}
	return 1 - observed/expected
}
