package verdicts

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// Ranked holds a model's place among several.
type Ranked struct {
	Model string `json:"model"`
	Ranks [2]int `json:"ranks"` // first and last possible rank
	// log odds of winning against the average of the models
	Strength float64 `json:"strength"`
	// probability of winning against the model with the most wins, in percent
	Against scoring.Result `json:"against_first"`
}

// rank sets the ranking of three models or more by the model of Bradley and Terry, a logistic regression of consistent
// verdicts. One win of each side is added between every two models that met, so that all strengths are finite. Ranks
// count the models that are significantly better or worse, with Bonferroni's correction over all pairs of models. There
// is no ranking if pairs do not connect all models.
//
// Source: Agresti, Categorical Data Analysis (2013), §11.6.
func (r *Result) rank(items []*item) {
	var games [][2]int // winner and loser of each pair
	var clusters []int
	for _, x := range items {
		if x.Consistent {
			winner := slices.Index(r.Responses, x.Verdict)
			loser := slices.Index(r.Responses, x.models[0]) + slices.Index(r.Responses, x.models[1]) - winner
			games = append(games, [2]int{winner, loser})
			clusters = append(clusters, x.cluster)
		}
	}
	n := len(r.Responses)
	for i := range n * n {
		game, back := [2]int{i / n, i % n}, [2]int{i % n, i / n}
		if i/n < i%n && (slices.Contains(games, game) || slices.Contains(games, back)) {
			games = append(games, game, back)
			clusters = append(clusters, -i, -i)
		}
	}
	ranking := make([]Ranked, n)
	for zero := range ranking { // the strengths of the others are relative to it
		var rows [][]float64
		for _, g := range games {
			row := make([]float64, n)
			row[g[0]], row[g[1]] = 1, -1
			rows = append(rows, slices.Delete(row, zero, zero+1))
		}
		fit := stats.Logit(rows, slices.Repeat([]bool{true}, len(games)), clusters)
		if fit == nil {
			return
		}
		x := &ranking[zero]
		x.Model = r.Responses[zero]
		x.Ranks = [2]int{1, n}
		x.Strength = *scoring.Fraction(-floats.Sum(fit.Beta) / float64(n))
		for j, lead := range fit.Beta {
			if zero == 0 {
				iv := fit.Interval(j, level)
				ranking[j+1].Against = scoring.Result{Value: chance(lead), Low: chance(iv.Low), High: chance(iv.High)}
			}
			if significant := fit.Test(j)*float64(n*(n-1)/2) < 1-level; significant && lead > 0 {
				x.Ranks[0]++
			} else if significant {
				x.Ranks[1]--
			}
		}
	}
	slices.SortStableFunc(ranking, func(a, b Ranked) int { return cmp.Compare(b.Strength, a.Strength) })
	r.Ranking = ranking
}

// chance returns the probability of winning, in percent, from its log odds.
func chance(odds float64) *float64 {
	return scoring.Percent(stats.Logistic{Beta: []float64{odds}}.P([]float64{1}))
}
