package selfreference

import (
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// The bound is the longest prompt that the stage comes to where every answer has
// as many bytes as were allowed, and is above it where they have fewer. In mode
// cot one answer is shown, in mode self two.
func TestLongestJudgment(t *testing.T) {
	set := judgingtest.Items(t, questions()...)
	const tokens = 500
	toCome := judging.Unanswered("(to come)", set, tokens)
	given := func(model string, n int) *judging.Answers {
		return protocoltest.Answers(t, protocoltest.AnswerRun(t, set, model, protocoltest.Saying(strings.Repeat("y", n), nil)))
	}
	for mode, shown := range map[string]int{ModeCoT: 1, ModeSelf: 2, "both": 2} {
		settings := judging.Settings{}
		if mode != "both" {
			settings["mode"] = mode
		}
		p := Protocol.New(judgmentTexts, settings)
		bound, err := stage(nil).Longest(p, set, toCome, []*judging.Answers{toCome})
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{tokens, 1} {
			lines, _, err := stageOf(set, judgingtest.UpTo(set.Len()), given("judge", length), []*judging.Answers{given("x", length)})
			if err != nil {
				t.Fatal(err)
			}
			judgments, err := datasets.FromLines("lines", datasets.Judgments.Name, lines)
			if err != nil {
				t.Fatal(err)
			}
			if longest := judging.LongestPrompt(p, judgments); longest != bound-shown*(tokens-length) {
				t.Errorf("%s, answers of %d bytes: the longest prompt has %d, bounded by %d", mode, length, longest, bound)
			}
		}
	}
}

// An agent's answers that are there count as they are, beside those to come.
func TestLongestJudgmentOfGiven(t *testing.T) {
	set := judgingtest.Items(t, questions()...)
	p := Protocol.New(judgmentTexts, nil)
	toCome := judging.Unanswered("(to come)", set, 10)
	bound := func(agents ...*judging.Answers) int {
		n, err := stage(nil).Longest(p, set, toCome, agents)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	long := protocoltest.Answers(t, protocoltest.AnswerRun(t, set, "x", protocoltest.Saying(strings.Repeat("y", 1000), nil)))
	if alone, with := bound(toCome), bound(toCome, long); with != alone+990 {
		t.Errorf("%d, and with answers of 1000 bytes for 10: %d", alone, with)
	}
	if _, err := stage(nil).Longest(p, set, toCome, []*judging.Answers{long, long}); err == nil {
		t.Error("two agents of one name")
	}
}
