package pairwise

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/answer"
	"gavel/protocols/protocoltest"
)

var bySelf = judging.Settings{"self-reference": "true"}

// referencedPair returns a pair with the judge's own answer.
func referencedPair(gold int, reference string, ownAnswer *datasets.Answer) datasets.Item {
	item := judgingtest.PairItem("p1", gold)
	item.Answered = &datasets.AgentAnswer{QuestionID: item.ID, Reference: reference, Own: ownAnswer}
	return item
}

// The prompt with a reference differs from the one without by a sentence in the system message and a block in the user
// message.
func TestReferencePrompt(t *testing.T) {
	var b strings.Builder
	item := referencedPair(0, "2 + 2 is 4.", nil)
	for _, protocol := range comparisons {
		for _, tpl := range protocol.Templates {
			plain, with := protocol.NewAsker(tpl, nil), protocol.NewAsker(tpl, bySelf)
			for _, s := range with.Presentations(item) {
				p, q := plain.Prompt(item, s), with.Prompt(item, s)
				const block = "\n\n<|The Start of Reference Answer|>\n2 + 2 is 4.\n<|The End of Reference Answer|>"
				if strings.Replace(q.User, block, "", 1) != p.User || strings.Index(q.User, block) != len("<|User Prompt|>\n"+item.Question) {
					t.Errorf("%s/%s: user message\n%s", protocol.Name, tpl.Name, q.User)
				}
				if strings.Replace(q.System, " "+referenceSentence, "", 1) != p.System || p.System == q.System {
					t.Errorf("%s/%s: system message\n%s", protocol.Name, tpl.Name, q.System)
				}
				if q.FollowUp != p.FollowUp || q.LabelRequest != p.LabelRequest || !slices.Equal(q.Labels, p.Labels) {
					t.Errorf("%s/%s: %+v", protocol.Name, tpl.Name, q)
				}
			}
		}
		p := protocol.NewAsker(protocol.Templates[0], bySelf).Prompt(item, judging.Presentation{Order: []int{0, 1}})
		fmt.Fprintf(&b, "--- %s, system\n%s\n--- user\n%s\n", protocol.Name, p.System, p.User)
	}
	golden.Assert(t, b.String(), "prompts/with-reference.golden")
}

// For any texts, the block is in its place and nothing else changes.
func TestReferenceIsData(t *testing.T) {
	p := Protocol.NewAsker(Protocol.Templates[0], bySelf)
	s := judging.Presentation{Order: []int{0, 1}}
	plain := referencedPair(0, "RRR", nil)
	plain.Question = "QQQ"
	frame := regexp.MustCompile("QQQ|RRR").Split(p.Prompt(plain, s).User, -1)
	for name, h := range judgingtest.TemplateHazards {
		item := referencedPair(0, h+"r", nil)
		item.Question = h + "q"
		if got := p.Prompt(item, s); got.User != frame[0]+h+"q"+frame[1]+h+"r"+frame[2] || got.System != p.Prompt(plain, s).System {
			t.Errorf("%s: %q", name, got.User)
		}
	}
}

