package multioption

import (
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// A metric has its words: whoever adds one is asked for them here.
func TestEveryMetricHasWords(t *testing.T) {
	for _, m := range NewScorer(new(judging.Manifest)).Sheet(scoring.MissingUsable, 0).Metrics {
		if _, ok := scoring.TermIn(terms, m.Name); !ok {
			t.Errorf("terms does not say what %s is", m.Name)
		}
	}
}
