package jury

import (
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
)

// TestWeighted: a juror who is sure outvotes two who are not.
func TestWeighted(t *testing.T) {
	sure := vote{judging.Verdict{Outcome: judging.Decided}, "A", map[string]float64{"A": 0.99, "B": 0.01}}
	unsure := vote{judging.Verdict{Outcome: judging.Decided}, "B", map[string]float64{"A": 0.45, "B": 0.55}}
	choice, said := settle([]vote{sure, unsure, unsure}, Weighted)
	assert.Equal(t, choice, "A")
	assert.Equal(t, said, 3)
	choice, _ = settle([]vote{sure, unsure, unsure}, Majority)
	assert.Equal(t, choice, "B")
}
