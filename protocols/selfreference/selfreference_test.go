package selfreference

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/answer"
	"gavel/protocols/pairwise"
	"gavel/protocols/protocoltest"
)

func TestCorrectness(t *testing.T) {
	decided := func(label string, choice int) judging.Verdict {
		return judging.Verdict{Outcome: judging.Decided, Label: label, Choice: choice}
	}
	none := judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.NoCandidate}
	conflict := judging.Verdict{Outcome: judging.Conflict, Choice: judging.NoCandidate}
	unoffered := func(label string) judging.Verdict {
		return judging.Verdict{Outcome: judging.NoVerdict, Label: label, Choice: judging.NoCandidate}
	}
	for _, c := range []struct {
		name, reply  string
		unique, last judging.Verdict
	}{
		{"correct", "[[Correct]]", decided("Correct", 0), decided("Correct", 0)},
		{"incorrect is not correct", "[[Incorrect]]", decided("Incorrect", 1), decided("Incorrect", 1)},
		{"with stars", "so **[[Incorrect]]**.", decided("Incorrect", 1), decided("Incorrect", 1)},
		{"twice", "[[Correct]] … **[[Correct]]**", decided("Correct", 0), decided("Correct", 0)},
		{"both", "[[Correct]], or [[Incorrect]]", conflict, decided("Incorrect", 1)},
		{"both, the other way", "[[Incorrect]]; no, [[Correct]]", conflict, decided("Correct", 0)},
		{"the verdict judged is no label of its own", "The judge said [[A]]; I say [[B]]. **[[Incorrect]]**", decided("Incorrect", 1), decided("Incorrect", 1)},
		{"only the verdict judged", "[[A]]", none, none},
		{"small letters were not offered", "[[correct]]", unoffered("correct"), unoffered("correct")},
		{"capitals were not offered", "[[INCORRECT]]", unoffered("INCORRECT"), unoffered("INCORRECT")},
		{"written in two ways", "[[correct]] [[Correct]]", conflict, decided("Correct", 0)},
		{"one bracket", "[Correct]", none, none},
		{"spaces inside", "[[ Correct ]]", none, none},
		{"a longer word", "[[Correctness]] [[NotCorrect]]", none, none},
		{"in words", "The answer is correct.", none, none},
		{"nested", "[[[Correct]]]", decided("Correct", 0), decided("Correct", 0)},
		{"nothing", "", none, none},
	} {
		for policy, want := range map[judging.LabelPolicy]judging.Verdict{judging.PolicyUniqueLabel: c.unique, judging.PolicyLastLabel: c.last} {
			p := Protocol.NewAsker(judgmentTemplate, nil)
			if got := protocoltest.DropVerdictSpan(t, c.reply, p.Parse(judging.Presentation{Order: []int{0, 1}, Shape: datasets.ShapeJudgment}, c.reply, judging.ReadingOptions{LabelPolicy: policy})); got != want {
				t.Errorf("%s, %s: %+v, want %+v", c.name, policy, got, want)
			}
		}
	}
}

func FuzzCorrectness(f *testing.F) {
	for _, s := range []string{"[[Correct]]", "[[Incorrect]]", "[[correct]] [[INcorrect]]", "[[A]] **[[Incorrect]]**", "[[Correct]][[Incorrect]]"} {
		f.Add(s)
	}
	for _, h := range judgingtest.TemplateHazards {
		f.Add(h)
	}
	p := Protocol.NewAsker(judgmentTemplate, nil)
	f.Fuzz(func(t *testing.T, reply string) {
		right, wrong := strings.Contains(reply, "[[Correct]]"), strings.Contains(reply, "[[Incorrect]]")
		for _, policy := range judging.LabelPolicies {
			v := protocoltest.DropVerdictSpan(t, reply, p.Parse(judging.Presentation{Order: []int{0, 1}, Shape: datasets.ShapeJudgment}, reply, judging.ReadingOptions{LabelPolicy: policy}))
			switch {
			case v.Outcome == judging.Decided && v.Choice == 0 && right, v.Outcome == judging.Decided && v.Choice == 1 && wrong:
			case v.Outcome == judging.Conflict && policy == judging.PolicyUniqueLabel:
			case v.Outcome == judging.NoVerdict && v.Choice == judging.NoCandidate:
			default:
				t.Errorf("%s: %q reads as %+v", policy, reply, v)
			}
			if policy == judging.PolicyUniqueLabel && v.Outcome == judging.Decided && right && wrong || right != wrong && v.Outcome == judging.NoVerdict && v.Label == "" {
				t.Errorf("%s: %q reads as %+v", policy, reply, v)
			}
		}
	})
}

