package judging

import (
	"strings"
	"testing"

	"gavel/backends"
)

func stopped(texts ...string) []Reply {
	var replies []Reply
	for _, t := range texts {
		replies = append(replies, Reply{Text: t, Finish: backends.Stop})
	}
	return replies
}

func TestRecordRead(t *testing.T) {
	cut := func(text string) []Reply { return []Reply{{Text: text, Finish: backends.Length}} }
	for _, c := range []struct {
		name   string
		rec    Record
		how    Reading
		want   Outcome
		choice string
		reason string
	}{
		{name: "a verdict", rec: Record{Replies: stopped("[[A>B]]")}, want: Decided, choice: "B"},
		{name: "of a swapped presentation", rec: Record{Replies: stopped("[[B>A]]")}, want: Decided, choice: "A"},
		{name: "two attempts", rec: Record{Replies: stopped("hm", "[[A>B]]")}, want: Decided, choice: "B"},
		{name: "two attempts that differ", rec: Record{Replies: stopped("[[A>B]]", "[[B>A]]")}, want: Conflict,
			reason: "the expression runs over both"},
		{name: "the later attempt binds", rec: Record{Replies: stopped("[[A>B]]", "[[B>A]]")}, how: Reading{Policy: Last}, want: Decided, choice: "A"},
		{name: "a label torn over two attempts", rec: Record{Replies: stopped("[[A>", "B]]")}, want: NoVerdict,
			reason: "they are joined by a newline"},
		{name: "no verdict", rec: Record{Replies: stopped("hm", "hm")}, want: NoVerdict},
		{name: "an empty reply", rec: Record{Replies: stopped("")}, want: NoVerdict},
		{name: "thinking is not read", rec: Record{Replies: []Reply{{Thinking: "[[A>B]]", Text: "so [[B>A]]", Finish: backends.Stop}}}, want: Decided, choice: "A"},
		{name: "thinking alone", rec: Record{Replies: []Reply{{Thinking: "[[A>B]]", Finish: backends.Stop}}}, want: NoVerdict},

		{name: "cut", rec: Record{Replies: cut("long")}, want: Cut},
		{name: "cut after a verdict", rec: Record{Replies: cut("[[A>B]] and")}, want: Cut, reason: "it might have gone on to another"},
		{name: "cut after a verdict, accepted", rec: Record{Replies: cut("[[A>B]] and")}, how: Reading{AcceptCut: true}, want: Decided, choice: "B"},
		{name: "cut before a verdict, accepted", rec: Record{Replies: cut("long")}, how: Reading{AcceptCut: true}, want: Cut,
			reason: "there is no verdict to accept: it is cut all the same"},
		{name: "cut in a conflict, accepted", rec: Record{Replies: cut("[[A>B]] [[B>A]]")}, how: Reading{AcceptCut: true}, want: Conflict},
		{name: "the second attempt cut", rec: Record{Replies: append(stopped("hm"), cut("[[A>B]] and")...)}, want: Cut},

		{name: "prompt too long", rec: Record{Replies: []Reply{{Finish: backends.TooLong, Detail: "too many tokens"}}}, want: TooLong},
		{name: "a verdict on a cut prompt", rec: Record{Replies: []Reply{{Text: "[[A>B]]", Finish: backends.TooLong}}}, how: Reading{AcceptCut: true}, want: TooLong},
		{name: "refused", rec: Record{Replies: []Reply{{Text: "[[A>B]]", Finish: backends.Refused}}}, how: Reading{AcceptCut: true}, want: Refused},
		{name: "failed", rec: Record{Outcome: Failed, Error: "HTTP 500"}, want: Failed},
		{name: "failed at the second attempt", rec: Record{Outcome: Failed, Replies: stopped("hm [[A>B]]")}, want: Failed},
		{name: "nothing there", rec: Record{}, want: Failed},

		{name: "imported, null in the file", rec: Record{Imported: &Imported{Missing: true}, Replies: stopped("[[A>B]]")}, want: Failed},
		{name: "imported, decided by its scores", rec: Record{Imported: &Imported{Stored: true}, Outcome: Decided, Choice: "A", Label: "B>A"}, want: Decided, choice: "A"},
		{name: "imported, read like any other", rec: Record{Imported: &Imported{}, Outcome: Tie, Replies: stopped("[[A>B]]")}, want: Decided, choice: "B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rec.Presentation, c.rec.Order = 1, []string{"B", "A"}
			if c.how.Policy == "" {
				c.how.Policy = Unique
			}
			v, err := c.rec.Read(protocolNamed(t, "pairwise", "sop"), c.how)
			if err != nil || v.Outcome != c.want || c.rec.CandidateID(v.Choice) != c.choice {
				t.Errorf("%+v (candidate %q), %v; want %s %q: %s", v, c.rec.CandidateID(v.Choice), err, c.want, c.choice, c.reason)
			}
		})
	}
}

func TestStoredChoiceMustHaveBeenShown(t *testing.T) {
	r := Record{Imported: &Imported{Stored: true}, Outcome: Decided, Choice: "C", Order: []string{"A", "B"}}
	if v, err := r.Read(protocolNamed(t, "pairwise", "sop"), Reading{Policy: Unique}); err == nil {
		t.Errorf("read as %+v", v)
	}
}

func TestRecordText(t *testing.T) {
	for _, c := range []struct {
		replies []Reply
		want    string
	}{{nil, ""}, {stopped("a"), "\na"}, {stopped("a", "b"), "\na\nb"}, {stopped("", "\n"), "\n\n\n"}} {
		if got := (&Record{Replies: c.replies}).Text(); got != c.want {
			t.Errorf("%+v joins to %q, want %q", c.replies, got, c.want)
		}
	}
}

func TestCandidateID(t *testing.T) {
	r := Record{Order: []string{"B", "A"}}
	for choice, want := range map[int]string{0: "A", 1: "B", Nobody: "", 2: "", -7: ""} {
		if got := r.CandidateID(choice); got != want {
			t.Errorf("candidate %d is %q, want %q", choice, got, want)
		}
	}
}

// A span of the text is found again in the reply that it is of.
func TestTurn(t *testing.T) {
	two := stopped("Hm: [[A>B]].", "[[B>A]] it is")
	held := stopped("Hm: [[A>B]].", "[[B>A]]")
	held[1].Constrained = true
	for name, c := range map[string]struct {
		replies []Reply
		what    string
		turn    int
	}{
		"the first reply":    {two, "[[A>B]]", 0},
		"the second":         {two, "[[B>A]]", 1},
		"from the beginning": {two, "Hm", 0},
		"to the end":         {two, "it is", 1},
		"what was held":      {held, "[[B>A]]", 1},
		"into the next":      {two, ".\n[[", 0},
	} {
		r := Record{Replies: c.replies}
		at := strings.Index(r.Text(), c.what)
		turn, in, ok := r.Turn(Span{at, at + len(c.what)})
		first, _, _ := strings.Cut(c.what, "\n")
		if !ok || turn != c.turn || r.Replies[turn].Text[in.Start:in.End] != first {
			t.Errorf("%s: reply %d, %+v, %v", name, turn, in, ok)
		}
	}
	if _, _, ok := (&Record{Replies: two}).Turn(Span{}); ok {
		t.Error("nowhere is in a reply")
	}
}
