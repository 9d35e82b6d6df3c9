package verdicts

import (
	"cmp"
	"math"
	"slices"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// Ranked holds a model's place among several.
type Ranked struct {
	Model   string         `json:"model"`
	Ranks   [2]int         `json:"ranks"`         // first and last possible rank
	Against scoring.Result `json:"against_first"` // probability of winning against the first of `responses`, in percent
}

// rank sets the ranking of three models or more by the model of Bradley and Terry, a logistic regression of consistent
// verdicts. One win of each side is added between every two models, so that all strengths are finite. Ranks count the
// models that are significantly better or worse, with Bonferroni's correction over all pairs of models.
//
// Source: Agresti, Categorical Data Analysis (2013), §11.6.
func (r *Result) rank(items []*item) {
	var games [][2]int // winner and loser of each pair
	var clusters []int
	for _, x := range items {
		if x.Consistent {
			other := x.models[0]
			if other == x.Verdict {
				other = x.models[1]
			}
			games = append(games, [2]int{slices.Index(r.Responses, x.Verdict), slices.Index(r.Responses, other)})
			clusters = append(clusters, x.cluster)
		}
	}
	n := len(r.Responses)
	for i := range n * n {
		if i/n != i%n {
			games = append(games, [2]int{i / n, i % n})
			clusters = append(clusters, -i)
		}
	}
	chance := func(odds float64) *float64 { return scoring.Percent(1 / (1 + math.Exp(-odds))) }
	r.Ranking = make([]Ranked, n)
	for zero, model := range r.Responses { // the strengths of the others are relative to it
		var rows [][]float64
		for _, g := range games {
			row := make([]float64, n)
			row[g[0]], row[g[1]] = 1, -1
			rows = append(rows, slices.Delete(row, zero, zero+1))
		}
		fit := stats.Logit(rows, slices.Repeat([]bool{true}, len(games)), clusters)
		x := &r.Ranking[zero]
		x.Model = model
		x.Ranks = [2]int{1, n}
		for j, lead := range fit.Beta {
			if zero == 0 {
				iv := fit.Interval(j, level)
				r.Ranking[j+1].Against = scoring.Result{Value: chance(lead), Low: chance(iv.Low), High: chance(iv.High)}
			}
			switch p := fit.Test(j) * float64(n*(n-1)/2); {
			case p >= 1-level:
			case lead > 0:
				x.Ranks[0]++
			default:
				x.Ranks[1]--
			}
		}
	}
	r.Ranking[0].Against.Value = chance(0)
	slices.SortStableFunc(r.Ranking, func(a, b Ranked) int { return cmp.Compare(*b.Against.Value, *a.Against.Value) })
}
