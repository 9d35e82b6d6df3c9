package race

import (
	"math"
	"slices"
)

// Replay runs a race over existing judgments: right[j][i] reports whether judge j is right on item i. The race takes
// the items in an order.
func Replay(right [][]bool, order []int, rules Rules) *Race {
	r := New(len(right), rules)
	for {
		j, _, ok := r.Next()
		if !ok {
			return r
		}
		r.Add(right[j][order[r.Asked(j)]])
	}
}

// Orders sums up races over the same judgments in several orders.
type Orders struct {
	Tried int `json:"tried"` // races
	Erred int `json:"erred"` // those whose leader is behind the best one of all judgments, by more than the margin
	// Calls are those of a race, the median of all; half of one where two stand in the middle.
	Calls float64 `json:"calls_median"`
}

// ReplayAll runs a race for each of several seeds, in the order that order makes of it. calls is the number of
// judgments of an item.
func ReplayAll(right [][]bool, order func(seed int64) []int, seeds, calls int, rules Rules) Orders {
	o := Orders{Tried: seeds}
	var spent []int
	for seed := range seeds {
		r := Replay(right, order(int64(seed+1)), rules)
		spent = append(spent, calls*r.Judgments())
		if Behind(right, r.In()[0]) > rules.Margin+1e-9 {
			o.Erred++
		}
	}
	if slices.Sort(spent); seeds > 0 {
		o.Calls = float64(spent[(seeds-1)/2]+spent[seeds/2]) / 2
	}
	return o
}

// Behind returns the difference between the best judge's share of right items and this judge's.
func Behind(right [][]bool, judge int) float64 {
	most := math.Inf(-1)
	for j := range right {
		most = math.Max(most, shareOf(right[j]))
	}
	return most - shareOf(right[judge])
}
