package judging

import (
	"strings"
	"testing"

	"gavel/backends"
)

// A reply that repeats itself to the end of the context is not cut for want of room: more would be filled as well.
func TestRepeatingIsNoWantOfRoom(t *testing.T) {
	m := &Manifest{Spec: Spec{Parameters: Parameters{MaxTokens: 4096, NumCtx: 1000}}}
	for _, c := range []struct {
		name, text string
		want       Unserved
	}{
		{name: "cut", text: "The first answer is about bridges, and the second", want: Unserved{TruncatedReplies: 1}},
		{name: "repeats itself", text: strings.Repeat("and so on, as I said before, ", 200)},
	} {
		var u Unserved
		u.Add(m, &Record{Replies: []Reply{{
			Text:         c.text,
			Finish:       backends.FinishLength,
			PromptTokens: 400,
			ReplyTokens:  600,
		}}}, Truncated)
		if u != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, u, c.want)
		}
	}
}
