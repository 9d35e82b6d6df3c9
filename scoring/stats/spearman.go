package stats

import (
	"math"
)

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
