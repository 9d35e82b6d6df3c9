package stats

import "math"

// Agreed is how often two raters name the same category, of a confusion matrix: counts[i*k+j] units are in category i
// by the first and in j by the second.
func Agreed(counts []float64, k int) float64 {
	same, all := 0.0, 0.0
	for i, n := range counts {
		all += n
		if i%(k+1) == 0 {
			same += n
		}
	}
	return same / all
}

// Kappa is Cohen's κ of a confusion matrix (see [Agreed]); NaN where both name one category alone, and
// nothing is left to agree on.
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
	return beyond(Agreed(counts, k), chance)
}

// AC1 is Gwet's AC1 of a confusion matrix: agreement beyond chance, where raters who guess do so evenly among the
// categories that either of them uses. Unlike κ it does not fall when nearly all units are of one category.
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
	return beyond(Agreed(counts, k), chance/math.Max(1, float64(used-1)))
}

func beyond(agreed, chance float64) float64 {
	if chance >= 1 {
		return math.NaN()
	}
	return (agreed - chance) / (1 - chance)
}

// margins are the categories' shares by each rater.
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

// Scale is how far apart two categories of a scale are; of[c] is how often category c was named.
type Scale func(of []float64, a, b int) float64

// Nominal categories are the same or they are not.
func Nominal(_ []float64, a, b int) float64 {
	if a == b {
		return 0
	}
	return 1
}

// Ordinal categories are as far apart as many values lie between them, half of those at each end.
func Ordinal(of []float64, a, b int) float64 {
	if a > b {
		a, b = b, a
	}
	between := -(of[a] + of[b]) / 2
	for c := a; c <= b; c++ {
		between += of[c]
	}
	return between * between
}

// Coincide adds a unit to a matrix of coincidences: values are the categories that raters gave it, −1 where one
// gave none. A unit that fewer than two rated adds nothing.
func Coincide(coincidences []float64, k int, values []int) {
	of, rated := make([]float64, k), 0.0
	for _, v := range values {
		if v >= 0 {
			of[v]++
			rated++
		}
	}
	if rated < 2 {
		return
	}
	for a, n := range of {
		for b, m := range of {
			if a == b {
				m--
			}
			coincidences[a*k+b] += n * m / (rated - 1)
		}
	}
}

// Alpha is Krippendorff's α of a matrix of coincidences (see [Coincide]); NaN where all values are one category.
//
// Source: Krippendorff, Content Analysis, 2nd edition (2004), chapter 11.
func Alpha(coincidences []float64, k int, scale Scale) float64 {
	of, all := make([]float64, k), 0.0
	for i, n := range coincidences {
		of[i/k] += n
		all += n
	}
	observed, expected := 0.0, 0.0
	for a := range k {
		for b := range k {
			d := scale(of, a, b)
			observed += coincidences[a*k+b] * d
			expected += of[a] * of[b] * d
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - (all-1)*observed/expected
}
