package answer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// TestFinalAnswer reads the final answers of the replies in testdata/final.txt; "-" is none.
func TestFinalAnswer(t *testing.T) {
	for _, row := range protocoltest.ReadReplyTable(t, "testdata/final.txt", 4) {
		value, rule := strings.TrimPrefix(row[0], "-"), strings.TrimPrefix(row[1], "-")
		if got := ReadFinal(row[3]); got.Value != value || got.Rule != rule || got.Span.IsZero() != (value == "") {
			t.Errorf("%s: %q ends with %+v", row[2], row[3], got)
		}
	}
}

// For the question of a pair, the prompt is only the question, there is no label, and any final answer is read.
func TestAnswersToPairs(t *testing.T) {
	replies := map[string]string{"p1": "It is **4**.", "p2": "Hm."}
	items := []datasets.Item{judgingtest.PairItem("p1", 0), judgingtest.PairItem("p2", 1)}
	var prompts [][]backends.Message
	j, w := protocoltest.Job(Protocol, nil, judgingtest.OpenItems(t, items...), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		prompts = append(prompts, req.Messages)
		return judgingtest.Reply(replies[strings.TrimPrefix(req.Oracle.Item, "answer to ")])
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		outcome      judging.Outcome
		answer, rule string
	}{{judging.Decided, "4", ruleBold}, {judging.NoVerdict, "", ""}} {
		r := w.Records[i]
		if r.Outcome != want.outcome || r.Answer != want.answer || r.Rule != want.rule || r.Shape != datasets.ShapeOpen || r.Gold != "" || len(r.Order) != 0 || rightly(r) {
			t.Errorf("%+v", r)
		}
		if err := protocoltest.CheckRecordRoundTrip(r); err != nil {
			t.Error(err)
		}
		if v, err := r.Read(j.Asker, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); err != nil || v.Outcome != want.outcome || v.Answer != want.answer {
			t.Errorf("read again: %+v, %v", v, err)
		}
		if !slices.Equal(prompts[i], []backends.Message{{Role: backends.RoleUser, Content: items[i].Question}}) {
			t.Errorf("asked %+v", prompts[i])
		}
	}
}

// Long replies that a quadratic reader would be slow on.
func TestLongFinalAnswers(t *testing.T) {
	for _, unit := range []string{"A", "AAAAA", `\boxed{`, "{", "**", "answer: ", "answer is ", "1,234,", "$"} {
		ReadFinal(strings.Repeat(unit, (1<<20)/len(unit)))
	}
}
