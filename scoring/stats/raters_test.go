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

// TestRatersOfOneTable holds the three coefficients to figures that other implementations give for one table.
func TestRatersOfOneTable(t *testing.T) {
	counts := []float64{13, 0, 0, 0, 20, 7, 0, 4, 56}
	is(t, stats.Agreed(counts, 3), 0.89, 1e-12)
	is(t, stats.Kappa(counts, 3), 0.7964094, 5e-8)
	is(t, stats.AC1(counts, 3), 0.8493305, 5e-8)
	coincidences := make([]float64, 9)
	for i, n := range counts {
		for range int(n) {
			stats.Coincide(coincidences, 3, []int{i / 3, i % 3})
		}
	}
	is(t, stats.Alpha(coincidences, 3, stats.Nominal), 0.7972585, 5e-8)
}

// TestAlphaOfRatersWhoLeaveUnitsOut is the example of Krippendorff's "Computing Krippendorff's alpha-reliability" (2011).
func TestAlphaOfRatersWhoLeaveUnitsOut(t *testing.T) {
	raters := [][]int{
		{none, none, none, none, none, 3, 4, 1, 2, 1, 1, 3, 3, none, 3},
		{1, none, 2, 1, 3, 3, 4, 3, none, none, none, none, none, none, none},
		{none, none, 2, 1, 3, 4, 4, none, 2, 1, 1, 3, 3, none, 4},
	}
	const k = 5
	coincidences := make([]float64, k*k)
	for unit := range raters[0] {
		stats.Coincide(coincidences, k, []int{raters[0][unit], raters[1][unit], raters[2][unit]})
	}
	is(t, stats.Alpha(coincidences, k, stats.Nominal), 0.691358, 5e-7)
	is(t, stats.Alpha(coincidences, k, squaredDistance), 0.810845, 5e-7)
	is(t, stats.Alpha(coincidences, k, stats.Ordinal), ordinalByHand(coincidences, k), 1e-12)
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

// TestAC1IsOfCategoriesInUse: a category that neither rater names is none of those that chance chooses from. The
// figures are irrCAC's (gwet) and statsmodels' (cohens_kappa); the first by hand: agreed .9, by chance 2·.5·.5 = .5,
// AC1 .4/.5.
func TestAC1IsOfCategoriesInUse(t *testing.T) {
	for _, c := range []struct {
		counts     []float64
		ac1, kappa float64
	}{
		{[]float64{18, 0, 2, 0, 0, 0, 2, 0, 18}, 0.8, 0.8},
		{[]float64{25, 0, 3, 0, 0, 0, 5, 0, 7}, 0.66736, 0.5},
		{[]float64{30, 0, 1, 0, 0, 0, 6, 0, 3}, 0.75955, 0.375},
		{[]float64{1, 0, 19, 0, 0, 0, 18, 0, 2}, -0.84884, -0.85},
		{[]float64{12, 5, 3, 0, 0, 0, 4, 1, 15}, 0.54664, 0.4347826}, // one rater names the second
	} {
		is(t, stats.AC1(c.counts, 3), c.ac1, 5e-6)
		is(t, stats.Kappa(c.counts, 3), c.kappa, 5e-8)
	}
	is(t, stats.AC1([]float64{7, 0, 0, 0, 0, 0, 0, 0, 0}, 3), 1, 0)
}

func TestRatersWithNothingToAgreeOn(t *testing.T) {
	all := []float64{7, 0, 0, 0}
	assert.Assert(t, math.IsNaN(stats.Kappa(all, 2)))
	assert.Equal(t, stats.AC1(all, 2), 1.0)
	assert.Assert(t, math.IsNaN(stats.Alpha(all, 2, stats.Nominal)))
	assert.Assert(t, math.IsNaN(stats.Kappa(make([]float64, 4), 2)))
}

// TestChanceIsNoAgreement: raters who name categories independently of each other have κ and α near 0.
func TestChanceIsNoAgreement(t *testing.T) {
	counts := []float64{24, 36, 16, 24} // shares .6 × .4 and .4 × .6
	is(t, stats.Kappa(counts, 2), 0, 1e-12)
}