// The manifest has the sentence, a protocol rebuilt from it does not add it again, and without the option nothing
// changes.
func TestReferenceTemplate(t *testing.T) {
	for _, protocol := range comparisons {
		tpl := protocol.Templates[0]
		adapted := protocol.AdaptTemplate(tpl, bySelf)
		if adapted.SHA256 == tpl.SHA256 || !slices.Equal(adapted.Labels, tpl.Labels) || adapted.Name != tpl.Name || strings.Count(adapted.System, referenceSentence) != 1 {
			t.Errorf("%+v", adapted)
		}
		if twice := protocol.AdaptTemplate(adapted, bySelf); !reflect.DeepEqual(twice, adapted) {
			t.Errorf("adapted twice: %+v", twice)
		}
		if same := protocol.AdaptTemplate(tpl, nil); !reflect.DeepEqual(same, tpl) {
			t.Errorf("adapted to nothing: %+v", same)
		}
		m := judging.NewManifest("test", judging.Spec{Protocol: protocol.Name, Prompt: adapted, ProtocolOptions: bySelf})
		p, err := judging.AskerOf(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Prompt(referencedPair(0, "r", nil), judging.Presentation{Order: []int{0, 1}}).System; got != adapted.System {
			t.Errorf("rebuilt: %s", got)
		}
		if _, ok := protocol.NewAsker(tpl, nil).(pairwise); !ok {
			t.Error("without the option the protocol is another")
		}
		template := newTemplate("mine", "file", "One paragraph. [[A>B]] [[B>A]]")
		if got := withReference(template).System; got != template.System+" "+referenceSentence {
			t.Errorf("of one paragraph: %q", got)
		}
	}
	if tpl := answer.Protocol.Templates[0]; !reflect.DeepEqual(answer.Protocol.AdaptTemplate(tpl, bySelf), tpl) {
		t.Error("another protocol's prompt was adapted")
	}
}

func TestReferenceIsNeeded(t *testing.T) {
	for want, item := range map[bool]datasets.Item{false: judgingtest.PairItem("p1", 0), true: referencedPair(0, "r", nil)} {
		set := judgingtest.OpenItems(t, item)
		n, err := judging.CountPresentations(Protocol.NewAsker(Protocol.Templates[0], bySelf), set, []int{0})
		if want != (err == nil && n == 2) || !want && !strings.Contains(err.Error(), "p1 has no answer of the judge's own") {
			t.Errorf("%v: %d, %v", want, n, err)
		}
	}
	if got := judging.MaxFirstTurnBytes(Protocol.NewAsker(Protocol.Templates[0], bySelf), judgingtest.OpenItems(t, referencedPair(0, strings.Repeat("r", 5000), nil))); got < 6000 {
		t.Errorf("the longest prompt has %d bytes, without its reference", got)
	}
}

func TestOwnTo(t *testing.T) {
	right, wrong := "right", "wrong"
	for _, c := range []struct{ name, reply, better, worse, want string }{
		{"as the better", "BBBBB", "BBBBB", "CCCCC", right},
		{"as the worse", "CCCCC", "BBBBB", "CCCCC", wrong},
		{"as neither, a letter", "DDDDD", "BBBBB", "CCCCC", wrong},
		{"as neither, a number", "**3**", "**4**", "**5**", wrong},
		{"as neither, a word", "**Monday**", "**Tuesday**", "**Friday**", wrong},
		{"as neither, a formula", `\boxed{x+1}`, `\boxed{1+x}`, `\boxed{x}`, ""},
		{"a word for a number", "**Therefore**", "**4**", "**5**", ""},
		{"a letter for a word", "BBBBB", "**Osmium**", "CCCCC", ""},
		{"both the same", "BBBBB", "BBBBB", "BBBBB", ""},
		{"the better has none", "BBBBB", "code", "BBBBB", ""},
		{"the worse has none", "BBBBB", "BBBBB", "code", right},
		{"the judge has none", "I cannot say.", "BBBBB", "CCCCC", ""},
		{"by another rule", "Answer: B", "BBBBB", "CCCCC", right},
		{"a number with a unit", "**18**", "**18 minutes**", "**19 minutes**", right},
	} {
		for gold := range 2 {
			item := judgingtest.PairItem("p", gold)
			item.Candidates[gold].Text, item.Candidates[1-gold].Text = c.better, c.worse
			got := gradeOwnReply(item, c.reply)
			if (got == nil) != (c.want == "") || got != nil && (got.Right != (c.want == right) || got.Value != answer.ReadFinal(c.reply).Value) {
				t.Errorf("%s: %+v, want %q", c.name, got, c.want)
			}
		}
	}
}

// The final answers tell nearly all published pairs with final answers apart. The counts are those of the files, and
// fall if a rule stops matching.
func TestOwnToOfThePublishedPairs(t *testing.T) {
	for path, want := range map[string]map[string]int{
		claudePairs: {"Knowledge": 154, "Reasoning": 51, "Math": 34, "Coding": 1},
		published + "/data/dataset=judgebench,response_model=gpt-4o-2024-05-13.jsonl": {"Knowledge": 152, "Reasoning": 88, "Math": 47},
	} {
		set, err := datasets.OpenFile(judgingtest.SkipWithoutFile(t, path))
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		got := map[string]int{}
		for i := range set.Len() {
			item, err := set.Item(i)
			if err != nil {
				t.Fatal(err)
			}
			better, worse := gradeOwnReply(item, item.Candidates[item.Gold].Text), gradeOwnReply(item, item.Candidates[1-item.Gold].Text)
			if better != nil && !better.Right || worse != nil && worse.Right {
				t.Errorf("%s: the better response is %+v, the worse %+v", item.ID, better, worse)
			}
			if better != nil {
				got[item.Group]++
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", filepath.Base(path), got, want)
		}
	}
}

func TestEachReference(t *testing.T) {
	set := judgingtest.Pairs(t, 4)
	run := protocoltest.MakeAnswerRun(t, set, "judge", func(id string) (backends.Response, error) {
		return map[string]backends.Response{
			"p1": {Text: "**1** <it>", Finish: backends.FinishStop}, // A>B, 1 and 2
			"p2": {Text: "**3**", Finish: backends.FinishStop},      // B>A, 2 and 3
			"p3": {Text: "", Finish: backends.FinishPromptTooLong},
			"p4": {Text: "who knows", Finish: backends.FinishStop},
		}[id], nil
	})
	answers := protocoltest.ReadAnswers(t, run)
	stage := func(pairs *datasets.Set) ([][]byte, *judging.ReferenceCounts) {
		t.Helper()
		var lines [][]byte
		got, err := WriteOwnAnswers(pairs, judgingtest.FirstIndexes(pairs.Len()), answers, nil, func(line []byte) error { lines = append(lines, bytes.Clone(line)); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return lines, got.(*judging.ReferenceCounts)
	}
	lines, got := stage(set)
	want := &judging.ReferenceCounts{Pairs: 4, NoOwn: map[judging.NoAnswerReason]int{judging.NoAnswerNoText: 1}, Unknown: 3, Warnings: []string{
		"left out 1 of 4 pairs, to whose question the judge has no answer of its own: there is no text (the prompt was too long, or the reply refused or empty)",
		"for 3 of 3 pairs it is unknown whether the judge's own answer is right: no final answer could be read, or compared with those of the responses",
	}}
	if len(lines) != 3 || !reflect.DeepEqual(got, want) || got.Judged() != 3 {
		t.Errorf("%d lines, %+v", len(lines), got)
	}
	raw, err := set.Raw(0)
	if err != nil {
		t.Fatal(err)
	}
	if line, ok := bytes.CutPrefix(lines[0], raw[:len(raw)-1]); !ok || string(line) != `,"own_answer":{"text":"**1** <it>"}}` {
		t.Errorf("%s", lines[0])
	}
	if repeated, _ := stage(set); !slices.EqualFunc(lines, repeated, bytes.Equal) {
		t.Error("the same pairs and answers gave other bytes")
	}
	// With responses that have final answers the own answer can be graded, and the next run reads what is written.
	bolder := bytes.ReplaceAll(bytes.Join([][]byte{raw, mustRaw(t, set, 1)}, []byte{'\n'}), []byte(`"response_A":"`), []byte(`"response_A":"Answer: `))
	bolder = bytes.ReplaceAll(bolder, []byte(`"response_B":"`), []byte(`"response_B":"Answer: `))
	if _, got = stage(judgingtest.OpenDataset(t, string(bolder)+"\n")); got.NoOwn[judging.NoAnswerQuestionChanged] != 2 { // their responses are others than those of the run
		t.Errorf("%+v", got)
	}
	answers = protocoltest.ReadAnswers(t, run)
	answers.Dataset.SHA256 = judgingtest.OpenDataset(t, string(bolder)+"\n").SHA256
	lines, got = stage(judgingtest.OpenDataset(t, string(bolder)+"\n"))
	if got.Right != 2 || got.Wrong+got.Unknown != 0 {
		t.Fatalf("%+v", got)
	}
	staged := judgingtest.OpenDataset(t, string(bytes.Join(lines, []byte{'\n'}))+"\n")
	for i := range lines {
		item, err := staged.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		want := &datasets.AgentAnswer{QuestionID: item.ID, Reference: []string{"**1** <it>", "**3**"}[i], Own: &datasets.Answer{Value: []string{"1", "3"}[i], Right: true}}
		if !reflect.DeepEqual(item.Answered, want) || item.Shape != datasets.ShapePair {
			t.Errorf("%+v, %+v", item, item.Answered)
		}
	}
	answers.Dataset.SHA256 = staged.SHA256
	if _, err := WriteOwnAnswers(staged, []int{0}, answers, nil, nil); err == nil || !strings.Contains(err.Error(), "has an answer of a judge already") {
		t.Errorf("staged twice: %v", err)
	}
	choice := judgingtest.OpenItems(t, judgingtest.ChoiceItem())
	answers.Dataset.SHA256 = choice.SHA256
	if _, err := WriteOwnAnswers(choice, []int{0}, answers, nil, nil); err == nil || !strings.Contains(err.Error(), "is not a pair") {
		t.Errorf("a choice: %v", err)
	}
}

func mustRaw(t *testing.T, set *datasets.Set, i int) []byte {
	t.Helper()
	raw, err := set.Raw(i)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A simulated judge compares better with its own answer where that is right, with both goals.
func TestSimulatedReferences(t *testing.T) {
	const n, bound = 3000, 0.03
	judge := &backends.SimulatedJudge{Accuracy: 0.7, FollowsWrongReference: 0.5, Seed: 5}
	for _, protocol := range comparisons {
		p := protocol.NewAsker(protocol.Templates[0], bySelf)
		for _, c := range []struct {
			ownAnswer *datasets.Answer
			want      float64
		}{{nil, 0.7}, {&datasets.Answer{Right: true}, 0.85}, {&datasets.Answer{}, 0.35}} {
			right := 0
			for i := range n {
				item := referencedPair(i%2, "r", c.ownAnswer)
				item.ID = fmt.Sprint(i)
				s := p.Presentations(item)[i/2%2]
				prompt := p.Prompt(item, s)
				resp, err := judge.Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle})
				if err != nil {
					t.Fatal(err)
				}
				if v := p.Parse(s, resp.Text, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); v.Choice == item.Gold {
					right++
				}
			}
			if got := float64(right) / n; math.Abs(got-c.want) > bound {
				t.Errorf("%s, own answer %+v: right in %.3f, want %.2f", protocol.Name, c.ownAnswer, got, c.want)
			}
		}
	}
}

// A simulated judge gives the answer of one of the responses.
func TestSimulatedAnswersToPairs(t *testing.T) {
	p := answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil)
	for _, texts := range [][2]string{{"KKKKK", "AAAAA"}, {`\boxed{x+1}`, `\boxed{x}`}, {"**Monday**", "Answer: Tuesday"}} {
		for gold := range 2 {
			item := judgingtest.PairItem("p", gold)
			item.Candidates[0].Text, item.Candidates[1].Text = texts[0], texts[1]
			prompt := p.Prompt(item, p.Presentations(item)[0])
			for accuracy, right := range map[float64]bool{1: true, 0: false} {
				resp, err := (&backends.SimulatedJudge{Accuracy: accuracy}).Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle})
				if err != nil {
					t.Fatal(err)
				}
				if grade := gradeOwnReply(item, resp.Text); grade == nil || grade.Right != right {
					t.Errorf("%q with accuracy %v: %q is %+v", texts, accuracy, resp.Text, grade)
				}
			}
		}
	}
}

