package judging

import (
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/internal/trials"
)

func stopped(texts ...string) []Reply {
	var replies []Reply
	for _, t := range texts {
		replies = append(replies, Reply{Text: t, Finish: backends.FinishStop})
	}
	return replies
}

// TestRecordRead: the members of a record, and how it is read where that is not as usual; then the outcome and the
// candidate chosen.
func TestRecordRead(t *testing.T) {
	trials.RunCases(t, "readings.txt", func(t *testing.T, fields []string) []string {
		r := Record{Presentation: 1, Order: []string{"B", "A"}}
		reading := ReadingOptions{LabelPolicy: PolicyUniqueLabel}
		dec := json.NewDecoder(strings.NewReader(fields[0]))
		assert.NilError(t, dec.Decode(&r))
		if dec.More() {
			assert.NilError(t, dec.Decode(&reading))
		}
		v, err := r.Read(protocolNamed(t, "pairwise", "sop"), reading)
		assert.NilError(t, err)
		return []string{strings.TrimSpace(string(v.Outcome) + " " + r.CandidateID(v.Choice))}
	})
}

func TestStoredChoiceMustHaveBeenShown(t *testing.T) {
	r := Record{Imported: &ImportedFields{DecisionIsVerdict: true}, Outcome: Decided, Choice: "C", Order: []string{"A", "B"}}
	if v, err := r.Read(protocolNamed(t, "pairwise", "sop"), ReadingOptions{LabelPolicy: PolicyUniqueLabel}); err == nil {
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
	for choice, want := range map[int]string{0: "A", 1: "B", NoCandidate: "", 2: "", -7: ""} {
		if got := r.CandidateID(choice); got != want {
			t.Errorf("candidate %d is %q, want %q", choice, got, want)
		}
	}
}

// A span of the text is found again in the reply that it is of.
func TestTurn(t *testing.T) {
	two := stopped("Hm: [[A>B]].", "[[B>A]] it is")
	constrained := stopped("Hm: [[A>B]].", "[[B>A]]")
	constrained[1].Constrained = true
	for name, c := range map[string]struct {
		replies []Reply
		part    string
		turn    int
	}{
		"the first reply":    {two, "[[A>B]]", 0},
		"the second":         {two, "[[B>A]]", 1},
		"from the beginning": {two, "Hm", 0},
		"to the end":         {two, "it is", 1},
		"what was held":      {constrained, "[[B>A]]", 1},
		"into the next":      {two, ".\n[[", 0},
	} {
		r := Record{Replies: c.replies}
		index := strings.Index(r.Text(), c.part)
		turn, in, ok := r.TurnOfSpan(Span{index, index + len(c.part)})
		first, _, _ := strings.Cut(c.part, "\n")
		if !ok || turn != c.turn || r.Replies[turn].Text[in.Start:in.End] != first {
			t.Errorf("%s: reply %d, %+v, %v", name, turn, in, ok)
		}
	}
	if _, _, ok := (&Record{Replies: two}).TurnOfSpan(Span{}); ok {
		t.Error("nowhere is in a reply")
	}
}
