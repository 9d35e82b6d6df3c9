package race

import (
	"math/rand/v2"

	"gavel/scoring/stats"
)

// World is a best judge, the first, and others, each behind it by a share of the n items: of each of them and the
// best one a share of the items are discordant. Nothing else is said of two others.
func World(rng *rand.Rand, judges, n int, behind float64) [][]bool {
	const best = 0.6 // how often it is right
	right := make([][]bool, judges)
	for j := range right {
		right[j] = make([]bool, n)
	}
	for i := range n {
		right[0][i] = rng.Float64() < best
		for j := 1; j < judges; j++ {
			flips := (stats.Discordant - behind) / 2 / (1 - best)
			if right[0][i] {
				flips = (stats.Discordant + behind) / 2 / best
			}
			right[j][i] = right[0][i] != (rng.Float64() < flips)
		}
	}
	return right
}

// Expected is what a race costs if the truth is so.
type Expected struct {
	Behind float64 `json:"behind"` // points by which all others are behind the best
	Share  float64 `json:"share"`  // percent of all judgments, the mean
	Found  float64 `json:"found"`  // percent of the times, the best alone is left
	Loads  float64 `json:"loads"`  // of models, where one is loaded at a time
}

// Expect races in simulated worlds under three guesses of the truth: all are alike, and the best is ahead of all
// others by 5 or by 10 points.
func Expect(judges int, rules Rules) (out []Expected) {
	worlds := min(200, max(20, 400_000/(judges*judges*max(1, rules.Items))))
	for _, points := range []float64{0, 5, 10} {
		rng := rand.New(rand.NewPCG(uint64(judges), uint64(rules.Items)))
		e := Expected{Behind: points}
		for range worlds {
			r := Replay(World(rng, judges, rules.Items, points/100), rng.Perm(rules.Items), rules)
			e.Share += 100 * float64(r.Judgments()) / float64(judges*rules.Items) / float64(worlds)
			e.Loads += float64(r.Loads()) / float64(worlds)
			if in := r.In(); len(in) == 1 && in[0] == 0 {
				e.Found += 100 / float64(worlds)
			}
		}
		out = append(out, e)
	}
	return out
}
