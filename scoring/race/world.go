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