func TestModes(t *testing.T) {
	item := judgmentOf(numberItem(), "The answer is 1447", "The answer is 1446")
	for mode, want := range map[string][]string{"": {ModeCoT, ModeSelf}, ModeCoT: {ModeCoT}, ModeSelf: {ModeSelf}} {
		var settings judging.Settings
		if mode != "" {
			settings = judging.Settings{"mode": mode}
		}
		p := Protocol.NewAsker(judgmentTemplate, settings)
		var got []string
		for i, s := range p.Presentations(item) {
			if got = append(got, s.Mode); s.Index != i || !slices.Equal(s.Order, []int{0, 1}) || s.Shape != datasets.ShapeJudgment {
				t.Errorf("mode %q: presentation %+v", mode, s)
			}
			if has := strings.Contains(p.Prompt(item, s).User, item.Answered.Reference); has != (s.Mode == ModeSelf) {
				t.Errorf("mode %s shows the reference: %v", s.Mode, has)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("mode %q: asked in %v", mode, got)
		}
	}
	item.Answered.Reference = ""
	if got := Protocol.NewAsker(judgmentTemplate, nil).Presentations(item); len(got) != 1 || got[0].Mode != ModeCoT {
		t.Errorf("without a reference: %+v", got)
	}
	if got := Protocol.NewAsker(judgmentTemplate, judging.Settings{"mode": ModeSelf}).Presentations(item); len(got) != 0 {
		t.Errorf("without a reference, in mode self: %+v", got)
	}
}

// Records have everything that describes a judgment.
func TestRecordsOfJudgments(t *testing.T) {
	item := judgmentOf(judgingtest.ChoiceItem(), "The answer is (A)", "The answer is (C)")
	j, w := protocoltest.Job(Protocol, nil, judgingtest.OpenItems(t, item), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		return judgingtest.Reply("Hm. [[Incorrect]]")
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.Records) != 2 {
		t.Fatalf("%d records", len(w.Records))
	}
	for i, mode := range []string{ModeCoT, ModeSelf} {
		r := w.Records[i]
		if r.Mode != mode || r.QuestionID != "c1" || r.Agent != "agent" || r.Gold != "Incorrect" || r.Choice != "Incorrect" || r.ResamplingUnit() != "c1" || !judging.IsRightVerdict(r, mustRead(t, j, r)) ||
			!reflect.DeepEqual(r.Own, &datasets.Answer{Value: "C", Right: true}) || r.Shape != datasets.ShapeJudgment || r.Presentations != 2 {
			t.Errorf("%+v", r)
		}
		if err := protocoltest.CheckRecordRoundTrip(r); err != nil {
			t.Error(err)
		}
	}
}

// Records of answers have the answer, and read back as they were written.
func TestRecordsOfAnswers(t *testing.T) {
	replies := map[string]string{"c1": "The answer is (C).", "n1": "The answer is $1,447.00", "m1": "[[B]]"}
	items := []datasets.Item{judgingtest.ChoiceItem(), numberItem(), preferenceItem()}
	j, w := protocoltest.Job(answer.Protocol, nil, judgingtest.OpenItems(t, items...), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		return judgingtest.Reply(replies[req.Oracle.Item])
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ choice, answer, rule, gold string }{{"C", "", "answer-is", "C"}, {"", "1447", "answer-is", "1,447"}, {"B", "", "", "B"}} {
		r := w.Records[i]
		if r.Choice != want.choice || r.Answer != want.answer || r.Rule != want.rule || r.Gold != want.gold || !judging.IsRightVerdict(r, mustRead(t, j, r)) || r.Presentations != 1 || len(r.Replies) != 1 {
			t.Errorf("%+v", r)
		}
		v, err := r.Read(j.Asker, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if err := protocoltest.CheckRecordRoundTrip(r); err != nil {
			t.Error(err)
		}
		if err != nil || !judging.IsRightVerdict(r, v) || v.Answer != want.answer {
			t.Errorf("read again: %+v, %v", v, err)
		}
	}
	// An answer that cannot be read is not asked for again.
	calls := 0
	j, w = protocoltest.Job(answer.Protocol, nil, judgingtest.OpenItems(t, numberItem()), judgingtest.Script(func(context.Context, backends.Request) (backends.Response, error) {
		calls++
		return judgingtest.Reply("No idea.")
	}))
	if err := j.Run(t.Context()); err != nil || calls != 1 || w.Records[0].Outcome != judging.NoVerdict {
		t.Errorf("%v, asked %d times, %+v", err, calls, w.Records)
	}
}

// Choices and judgments are constrained to their labels in a turn of their own; numbers are not constrained.
func TestConstrainedAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		protocol judging.Protocol
		item     datasets.Item
		calls    int
		want     string
	}{
		"choice":     {answer.Protocol, judgingtest.ChoiceItem(), 2, "C"},
		"preference": {answer.Protocol, preferenceItem(), 2, "C"},
		"judgment":   {Protocol, judgmentOf(preferenceItem(), "[[A]]", ""), 2, "Incorrect"},
		"number":     {answer.Protocol, numberItem(), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			j, w := protocoltest.Job(c.protocol, nil, judgingtest.OpenItems(t, c.item), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
				if calls++; req.AllowedReplies != nil {
					return judgingtest.Reply(req.AllowedReplies[len(req.AllowedReplies)-1])
				}
				return judgingtest.Reply("It is 1447, or [[Correct]].")
			}))
			j.Manifest.Spec.Parameters.Constrain, j.Manifest.Spec.Parameters.Logprobs = true, true
			plan, err := j.MakePlan(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := w.Records[0]
			if calls != c.calls || r.Choice != c.want || r.Outcome != judging.Decided || r.Replies[len(r.Replies)-1].Constrained != (c.want != "") {
				t.Errorf("asked %d times: %+v", calls, r)
			}
			if labels := len(j.Asker.Prompt(c.item, j.Asker.Presentations(c.item)[0]).Labels); plan.HasLabelTurn != (c.want != "") || plan.CallsAtMost != c.calls+max(0, labels-1) {
				t.Errorf("planned %+v", plan)
			}
			if name == "number" && r.Answer != "1447" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// An imported verdict without text keeps its answer.
func TestStoredAnswers(t *testing.T) {
	r := judging.Record{Schema: 1, Item: "n1", Shape: datasets.ShapeNumber, Gold: "18", Outcome: judging.Decided, Answer: "18", Rule: "theirs", Imported: &judging.ImportedFields{DecisionIsVerdict: true}}
	if v, err := r.Read(answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil), judging.ReadingOptions{}); err != nil || v != (judging.Verdict{Outcome: judging.Decided, Choice: judging.NoCandidate, Answer: "18", Rule: "theirs"}) {
		t.Errorf("%+v, %v", v, err)
	}
}

// No second attempt is planned if none is requested.
func TestOneCallForAnAnswer(t *testing.T) {
	j, _ := protocoltest.Job(answer.Protocol, nil, judgingtest.OpenItems(t, judgingtest.ChoiceItem(), numberItem()), nil)
	if plan, err := j.MakePlan(t.Context(), nil); err != nil || plan.CallsAtMost != 2 || plan.HasLabelTurn {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestLongestPromptOfEveryShape(t *testing.T) {
	long := judgmentOf(numberItem(), strings.Repeat("a", 500), strings.Repeat("r", 900))
	long.ID = "long"
	for _, c := range []struct {
		protocol judging.Protocol
		items    []datasets.Item
	}{
		{answer.Protocol, []datasets.Item{judgingtest.ChoiceItem(), numberItem(), preferenceItem()}},
		{Protocol, []datasets.Item{judgmentOf(judgingtest.ChoiceItem(), "a", "b"), long, judgmentOf(preferenceItem(), "a", "b")}},
	} {
		set := judgingtest.OpenItems(t, c.items...)
		p := c.protocol.NewAsker(c.protocol.Templates[0], nil)
		want := 0
		for _, item := range c.items {
			for _, s := range p.Presentations(item) {
				prompt := p.Prompt(item, s)
				want = max(want, len(prompt.System)+len(prompt.User))
			}
		}
		if got := judging.MaxFirstTurnBytes(p, set); got != want {
			t.Errorf("%s: %d bytes, want %d", c.protocol.Name, got, want)
		}
	}
	// Tokens are counted for the longest presentation: the one with the reference.
	j, _ := protocoltest.Job(Protocol, nil, judgingtest.OpenItems(t, long), nil)
	j.CountTokens = func(_ context.Context, req backends.Request) (int, error) {
		return strings.Count(req.Messages[1].Content, "r"), nil
	}
	if got, err := j.LongestPrompt(t.Context(), 1, 0); err != nil || got.Tokens < 900 {
		t.Errorf("%+v, %v", got, err)
	}
	// An item that is never shown has no prompt.
	bare := judgmentOf(numberItem(), "a", "")
	j, _ = protocoltest.Job(Protocol, judging.Settings{"mode": ModeSelf}, judgingtest.OpenItems(t, bare), nil)
	if _, err := j.LongestPrompt(t.Context(), 1, 0); err != nil {
		t.Error(err)
	}
}

// The manifest has all texts of the prompts, and a run with any other text is another run.
func TestTextsAreInTheManifest(t *testing.T) {
	for _, protocol := range []judging.Protocol{answer.Protocol, Protocol} {
		tpl := protocol.Templates[0]
		var m judging.Manifest
		raw, err := json.Marshal(judging.NewManifest("test", judging.Spec{Protocol: protocol.Name, Prompt: tpl}))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m.Spec.Prompt, tpl) {
			t.Errorf("%s: read back %+v", protocol.Name, m.Spec.Prompt)
		}
		p, err := judging.AskerOf(&m)
		if err != nil || !reflect.DeepEqual(p, protocol.NewAsker(tpl, nil)) {
			t.Errorf("%s: %+v, %v", protocol.Name, p, err)
		}
		hashes := map[string]string{tpl.SHA256: "the paper's"}
		ids := map[string]bool{judging.NewManifest("test", judging.Spec{Prompt: tpl}).ID: true}
		for name := range tpl.Texts {
			texts := map[string]string{}
			for k, v := range tpl.Texts {
				texts[k] = v
			}
			texts[name] += " "
			other := judging.NewTemplateOfTexts(tpl.Name, tpl.Origin, texts, correctness)
			if was, ok := hashes[other.SHA256]; ok {
				t.Errorf("%s: with another %s the SHA-256 is as with %s", protocol.Name, name, was)
			}
			hashes[other.SHA256] = name
			ids[judging.NewManifest("test", judging.Spec{Prompt: other}).ID] = true
		}
		if len(ids) != len(hashes) || len(hashes) != len(tpl.Texts)+1 {
			t.Errorf("%s: %d texts, %d hashes, %d runs", protocol.Name, len(tpl.Texts), len(hashes), len(ids))
		}
	}
	// The boundary between texts is part of the id.
	two := judging.NewTemplateOfTexts("", "", map[string]string{"a": "x", "b": "y"}, correctness)
	for _, one := range []string{"xb y", "x 1 b 1 y", "x1 b 1 y", "xb", "x b y"} {
		if judging.NewTemplateOfTexts("", "", map[string]string{"a": one}, correctness).SHA256 == two.SHA256 {
			t.Errorf("two templates have one hash: %q", one)
		}
	}
	// The error for a folder with another run names what differs, without printing prompts.
	was, now := judging.NewManifest("test", judging.Spec{}), judging.NewManifest("test", judging.Spec{})
	was.Spec.Prompt, now.Spec.Prompt = judging.NewTemplateOfTexts("p", "", map[string]string{"a.system": "LONG TEXT"}, correctness), two
	if err := judging.OtherRun("dir", was, now); strings.Contains(err.Error(), "LONG TEXT") || !strings.Contains(err.Error(), "prompt.sha256") {
		t.Error(err)
	}
}

// A run made before templates had texts keeps its id: its spec has nothing new.
func TestPromptsOfOneTextAreWrittenAsBefore(t *testing.T) {
	raw, err := json.Marshal(pairwise.Protocol.Templates[0])
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(raw, &keys); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 5 || keys["texts"] != nil {
		t.Errorf("%s", raw)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(raw)); got != pairwiseTemplateBefore {
		t.Errorf("the template's JSON has SHA-256 %s", got)
	}
}

// pairwiseTemplateBefore is the SHA-256 of the JSON of prompt pairwise/sop when
// templates had one text.
const pairwiseTemplateBefore = "2694a51594dc5b91eb2d434075175bdce6e0d718cfc0b4b5cbc3f6bdfdaa4223"

func TestOwnPrompts(t *testing.T) {
	for name, c := range map[string]struct {
		protocol judging.Protocol
		text     string
		err      string // "" where it is one
	}{
		"answers":                   {answer.Protocol, "You are a careful mathematician.\n", ""},
		"answers, empty":            {answer.Protocol, " \n", "empty"},
		"judgments":                 {Protocol, "Say [[Correct]] or [[Incorrect]].", ""},
		"judgments with stars":      {Protocol, "Say **[[Correct]]** or **[[Incorrect]]**.", ""},
		"judgments, one label":      {Protocol, "Say [[Incorrect]].", "both [[Correct]] and [[Incorrect]]"},
		"judgments, other letters":  {Protocol, "Say [[correct]] or [[incorrect]].", "both [[Correct]] and [[Incorrect]]"},
		"comparison of two":         {pairwise.Protocol, "Say [[A>B]] or [[B>A]].", ""},
		"comparison without labels": {pairwise.Reversed, "Say [[Correct]] or [[Incorrect]].", "offers no [[A>B]]"},
	} {
		path := filepath.Join(t.TempDir(), "mine.txt")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		tpl, err := c.protocol.ReadTemplateFile(path)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || tpl.Name != path || tpl.Origin != "file" || len(tpl.SHA256) != 64 {
			t.Errorf("%s: %+v, %v", name, tpl, err)
		}
		items := []datasets.Item{judgmentOf(numberItem(), "a", "b"), judgmentOf(preferenceItem(), "a", "b")}
		switch {
		case c.protocol.Takes(datasets.ShapeChoice):
			items = []datasets.Item{judgingtest.ChoiceItem(), numberItem(), preferenceItem()}
		case c.protocol.Takes(datasets.ShapePair):
			items = []datasets.Item{judgingtest.PairItem("p", 0)}
		}
		for _, item := range items {
			p, plain := c.protocol.NewAsker(tpl, nil), c.protocol.NewAsker(c.protocol.Templates[0], nil)
			for _, s := range p.Presentations(item) {
				got, paper := p.Prompt(item, s), plain.Prompt(item, s)
				if got.System != strings.TrimSuffix(c.text, "\n") || got.User != paper.User {
					t.Errorf("%s, %s: %q\n%q", name, item.ID, got.System, got.User)
				}
				if stars := strings.Contains(c.text, "**"); item.Shape == datasets.ShapeJudgment && strings.HasPrefix(got.Labels[0], "**") != stars {
					t.Errorf("%s, %s: labels %v", name, item.ID, got.Labels)
				}
			}
		}
	}
	if len(Protocol.Templates[0].Texts["self.system"]) < 100 {
		t.Error("a prompt of one's own has changed the paper's")
	}
}

func TestTextOfATemplate(t *testing.T) {
	if got := pairwise.Protocol.Templates[0].AllTexts(); got != pairwise.Protocol.Templates[0].System {
		t.Errorf("%q", got)
	}
	got := judging.NewTemplateOfTexts("n", "", map[string]string{"b.user": "B", "a.system": "A"}, correctness).AllTexts()
	if want := "[a.system]\nA\n\n[b.user]\nB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// ask runs a simulated judge on every presentation of items and returns its accuracy by mode.
func ask(t *testing.T, judge *backends.SimulatedJudge, protocol judging.Protocol, items []datasets.Item) map[string]float64 {
	t.Helper()
	p := protocol.NewAsker(protocol.Templates[0], nil)
	right, all := map[string]float64{}, map[string]float64{}
	for _, item := range items {
		for _, s := range p.Presentations(item) {
			prompt := p.Prompt(item, s)
			resp, err := judge.Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle})
			if err != nil {
				t.Fatal(err)
			}
			v := p.Parse(s, resp.Text, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
			if v.Outcome != judging.Decided {
				t.Fatalf("%s: %q reads as %+v", item.ID, resp.Text, v)
			}
			r := judging.NewRecord(&judging.Manifest{Spec: judging.Spec{Protocol: protocol.Name}}, item, s)
			if all[s.Mode]++; judging.IsRightVerdict(r, v) {
				right[s.Mode]++
			}
		}
	}
	for mode, n := range all {
		right[mode] /= n
	}
	return right
}

// A simulated judge is right at its accuracy for every kind of question, and its own answer as a reference helps it
// where that is right.
func TestSimulatedAnswersAndJudgments(t *testing.T) {
	const n, bound = 3000, 0.03
	judge := &backends.SimulatedJudge{Accuracy: 0.7, FollowsWrongReference: 0.5, Seed: 3}
	for name, item := range map[string]datasets.Item{"choice": judgingtest.ChoiceItem(), "number": numberItem(), "preference": preferenceItem()} {
		var items []datasets.Item
		for i := range n {
			item.ID = fmt.Sprint(i)
			items = append(items, item)
		}
		if got := ask(t, judge, answer.Protocol, items)[""]; math.Abs(got-0.7) > bound {
			t.Errorf("%s: right in %.3f", name, got)
		}
	}
	for _, own := range []bool{true, false} {
		var items []datasets.Item
		for i := range n {
			item := judgmentOf(numberItem(), "a", "b")
			item.ID, item.Gold = fmt.Sprint(i), i%2
			item.Answered.Own = &datasets.Answer{Right: own}
			items = append(items, item)
		}
		got, want := ask(t, judge, Protocol, items), 0.35
		if own {
			want = 0.85
		}
		if math.Abs(got[ModeCoT]-0.7) > bound || math.Abs(got[ModeSelf]-want) > bound {
			t.Errorf("own answer right %v: %v, want 0.7 and %v", own, got, want)
		}
	}
}

// The right number has no fixed position that a judge who names the first would always find.
func TestSimulatedNumbersAreInNoOrder(t *testing.T) {
	p := answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil)
	counts := map[int]int{}
	for i := range 300 {
		item := numberItem()
		item.ID = fmt.Sprint(i)
		s := p.Presentations(item)[0]
		o := p.Prompt(item, s).Oracle
		counts[o.CorrectPosition]++
		right := 0
		for position, c := range o.VerdictLabels {
			if v := p.Parse(s, c, judging.ReadingOptions{}); answer.SameNumber(v.Answer, item.Answer) != (position == o.CorrectPosition) || v.Outcome != judging.Decided {
				t.Fatalf("%+v: %q reads as %+v", o, c, v)
			}
			right++
		}
		if second := p.Prompt(item, s).Oracle; right != 3 || !reflect.DeepEqual(o, second) {
			t.Fatalf("%+v, then %+v", o, second)
		}
	}
	for position := range 3 {
		if counts[position] < 60 {
			t.Errorf("at place %d in %d of 300", position, counts[position])
		}
	}
	odd := numberItem()
	odd.Answer = "nobody knows"
	if o := p.Prompt(odd, p.Presentations(odd)[0]).Oracle; len(o.VerdictLabels) != 1 || o.CorrectPosition != 0 {
		t.Errorf("%+v", o)
	}
	// Without a label, a judge still gives an answer.
	open := judgingtest.ChoiceItem()
	open.Gold = datasets.NoGold
	prompt := p.Prompt(open, p.Presentations(open)[0])
	if resp, err := (&backends.SimulatedJudge{Accuracy: 1, Seed: 1}).Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle}); err != nil || !strings.Contains(resp.Text, "The answer is (") {
		t.Errorf("%+v, %v", resp, err)
	}
}

// mustRead returns a record after a round trip.
func mustRead(t *testing.T, j *judging.RunJob, r *judging.Record) judging.Verdict {
	t.Helper()
	v, err := r.Read(j.Asker, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
