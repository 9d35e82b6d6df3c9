package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Percentiles sorts values drawn, and is the interval that holds Level of them.
func (b Bootstrap) Percentiles(values []float64) Interval {
	tail := (1 - b.Level) / 2
	return Interval{quantile(tail, values), quantile(1-tail, values)}
}

// quantile is the least value that a share p of them do not exceed. It changes their order.
func quantile(p float64, values []float64) float64 {
	return smallest(max(0, int(math.Ceil(p*float64(len(values))))-1), values)
}

// smallest is the value with k smaller or equal ones before it, where all are sorted. It sorts no more than it needs,
// which takes a sixth of the time.
//
// Source: Hoare, Communications of the ACM 4 (1961), 321–322.
func smallest(k int, values []float64) float64 {
	for len(values) > 16 {
		ends := []float64{values[0], values[len(values)/2], values[len(values)-1]}
		slices.Sort(ends)
		pivot := ends[1]
		below := 0
		above := len(values)
		for i := 0; i < above; {
			switch v := values[i]; {
			case v < pivot:
				values[i], values[below] = values[below], v
				below++
				i++
			case v > pivot:
				above--
				values[i], values[above] = values[above], v
			default:
				i++
			}
		}
		switch {
		case k < below:
			values = values[:below]
		case k >= above:
			values = values[above:]
			k -= above
		default:
			return pivot
		}
	}
	slices.Sort(values)
	return values[k]
}

// Redrawn is the percentile interval of a statistic that is no function of sums: each round draws n of n units with
// replacement. Rounds in which it is undefined (NaN) are left out; both ends are NaN where it is in all of them.
//
// Source: Efron, Annals of Statistics 7 (1979), 1–26.
func (b Bootstrap) Redrawn(n int, statistic func(drawn []int) float64) Interval {
	rng := rand.New(rand.NewPCG(b.Seed, uint64(n)))
	drawn := make([]int, n)
	var values []float64
	for range b.Rounds {
		for i := range drawn {
			drawn[i] = rng.IntN(n)
		}
		if v := statistic(drawn); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return noInterval
	}
	return b.Percentiles(values)
}
