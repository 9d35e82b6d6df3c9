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

func TestFinalAnswer(t *testing.T) {
	for _, c := range []struct{ name, reply, value, rule string }{
		{"five times", "So it is K.\n\nKKKKK", "k", RuleFiveLetters},
		{"the last of several", "AAAAA? No: BBBBB.", "b", RuleFiveLetters},
		{"in bold", "**CCCCC**", "c", RuleFiveLetters},
		{"in a box", `\boxed{DDDDD}`, "d", RuleFiveLetters},
		{"a box goes before an earlier five", `AAAAA \boxed{EEEEE}`, "e", RuleFiveLetters},
		{"four times", "KKKK", "", ""},
		{"six times", "KKKKKK", "", ""},
		{"small letters", "kkkkk", "", ""},
		{"part of a word", "xKKKKK", "", ""},
		{"five others", "ABCDE", "", ""},
		{"box", `so \boxed{\frac{x}{2}}`, `\frac{x}{2}`, ruleBoxed},
		{"box with dressing", `so \boxed{ \dfrac{1}{2} x }.`, `\frac{1}{2}x`, ruleBoxed},
		{"a number and a letter", `\boxed{2x}`, "2x", ruleBoxed},
		{"a box of a fraction", `\boxed{\frac{1}{2}}`, "0.5", ruleBoxed},
		{"percent", `\boxed{20\%}`, "20", ruleBoxed},
		{"box of a number", `\boxed{1{,}450.0}`, "1450", ruleBoxed},
		{"box of money", `\boxed{\$18}`, "18", ruleBoxed},
		{"the last box", `\boxed{1} \boxed{2}`, "2", ruleBoxed},
		{"a box without an end", `**3** \boxed{1`, "3", ruleBold},
		{"the word", "Answer: C", "c", ruleAnswer},
		{"the word in bold", "**Answer: C**", "c", ruleAnswer},
		{"the word and an option's text", "Answer: (C) Tungsten", "c", ruleAnswer},
		{"the words", "The answer is (C): the level stays.", "c", ruleAnswer},
		{"the words and bold", "The answer is **Tuesday**.", "tuesday", ruleAnswer},
		{"an article is no letter", "The answer is A bus.", "abus", ruleAnswer},
		{"a fraction", "Answer: 10/21", "10/21", ruleAnswer},
		{"bold", "The demo is on **Wednesday**.", "wednesday", ruleBold},
		{"bold with a unit", "The minimum is **18 minutes**.", "18", ruleBold},
		{"a list in bold", "**yes, No, yes**", "yes,no,yes", ruleBold},
		{"code", "```python\nprint(1)\n```", "", ""},
		{"nothing", "", "", ""},
	} {
		if got := Final(c.reply); got.Value != c.value || got.Rule != c.rule || got.Span.Nowhere() != (c.value == "") {
			t.Errorf("%s: %q ends with %+v", c.name, c.reply, got)
		}
	}
}

// An answer to the question of a pair: the question alone is asked, nobody says
// what is right, and what can be read is read.
func TestAnswersToPairs(t *testing.T) {
	said := map[string]string{"p1": "It is **4**.", "p2": "Hm."}
	items := []datasets.Item{judgingtest.Pair("p1", 0), judgingtest.Pair("p2", 1)}
	var asked [][]backends.Message
	j, w := protocoltest.Job(Protocol, nil, judgingtest.Items(t, items...), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		asked = append(asked, req.Messages)
		return judgingtest.Says(said[strings.TrimPrefix(req.Oracle.Item, "answer to ")])
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		outcome      judging.Outcome
		answer, rule string
	}{{judging.Decided, "4", ruleBold}, {judging.NoVerdict, "", ""}} {
		r := w.Records[i]
		if r.Outcome != want.outcome || r.Answer != want.answer || r.Rule != want.rule || r.Shape != datasets.Open || r.Gold != "" || len(r.Order) != 0 || rightly(r) {
			t.Errorf("%+v", r)
		}
		if err := protocoltest.Checked(r); err != nil {
			t.Error(err)
		}
		if v, err := r.Read(j.Asker, judging.Reading{Policy: judging.Unique}); err != nil || v.Outcome != want.outcome || v.Answer != want.answer {
			t.Errorf("read again: %+v, %v", v, err)
		}
		if !slices.Equal(asked[i], []backends.Message{{Role: backends.User, Content: items[i].Question}}) {
			t.Errorf("asked %+v", asked[i])
		}
	}
}

// Long replies, each bad for a careless reader.
func TestLongFinalAnswers(t *testing.T) {
	for _, unit := range []string{"A", "AAAAA", `\boxed{`, "{", "**", "answer: ", "answer is ", "1,234,", "$"} {
		Final(strings.Repeat(unit, (1<<20)/len(unit)))
	}
}