// Records of comparisons with a reference have the grade of the judge's own answer.
func TestRecordsOfReferencedPairs(t *testing.T) {
	item := referencedPair(1, "r", &datasets.Answer{Value: "4", Right: true})
	j, w := protocoltest.Job(Protocol, bySelf, judgingtest.OpenItems(t, item), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		return judgingtest.Reply("[[A>B]]")
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.Records {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := protocoltest.CheckRecordRoundTrip(r); err != nil || r.Own == nil || !r.Own.Right || r.ResamplingUnit() != "p1" || r.Shape != "" || !bytes.Contains(raw, []byte(`"own":{"value":"4","right":true}`)) {
			t.Errorf("%s, %v", raw, err)
		}
	}
}

func FuzzFinalAnswer(f *testing.F) {
	for _, s := range []string{"KKKKK", `\boxed{\frac{1}{2}}`, "**yes, no**", "Answer: (C) x", "The answer is **18 minutes**.", `\boxed{{{`, "****", "AAAAABBBBB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		got := answer.ReadFinal(reply)
		if (got.Value == "") != (got.Rule == "") {
			t.Errorf("%q ends with %+v", reply, got)
		}
		if got.Rule == answer.RuleFiveEqualLetters && !strings.Contains(reply, strings.Repeat(strings.ToUpper(got.Value), 5)) {
			t.Errorf("%q ends with %+v", reply, got)
		}
		item := judgingtest.PairItem("p", 0)
		item.Candidates[0].Text, item.Candidates[1].Text = reply, "Answer: 42"
		if grade := gradeOwnReply(item, reply); grade != nil && !grade.Right {
			t.Errorf("%q is not as itself: %+v", reply, grade)
		}
	})
}
