package eval

import (
	"testing"

	"gavel/judging"
)

// TestSizeContext: a reply for each attempt, two where the label is a turn of its
// own, and no attempts where the protocol has none.
func TestSizeContext(t *testing.T) {
	pairwise, _ := judging.ProtocolNamed("pairwise")
	answer, _ := judging.ProtocolNamed("answer")
	for name, tt := range map[string]struct {
		protocol  judging.Protocol
		attempts  int
		constrain bool
		replies   int
	}{
		"attempts":                 {pairwise, 3, false, 3},
		"one attempt, constrained": {pairwise, 1, true, 2},
		"no attempts":              {answer, 3, false, 1},
		"constrained":              {answer, 3, true, 2},
	} {
		params := judging.Parameters{MaxTokens: 2048 - 32, VerdictAttempts: tt.attempts, Constrain: tt.constrain}
		want := 2048 + 2048*tt.replies
		if got := judging.SizeContext(1000, params.MaxTokens, maxConversationReplies(tt.protocol, params), 0); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
		if got := judging.SizeContext(1000, params.MaxTokens, maxConversationReplies(tt.protocol, params), 3000); got != 3000 {
			t.Errorf("%s: %d of a model that was trained for 3000", name, got)
		}
	}
}
