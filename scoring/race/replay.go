package race

import "slices"

// Replay runs a race over existing judgments with the items in the given order, a list of indexes: right[j][i] reports
// whether judge j is right on item i.
func Replay(right [][]bool, order []int, rules Rules) *Race {
	r := New(len(right), rules)
	for {
		j, _, ok := r.Next()
		if !ok {
			return r
		}
		r.Add(right[j][order[r.OutcomeCount(j)]])
	}
}

// Orders summarizes races over the same judgments, each with the items in another order.
type Orders struct {
	Races int `json:"tried"` // number of races
	// races whose leader, on all items, is behind the best judge by more than the margin
	WrongLeaders int `json:"erred"`
	// median number of judgments in a race
	MedianCalls float64 `json:"calls_median"`
}

// ReplayPerSeed runs one race for each of so many seeds, from 1, with the items in order(seed). calls is the number of
// judgments per item.
func ReplayPerSeed(right [][]bool, order func(seed int64) []int, seeds, calls int, rules Rules) Orders {
	o := Orders{Races: seeds}
	var spent []int
	for seed := range seeds {
		r := Replay(right, order(int64(seed+1)), rules)
		spent = append(spent, calls*r.Judgments())
		if ShareBehindBest(right, r.Remaining()[0]) > rules.TieMargin+1e-9 {
			o.WrongLeaders++
		}
	}
	if slices.Sort(spent); seeds > 0 {
		o.MedianCalls = float64(spent[(seeds-1)/2]+spent[seeds/2]) / 2
	}
	return o
}

// ShareBehindBest returns the best judge's share of right items minus that of this judge, 0 to 1.
func ShareBehindBest(right [][]bool, judge int) float64 {
	best := 0.0
	for _, outcomes := range right {
		best = max(best, shareOf(outcomes))
	}
	return best - shareOf(right[judge])
}
