package judging

import (
	"testing"

	"gavel/backends"
)

// Without labels there is nothing to hold a reply to, with a label turn or not.
func TestNothingToHoldTo(t *testing.T) {
	params := Parameters{Constrain: true, Logprobs: true}
	for _, prompt := range []Prompt{{}, {LabelTurn: "now"}} {
		for attempt := 1; attempt <= 2; attempt++ {
			var req backends.Request
			if params.hold(&req, prompt, attempt) || req.Constrain != nil || req.Labels != nil {
				t.Errorf("%+v, attempt %d: %+v", prompt, attempt, req)
			}
		}
	}
}
