package race

import (
	"math"
	"slices"
)

// Replay runs a race over existing judgments, taking the items in order: right[j][i] reports whether judge j is
// right on item i.
func Replay(right [][]bool, order []int, rules Rules) *Race {
	r := New(len(right), rules)
	for {
		j, _, ok := r.Next()
		if !ok {
			return r
		}
		r.Add(right[j][order[r.Outcomes(j)]])
	}
}

// Orders summarizes races over the same judgments in several orders.
type Orders struct {
	Races  int `json:"tried"` // number of races
	Errors int `json:"erred"` // races whose leader is behind the best judge of the full data by more than the margin
	// Calls is the median number of calls of a race.
	Calls float64 `json:"calls_median"`
}

// ReplayAll runs one race for each seed, with the items in order(seed). calls is the number of judgments per item.
func ReplayAll(right [][]bool, order func(seed int64) []int, seeds, calls int, rules Rules) Orders {
	o := Orders{Races: seeds}
	var spent []int
	for seed := range seeds {
		r := Replay(right, order(int64(seed+1)), rules)
		spent = append(spent, calls*r.Judgments())
		if Shortfall(right, r.Remaining()[0]) > rules.Margin+1e-9 {
			o.Errors++
		}
	}
	if slices.Sort(spent); seeds > 0 {
		o.Calls = float64(spent[(seeds-1)/2]+spent[seeds/2]) / 2
	}
	return o
}

// Shortfall returns the difference between the best judge's share of right items and this judge's.
func Shortfall(right [][]bool, judge int) float64 {
	best := math.Inf(-1)
	for j := range right {
		best = math.Max(best, shareOf(right[j]))
	}
	return best - shareOf(right[judge])
}
