package judging

import (
	"bytes"
	"strings"
	"testing"

	"gavel/datasets"
)

// The bound is the longest prompt that the stage comes to where every answer has
// as many bytes as were allowed, and is above it where they have fewer. In mode
// cot one answer is shown, in mode self two.
func TestLongestJudgment(t *testing.T) {
	set := setOfItems(t, questions()...)
	const tokens = 500
	toCome := Unanswered("(to come)", set, tokens)
	given := func(model string, n int) *Answers {
		return answersOf(t, answerRun(t, set, model, saying(strings.Repeat("y", n), nil)))
	}
	for mode, shown := range map[string]int{ModeCoT: 1, ModeSelf: 2, "both": 2} {
		settings := Settings{}
		if mode != "both" {
			settings["mode"] = mode
		}
		p := SelfReference.New(judgmentTexts, settings)
		bound, err := LongestJudgment(p, set, toCome, []*Answers{toCome})
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{tokens, 1} {
			lines, _, err := Stage(set, inOrder(set.Len()), given("judge", length), []*Answers{given("x", length)})
			if err != nil {
				t.Fatal(err)
			}
			judgments, err := datasets.FromLines("lines", datasets.Judgments.Name, lines)
			if err != nil {
				t.Fatal(err)
			}
			if longest := LongestPrompt(p, judgments); longest != bound-shown*(tokens-length) {
				t.Errorf("%s, answers of %d bytes: the longest prompt has %d, bounded by %d", mode, length, longest, bound)
			}
		}
	}
}

// An agent's answers that are there count as they are, beside those to come.
func TestLongestJudgmentOfGiven(t *testing.T) {
	set := setOfItems(t, questions()...)
	p := SelfReference.New(judgmentTexts, nil)
	toCome := Unanswered("(to come)", set, 10)
	bound := func(agents ...*Answers) int {
		n, err := LongestJudgment(p, set, toCome, agents)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	long := answersOf(t, answerRun(t, set, "x", saying(strings.Repeat("y", 1000), nil)))
	if alone, with := bound(toCome), bound(toCome, long); with != alone+990 {
		t.Errorf("%d, and with answers of 1000 bytes for 10: %d", alone, with)
	}
	if _, err := LongestJudgment(p, set, toCome, []*Answers{long, long}); err == nil {
		t.Error("two agents of one name")
	}
}

func TestLongestReferenced(t *testing.T) {
	set := setOf(t, 3)
	const tokens = 500
	for _, kind := range Comparisons {
		p := kind.New(kind.Templates[0], bySelf)
		bound, err := LongestReferenced(p, set, Unanswered("(to come)", set, tokens))
		if err != nil {
			t.Fatal(err)
		}
		var lines [][]byte
		own := answersOf(t, answerRun(t, set, "judge", saying(strings.Repeat("y", tokens), nil)))
		if _, err := EachReference(set, inOrder(3), own, func(line []byte) error { lines = append(lines, bytes.Clone(line)); return nil }); err != nil {
			t.Fatal(err)
		}
		pairs, err := datasets.FromLines("lines", set.Format, lines)
		if err != nil {
			t.Fatal(err)
		}
		if longest := LongestPrompt(p, pairs); longest != bound {
			t.Errorf("%s: the longest prompt has %d bytes, bounded by %d", kind.Name, longest, bound)
		}
	}
}
