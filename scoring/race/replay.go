package race

import (
	"math"
	"slices"
)

// Replay runs a race on judgments that are there already: right[j][i] tells whether judge j is right on item i. order
// are the items as they are taken.
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

// Orders are what races over the same judgments in several orders come to.
type Orders struct {
	Tried int `json:"tried"` // races
	Erred int `json:"erred"` // those whose leader is behind the best one of all judgments, by more than the margin
	// Calls are those of a race, the median of all; half of one where two stand in the middle.
	Calls float64 `json:"calls_median"`
}

// ReplayAll runs the race in as many orders as there are seeds, of which order makes an order each. calls is how many a
// judge needs for an item.
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

// Behind is by what share of all items a judge is right less often than the best one.
func Behind(right [][]bool, judge int) float64 {
	most := math.Inf(-1)
	for j := range right {
		most = math.Max(most, share(right[j]))
	}
	return most - share(right[judge])
}

func share(right []bool) float64 {
	k := 0
	for _, is := range right {
		k += number(is)
	}
	return float64(k) / float64(len(right))
}
