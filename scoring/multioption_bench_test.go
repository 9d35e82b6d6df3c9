package scoring_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gavel/scoring/stats"
)

// A run of the size of the paper's: 3,482 items, most of them of 2 to 5 options,
// scored as results.json is.
func BenchmarkScoreOptions(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var items []optionItem
	for i := range 3482 {
		n := []int{2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 9}[i%13]
		a := optionItem{id: fmt.Sprintf("i%05d", i), gold: "01"}
		for range n {
			a.places = append(a.places, 1+rng.IntN(n))
		}
		items = append(items, a)
	}
	run := optionRun(b, nil, items...)
	for b.Loop() {
		run.Score(stats.Default)
	}
}
