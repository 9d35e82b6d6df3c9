package selfreference

import (
	"encoding/json"
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// TestReferenceOfAnotherModel: mode self shows the other model's reply, whose label a simulated judge is told; the
// judge's own answer stays what it was. A question that the other model did not answer has no judgment in mode self.
func TestReferenceOfAnotherModel(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	x := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "x", modelSaying("The answer is (A)", nil)))
	own := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("The answer is (C)", nil)))
	other := protocoltest.MakeAnswerRun(t, judgingtest.OpenItems(t, questions()[1:]...), "other", modelSaying("I say 1447", nil))
	settings := judging.Settings{"reference": other}
	own.Reference = protocoltest.ReadAnswers(t, other)
	asker := newAsker(judgmentTemplate, settings)
	for row, want := range []struct {
		reference string
		right     bool
		asked     int
	}{{asked: 1}, {reference: "I say 1447", right: true, asked: 2}} {
		var line datasets.JudgmentLine
		write := func(text []byte) error { return json.Unmarshal(text, &line) }
		if _, err := asker.writeJudgmentLines(set, []int{row}, own, []*judging.ModelAnswers{x}, write); err != nil {
			t.Fatal(err)
		}
		if line.Reference != want.reference || line.ReferenceRight != want.right || line.ReferenceKind != ReferenceRun ||
			line.Own == nil || line.Own.Right == want.right {
			t.Errorf("question %d: %+v", row, line)
		}
		item := datasets.Item{Shape: datasets.ShapeJudgment, Gold: 1, Answered: &line.AgentAnswer}
		shown := asker.Presentations(item)
		if len(shown) != want.asked || asker.Check(item) != nil {
			t.Errorf("question %d: %+v, %v", row, shown, asker.Check(item))
		}
		o := asker.oracle(item, judging.Presentation{Order: []int{0, 1}, Mode: ModeSelf}, []string{"C", "I"})
		if right := o.ReferenceVerdict == "I"; right != want.right {
			t.Errorf("question %d: the oracle says %q", row, o.ReferenceVerdict)
		}
	}
	if s := stage(settings, ""); s.Reference != other || s.JudgingSettings["reference"] != ReferenceRun || settings["reference"] != other || s.HidesOwnAnswers {
		t.Errorf("%+v", s)
	}
	if s := stage(judging.Settings{"reference": ReferenceGold}, ""); s.Reference != "" || s.JudgingSettings != nil || !s.HidesOwnAnswers {
		t.Errorf("%+v", s)
	}
}
