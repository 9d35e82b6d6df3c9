package stats

import (
	"math"
)

// Agreement returns the share of units to which two raters give the same category. counts is their table with k×k
// cells: counts[i*k+j] units are in category i by the first rater and in j by the second.
func Agreement(counts []float64, k int) float64 {
	same, all := 0.0, 0.0
	for i, n := range counts {
		all += n
		if i%(k+1) == 0 {
			same += n
		}
	}
	return same / all
}

// Kappa returns Cohen's κ, the agreement beyond chance of two raters; counts and k are those of [Agreement]. It
// returns NaN if both raters use one category alone, where agreement by chance is already perfect.
//
// Source: Cohen, Educational and Psychological Measurement 20 (1960), 37–46.
func Kappa(counts []float64, k int) float64 {
	first, second, all := margins(counts, k)
	if all == 0 {
		return math.NaN()
	}
	chance := 0.0
	for i := range k {
		chance += first[i] * second[i]
	}
	return beyondChance(Agreement(counts, k), chance)
}

// AC1 returns Gwet's AC1, the agreement beyond chance of two raters, where guesses are even among the categories that
// either rater uses; counts and k are those of [Agreement]. Unlike κ it does not fall when nearly all units are in one
// category.
//
// Source: Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008), 29–48.
func AC1(counts []float64, k int) float64 {
	first, second, all := margins(counts, k)
	if all == 0 || k < 2 {
		return math.NaN()
	}
	chance, used := 0.0, 0
	for i := range k {
		if mean := (first[i] + second[i]) / 2; mean > 0 {
			chance += mean * (1 - mean)
			used++
		}
	}
	return beyondChance(Agreement(counts, k), chance/max(1, float64(used-1)))
}

// beyondChance returns the share of the possible agreement beyond chance that raters reach; both arguments are shares.
func beyondChance(agreed, chance float64) float64 {
	if chance >= 1 {
		return math.NaN()
	}
	return (agreed - chance) / (1 - chance)
}

// margins returns the share of units in each category by each of two raters, and the number of all units.
func margins(counts []float64, k int) (first, second []float64, all float64) {
	first, second = make([]float64, k), make([]float64, k)
	for i := range k {
		for j := range k {
			n := counts[i*k+j]
			first[i], second[j] = first[i]+n, second[j]+n
			all += n
		}
	}
	for i := range k {
		first[i], second[i] = first[i]/all, second[i]/all
	}
	return first, second, all
}
