package scoring_test

import (
	"testing"

	"gavel/scoring"
)

func TestShares(t *testing.T) {
	for protocol, first := range map[string]string{"pairwise": "strict", "reversed": "strict", "answer": "generation-accuracy", "multi-option": "", "self-reference": "", "none": ""} {
		got := scoring.Shares(protocol)
		if (first == "") != (len(got) == 0) || first != "" && got[0] != first {
			t.Errorf("%s: %v", protocol, got)
		}
		t.Log(protocol, got)
	}
}
