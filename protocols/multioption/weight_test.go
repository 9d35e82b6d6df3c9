package multioption

import (
	"math"
	"strings"
	"testing"

	"gavel/scoring"
)

// TestGradeWeight: by hand, of four positions two are chosen twice each (LLM score 1/2), one option three times of four
// (choice score 3/4). Twice the weight of the choice score gives 3/(1/0.5 + 2/0.75); no weight is the paper's harmonic mean.
func TestGradeWeight(t *testing.T) {
	for weight, want := range map[float64]float64{0: 0.6, 1: 0.6, 2: 9.0 / 14, 1e9: 0.75, 1e-9: 0.5} {
		b := &ballot{ids: []string{"A", "B", "C", "D"}, equalTextClass: []int{0, 1, 2, 3}, weight: weight, positions: []int{0, 0, 1, 1},
			orders: [][]int{{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 0, 1, 2}, {2, 3, 0, 1}}}
		g := b.scores(scoring.MissingUsable)
		if math.Abs(g[llmIndex]-0.5) > 1e-9 || math.Abs(g[choiceIndex]-0.75) > 1e-9 || math.Abs(g[gradeIndex]-want) > 1e-6 {
			t.Errorf("weight %v: %+v, want %v", weight, g, want)
		}
		// A judge that guesses has the same weights, also where another weight was computed before.
		mean := cachedMean(b, scoring.MissingUsable)
		if exact := exactMean(b, scoring.MissingUsable); mean != exact || alwaysFirst(b)[gradeIndex] != 0 || alwaysSameScores(b)[gradeIndex] == 0 {
			t.Errorf("weight %v: by chance %+v, want %+v", weight, mean, exact)
		}
	}
	f := &multiOptionScorer{choiceWeight: 2}
	if w := strings.Join(f.warnings(nil, ""), ""); !strings.Contains(w, "the choice score has the weight 2") {
		t.Errorf("%q", w)
	}
	if w := (&multiOptionScorer{}).warnings(nil, ""); w != nil {
		t.Errorf("%q", w)
	}
}
