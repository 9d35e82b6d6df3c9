package pairwise

import (
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// A metric has its words: whoever adds one is asked for them here.
func TestEveryMetricHasWords(t *testing.T) {
	for _, m := range append(NewScorer(new(judging.Manifest)).Sheet(scoring.MissingWrong, 0).Metrics, referenceMetrics...) {
		if _, ok := scoring.TermIn(terms, m.Name); !ok {
			t.Errorf("terms does not say what %s is", m.Name)
		}
	}
}
