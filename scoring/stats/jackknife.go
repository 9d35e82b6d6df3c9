package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// maxJackknifeParts is the largest number of parts of the units that [Jackknife] leaves out in turn.
const maxJackknifeParts = 200

// Jackknife returns the interval of a statistic of n units by its values without each unit, or each part of many
// units. It is symmetric on the scale of Fisher's z if the statistic is bounded by ±1, else on the statistic's own
// scale. If the value is ±1, so that the values do not vary, it is that of a share of n of n units by Clopper and
// Pearson, stretched to the range from −1 to 1.
//
// Source: Tukey, Annals of Mathematical Statistics 29 (1958), 614; Efron and Tibshirani, An Introduction to the
// Bootstrap (1993), Section 11.
func Jackknife(n int, statistic func(sample []int) float64, bounded bool, level float64) Interval {
	parts := min(n, maxJackknifeParts)
	values := make([]float64, parts+1) // without each part, and of all units
	for k := range values {
		var sample []int
		for i := range n {
			if i%parts != k {
				sample = append(sample, i)
			}
		}
		values[k] = statistic(sample)
		if bounded {
			values[k] = math.Atanh(min(1, values[k]))
		}
	}
	freedom, z := float64(parts-1), values[parts]
	half := studentCritical(level, freedom) * freedom * math.Sqrt(stat.Variance(values[:parts], nil)/(freedom+1))
	switch {
	case bounded && math.Abs(z) > 15: // the value is 1 or −1, up to rounding
		sign, end := math.Tanh(z), 2*math.Pow((1-level)/2, 1/float64(n))-1
		return Interval{Low: min(sign, sign*end), High: max(sign, sign*end)}
	case bounded:
		return Interval{Low: math.Tanh(z - half), High: math.Tanh(z + half)}
	}
	return Interval{Low: z - half, High: z + half}
}
