package stats

import (
	"math"
	"math/rand/v2"
)

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
		return Interval{math.NaN(), math.NaN()}
	}
	return b.Percentiles(values)
}

// Swapped is [Permutation.Exchange] of a difference that is no function of sums: of each of n units it is told whether
// the two sides are exchanged.
func (p Permutation) Swapped(n int, difference func(swapped []bool) float64) float64 {
	swapped := make([]bool, n)
	found := math.Abs(difference(swapped))
	if math.IsNaN(found) {
		return math.NaN()
	}
	least := found - 1e-9*max(1, found)
	isFar := func() int {
		if math.Abs(difference(swapped)) < least {
			return 0
		}
		return 1 // NaN too
	}
	far := 0
	if ways := math.Pow(2, float64(n)); ways <= float64(p.Rounds) {
		for way := range int(ways) {
			for i := range swapped {
				swapped[i] = way>>i&1 == 1
			}
			far += isFar()
		}
		return float64(far) / ways
	}
	rng := rand.New(rand.NewPCG(p.Seed, uint64(n)))
	for range p.Rounds {
		for i := range swapped {
			swapped[i] = rng.IntN(2) == 1
		}
		far += isFar()
	}
	return float64(far+1) / float64(p.Rounds+1)
}

// Spearman is the rank correlation of the first two columns: Pearson's of their ranks, where equal values share the
// mean of theirs. NaN where one of them never varies.
//
// Source: Spearman, American Journal of Psychology 15 (1904), 72–101.
func Spearman(rows [][]float64) float64 {
	var ranks [2][]float64
	for side := range ranks {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = row[side]
		}
		ranks[side] = ranksOf(values)
	}
	mean := float64(len(rows)+1) / 2
	var xy, xx, yy float64
	for i, x := range ranks[0] {
		y := ranks[1][i]
		xy += (x - mean) * (y - mean)
		xx += (x - mean) * (x - mean)
		yy += (y - mean) * (y - mean)
	}
	return xy / math.Sqrt(xx*yy) // 0/0 is NaN: undefined
}

// ranksOf are the ranks of values, from 1; equal ones share the mean of theirs.
func ranksOf(values []float64) []float64 {
	order := ascending(values)
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}
