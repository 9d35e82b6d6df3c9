package judging

import (
	"testing"
)

// A reply in several turns is one answer, a line for each.
func TestWholeReply(t *testing.T) {
	r := &Record{Replies: []Reply{{Text: "It is warm-blooded.", Thinking: "hidden"}, {Text: "The answer is (C)", Constrained: true}}}
	if got := joinReplies(r.Replies); got != "\nIt is warm-blooded.\nThe answer is (C)" {
		t.Errorf("%q", got)
	}
}
