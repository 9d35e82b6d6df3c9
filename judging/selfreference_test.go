package judging

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
)

// Lines of any shape, for tests alone: an Item as Go writes it. What the real
// formats can read is theirs.
func init() {
	datasets.Formats = append(datasets.Formats, datasets.Format{
		Name: "test-item", About: "items of tests", Parse: func(line []byte) (datasets.Item, error) {
			var v struct {
				Item *datasets.Item `json:"test_item"`
			}
			if err := json.Unmarshal(line, &v); err != nil || v.Item == nil {
				return datasets.Item{}, fmt.Errorf("not an item of tests: %v", err)
			}
			return *v.Item, nil
		},
	})
}

// setOfItems opens a file of items.
func setOfItems(t testing.TB, items ...datasets.Item) *datasets.Set {
	t.Helper()
	var lines []byte
	for _, item := range items {
		line, err := json.Marshal(map[string]any{"test_item": item})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	path := filepath.Join(t.TempDir(), "items.jsonl")
	if err := os.WriteFile(path, lines, 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := datasets.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

// jobOf is a job over all of a set.
func jobOf(kind Protocol, settings Settings, set *datasets.Set, client backends.Client) (*Job, *written) {
	w := &written{}
	spec := Spec{
		Protocol: kind.Name, Goal: kind.Goal, Prompt: kind.Templates[0], Options: settings,
		Dataset: DatasetSpec{SHA256: set.SHA256, Items: set.Len(), IDs: "ids"},
		Model:   ModelSpec{Name: "judge", Identity: "test judge"}, Parameters: DefaultParameters,
	}
	return &Job{
		Manifest: NewManifest("test", spec), Asker: kind.New(kind.Templates[0], settings), Set: set, Rows: inOrder(set.Len()),
		Client: client, Concurrency: 1, Write: w.write,
	}, w
}

func TestCorrectness(t *testing.T) {
	decided := func(label string, choice int) Verdict {
		return Verdict{Outcome: Decided, Label: label, Choice: choice}
	}
	none := Verdict{Outcome: NoVerdict, Choice: Nobody}
	conflict := Verdict{Outcome: Conflict, Choice: Nobody}
	unoffered := func(label string) Verdict { return Verdict{Outcome: NoVerdict, Label: label, Choice: Nobody} }
	for _, c := range []struct {
		name, reply  string
		unique, last Verdict
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
		for policy, want := range map[Policy]Verdict{Unique: c.unique, Last: c.last} {
			p := SelfReference.New(judgmentTexts, nil)
			if got := p.Parse(Showing{Order: []int{0, 1}, Shape: datasets.Judgment}, c.reply, Reading{Policy: policy}); got != want {
				t.Errorf("%s, %s: %+v, want %+v", c.name, policy, got, want)
			}
		}
	}
}

func FuzzCorrectness(f *testing.F) {
	for _, s := range []string{"[[Correct]]", "[[Incorrect]]", "[[correct]] [[INcorrect]]", "[[A]] **[[Incorrect]]**", "[[Correct]][[Incorrect]]"} {
		f.Add(s)
	}
	for _, h := range hazards {
		f.Add(h)
	}
	p := SelfReference.New(judgmentTexts, nil)
	f.Fuzz(func(t *testing.T, reply string) {
		right, wrong := strings.Contains(reply, "[[Correct]]"), strings.Contains(reply, "[[Incorrect]]")
		for _, policy := range Policies {
			v := p.Parse(Showing{Order: []int{0, 1}, Shape: datasets.Judgment}, reply, Reading{Policy: policy})
			switch {
			case v.Outcome == Decided && v.Choice == 0 && right, v.Outcome == Decided && v.Choice == 1 && wrong:
			case v.Outcome == Conflict && policy == Unique:
			case v.Outcome == NoVerdict && v.Choice == Nobody:
			default:
				t.Errorf("%s: %q reads as %+v", policy, reply, v)
			}
			if policy == Unique && v.Outcome == Decided && right && wrong || right != wrong && v.Outcome == NoVerdict && v.Label == "" {
				t.Errorf("%s: %q reads as %+v", policy, reply, v)
			}
		}
	})
}

func TestModes(t *testing.T) {
	item := judgmentOf(numberItem(), "The answer is 1447", "The answer is 1446")
	for mode, want := range map[string][]string{"": {ModeCoT, ModeSelf}, ModeCoT: {ModeCoT}, ModeSelf: {ModeSelf}} {
		var settings Settings
		if mode != "" {
			settings = Settings{"mode": mode}
		}
		p := SelfReference.New(judgmentTexts, settings)
		var got []string
		for i, s := range p.Showings(item) {
			if got = append(got, s.Mode); s.Index != i || !slices.Equal(s.Order, []int{0, 1}) || s.Shape != datasets.Judgment {
				t.Errorf("mode %q: showing %+v", mode, s)
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
	if got := SelfReference.New(judgmentTexts, nil).Showings(item); len(got) != 1 || got[0].Mode != ModeCoT {
		t.Errorf("without a reference: %+v", got)
	}
	if got := SelfReference.New(judgmentTexts, Settings{"mode": ModeSelf}).Showings(item); len(got) != 0 {
		t.Errorf("without a reference, in mode self: %+v", got)
	}
}

// What records have to say of a judgment is in them.
func TestRecordsOfJudgments(t *testing.T) {
	item := judgmentOf(choiceItem(), "The answer is (A)", "The answer is (C)")
	j, w := jobOf(SelfReference, nil, setOfItems(t, item), script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		return says("Hm. [[Incorrect]]")
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.records) != 2 {
		t.Fatalf("%d records", len(w.records))
	}
	for i, mode := range []string{ModeCoT, ModeSelf} {
		r := w.records[i]
		if r.Mode != mode || r.Question != "c1" || r.Agent != "agent" || r.Gold != "Incorrect" || r.Choice != "Incorrect" || r.Unit() != "c1" || !Right(r) ||
			!reflect.DeepEqual(r.Own, &datasets.Answer{Value: "C", Right: true}) || r.Shape != datasets.Judgment || r.Showings != 2 {
			t.Errorf("%+v", r)
		}
		if err := r.check(); err != nil {
			t.Error(err)
		}
	}
}

// Records of answers hold the answer, and read again as what was recorded.
func TestRecordsOfAnswers(t *testing.T) {
	said := map[string]string{"c1": "The answer is (C).", "n1": "The answer is $1,447.00", "m1": "[[B]]"}
	items := []datasets.Item{choiceItem(), numberItem(), preferenceItem()}
	j, w := jobOf(Answer, nil, setOfItems(t, items...), script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		return says(said[req.Oracle.Item])
	}))
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ choice, answer, rule, gold string }{{"C", "", RuleAnswerIs, "C"}, {"", "1447", RuleAnswerIs, "1,447"}, {"B", "", "", "B"}} {
		r := w.records[i]
		if r.Choice != want.choice || r.Answer != want.answer || r.Rule != want.rule || r.Gold != want.gold || !Right(r) || r.Showings != 1 || len(r.Replies) != 1 {
			t.Errorf("%+v", r)
		}
		v, err := r.Read(j.Asker, Reading{Policy: Unique})
		if err := r.check(); err != nil {
			t.Error(err)
		}
		if err != nil || !RightVerdict(r, v) || v.Answer != want.answer {
			t.Errorf("read again: %+v, %v", v, err)
		}
	}
	// An answer that cannot be read is not asked for twice.
	asked := 0
	j, w = jobOf(Answer, nil, setOfItems(t, numberItem()), script(func(context.Context, backends.Request) (backends.Response, error) { asked++; return says("No idea.") }))
	if err := j.Run(t.Context()); err != nil || asked != 1 || w.records[0].Outcome != NoVerdict {
		t.Errorf("%v, asked %d times, %+v", err, asked, w.records)
	}
}

// A choice and a judgment are held to their labels in a turn of their own; a
// number is not held to anything.
func TestConstrainedAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		kind  Protocol
		item  datasets.Item
		calls int
		want  string
	}{
		"choice":     {Answer, choiceItem(), 2, "C"},
		"preference": {Answer, preferenceItem(), 2, "C"},
		"judgment":   {SelfReference, judgmentOf(preferenceItem(), "[[A]]", ""), 2, "Incorrect"},
		"number":     {Answer, numberItem(), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			j, w := jobOf(c.kind, nil, setOfItems(t, c.item), script(func(_ context.Context, req backends.Request) (backends.Response, error) {
				if asked++; req.Constrain != nil {
					return says(req.Constrain[len(req.Constrain)-1])
				}
				return says("It is 1447, or [[Correct]].")
			}))
			j.Manifest.Spec.Parameters.Constrain, j.Manifest.Spec.Parameters.Logprobs = true, true
			plan, err := j.MakePlan(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := w.records[0]
			if asked != c.calls || r.Choice != c.want || r.Outcome != Decided || r.Replies[len(r.Replies)-1].Constrained != (c.want != "") {
				t.Errorf("asked %d times: %+v", asked, r)
			}
			if labels := len(j.Asker.Prompt(c.item, j.Asker.Showings(c.item)[0]).Labels); plan.LabelTurns != (c.want != "") || plan.CallsAtMost != c.calls+max(0, labels-1) {
				t.Errorf("planned %+v", plan)
			}
			if name == "number" && r.Answer != "1447" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Without labels there is nothing to hold a reply to, with a label turn or not.
func TestNothingToHoldTo(t *testing.T) {
	params := Parameters{Constrain: true, Logprobs: true}
	for _, prompt := range []Prompt{{}, {LabelTurn: "now"}} {
		for attempt := 1; attempt <= 2; attempt++ {
			var req backends.Request
			if params.hold(&req, prompt, attempt) || req.Constrain != nil || req.Labels != nil {
				t.Errorf("%+v, attempt %d: %+v", prompt, attempt, req)
			}
		}
	}
}

// An imported verdict without text keeps the answer that it has.
func TestStoredAnswers(t *testing.T) {
	r := Record{Schema: 1, Item: "n1", Shape: datasets.Number, Gold: "18", Outcome: Decided, Answer: "18", Rule: "theirs", Imported: &Imported{Stored: true}}
	if v, err := r.Read(Answer.New(answerTexts, nil), Reading{}); err != nil || v != (Verdict{Outcome: Decided, Choice: Nobody, Answer: "18", Rule: "theirs"}) {
		t.Errorf("%+v, %v", v, err)
	}
}

// No second attempt is planned where none is asked.
func TestOneCallForAnAnswer(t *testing.T) {
	j, _ := jobOf(Answer, nil, setOfItems(t, choiceItem(), numberItem()), nil)
	if plan, err := j.MakePlan(t.Context(), nil); err != nil || plan.CallsAtMost != 2 || plan.LabelTurns {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestLongestPromptOfEveryShape(t *testing.T) {
	long := judgmentOf(numberItem(), strings.Repeat("a", 500), strings.Repeat("r", 900))
	long.ID = "long"
	for _, c := range []struct {
		kind  Protocol
		items []datasets.Item
	}{
		{Answer, []datasets.Item{choiceItem(), numberItem(), preferenceItem()}},
		{SelfReference, []datasets.Item{judgmentOf(choiceItem(), "a", "b"), long, judgmentOf(preferenceItem(), "a", "b")}},
	} {
		set := setOfItems(t, c.items...)
		p := c.kind.New(c.kind.Templates[0], nil)
		want := 0
		for _, item := range c.items {
			for _, s := range p.Showings(item) {
				prompt := p.Prompt(item, s)
				want = max(want, len(prompt.System)+len(prompt.User))
			}
		}
		if got := LongestPrompt(p, set); got != want {
			t.Errorf("%s: %d bytes, want %d", c.kind.Name, got, want)
		}
	}
	// In tokens it is the longest showing that is counted: with the reference.
	j, _ := jobOf(SelfReference, nil, setOfItems(t, long), nil)
	j.Count = func(_ context.Context, req backends.Request) (int, error) {
		return strings.Count(req.Messages[1].Content, "r"), nil
	}
	if got, err := j.LongestPrompt(t.Context(), 1); err != nil || got.Tokens < 900 {
		t.Errorf("%+v, %v", got, err)
	}
	// An item that is not shown at all has no prompt.
	bare := judgmentOf(numberItem(), "a", "")
	j, _ = jobOf(SelfReference, Settings{"mode": ModeSelf}, setOfItems(t, bare), nil)
	if _, err := j.LongestPrompt(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// The manifest says all that the prompts say, and a run is another where any of
// it is.
func TestTextsAreInTheManifest(t *testing.T) {
	for _, kind := range []Protocol{Answer, SelfReference} {
		tpl := kind.Templates[0]
		var m Manifest
		raw, err := json.Marshal(NewManifest("test", Spec{Protocol: kind.Name, Prompt: tpl}))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m.Spec.Prompt, tpl) {
			t.Errorf("%s: read back %+v", kind.Name, m.Spec.Prompt)
		}
		p, err := AskerOf(&m)
		if err != nil || !reflect.DeepEqual(p, kind.New(tpl, nil)) {
			t.Errorf("%s: %+v, %v", kind.Name, p, err)
		}
		seen := map[string]string{tpl.SHA256: "the paper's"}
		ids := map[string]bool{NewManifest("test", Spec{Prompt: tpl}).ID: true}
		for name := range tpl.Texts {
			texts := map[string]string{}
			for k, v := range tpl.Texts {
				texts[k] = v
			}
			texts[name] += " "
			other := newTexts(tpl.Name, tpl.Origin, texts, correctness)
			if was, ok := seen[other.SHA256]; ok {
				t.Errorf("%s: with another %s the SHA-256 is as with %s", kind.Name, name, was)
			}
			seen[other.SHA256] = name
			ids[NewManifest("test", Spec{Prompt: other}).ID] = true
		}
		if len(ids) != len(seen) || len(seen) != len(tpl.Texts)+1 {
			t.Errorf("%s: %d texts, %d hashes, %d runs", kind.Name, len(tpl.Texts), len(seen), len(ids))
		}
	}
	// What one text ends with and the next begins with is told apart.
	two := newTexts("", "", map[string]string{"a": "x", "b": "y"}, correctness)
	for _, one := range []string{"xb y", "x 1 b 1 y", "x1 b 1 y", "xb", "x b y"} {
		if newTexts("", "", map[string]string{"a": one}, correctness).SHA256 == two.SHA256 {
			t.Errorf("two templates have one hash: %q", one)
		}
	}
	// A folder that holds another run names what differs, and does not print prompts.
	was, now := testManifest(), testManifest()
	was.Spec.Prompt, now.Spec.Prompt = newTexts("p", "", map[string]string{"a.system": "LONG TEXT"}, correctness), two
	if err := OtherRun("dir", was, now); strings.Contains(err.Error(), "LONG TEXT") || !strings.Contains(err.Error(), "prompt.sha256") {
		t.Error(err)
	}
}

// A run made before templates had texts keeps its id: nothing new is in its spec.
func TestPromptsOfOneTextAreWrittenAsBefore(t *testing.T) {
	raw, err := json.Marshal(Pairwise.Templates[0])
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
		kind Protocol
		text string
		err  string // "" where it is one
	}{
		"answers":                   {Answer, "You are a careful mathematician.\n", ""},
		"answers, empty":            {Answer, " \n", "empty"},
		"judgments":                 {SelfReference, "Say [[Correct]] or [[Incorrect]].", ""},
		"judgments with stars":      {SelfReference, "Say **[[Correct]]** or **[[Incorrect]]**.", ""},
		"judgments, one label":      {SelfReference, "Say [[Incorrect]].", "both [[Correct]] and [[Incorrect]]"},
		"judgments, other letters":  {SelfReference, "Say [[correct]] or [[incorrect]].", "both [[Correct]] and [[Incorrect]]"},
		"comparison of two":         {Pairwise, "Say [[A>B]] or [[B>A]].", ""},
		"comparison without labels": {Reversed, "Say [[Correct]] or [[Incorrect]].", "offers no [[A>B]]"},
	} {
		path := filepath.Join(t.TempDir(), "mine.txt")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		tpl, err := c.kind.TemplateFile(path)
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
		case c.kind.Takes(datasets.Choice):
			items = []datasets.Item{choiceItem(), numberItem(), preferenceItem()}
		case c.kind.Takes(datasets.Pair):
			items = []datasets.Item{pair("p", 0)}
		}
		for _, item := range items {
			p, plain := c.kind.New(tpl, nil), c.kind.New(c.kind.Templates[0], nil)
			for _, s := range p.Showings(item) {
				got, paper := p.Prompt(item, s), plain.Prompt(item, s)
				if got.System != strings.TrimSuffix(c.text, "\n") || got.User != paper.User {
					t.Errorf("%s, %s: %q\n%q", name, item.ID, got.System, got.User)
				}
				if stars := strings.Contains(c.text, "**"); item.Shape == datasets.Judgment && strings.HasPrefix(got.Labels[0], "**") != stars {
					t.Errorf("%s, %s: labels %v", name, item.ID, got.Labels)
				}
			}
		}
	}
	if len(SelfReference.Templates[0].Texts["self.system"]) < 100 {
		t.Error("a prompt of one's own has changed the paper's")
	}
}

func TestTextOfATemplate(t *testing.T) {
	if got := Pairwise.Templates[0].Text(); got != Pairwise.Templates[0].System {
		t.Errorf("%q", got)
	}
	got := newTexts("n", "", map[string]string{"b.user": "B", "a.system": "A"}, correctness).Text()
	if want := "[a.system]\nA\n\n[b.user]\nB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// ask is what a simulated judge makes of every showing of items: the share it
// was right in, by mode.
func ask(t *testing.T, judge *backends.Sim, kind Protocol, items []datasets.Item) map[string]float64 {
	t.Helper()
	p := kind.New(kind.Templates[0], nil)
	right, all := map[string]float64{}, map[string]float64{}
	for _, item := range items {
		for _, s := range p.Showings(item) {
			prompt := p.Prompt(item, s)
			resp, err := judge.Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle})
			if err != nil {
				t.Fatal(err)
			}
			v := p.Parse(s, resp.Text, Reading{Policy: Unique})
			if v.Outcome != Decided {
				t.Fatalf("%s: %q reads as %+v", item.ID, resp.Text, v)
			}
			r := Record{Shape: s.Shape, Order: orderIDs(item, s), Gold: goldOf(item)}
			if all[s.Mode]++; RightVerdict(&r, v) {
				right[s.Mode]++
			}
		}
	}
	for mode, n := range all {
		right[mode] /= n
	}
	return right
}

// A simulated judge answers rightly as often as it is said to, whatever is asked
// for; and its own answer as a reference helps it where that is right.
func TestSimulatedAnswersAndJudgments(t *testing.T) {
	const n, bound = 3000, 0.03
	judge := &backends.Sim{Accuracy: 0.7, Seed: 3}
	for name, item := range map[string]datasets.Item{"choice": choiceItem(), "number": numberItem(), "preference": preferenceItem()} {
		var items []datasets.Item
		for i := range n {
			item.ID = fmt.Sprint(i)
			items = append(items, item)
		}
		if got := ask(t, judge, Answer, items)[""]; math.Abs(got-0.7) > bound {
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
		got, want := ask(t, judge, SelfReference, items), 0.35
		if own {
			want = 0.85
		}
		if math.Abs(got[ModeCoT]-0.7) > bound || math.Abs(got[ModeSelf]-want) > bound {
			t.Errorf("own answer right %v: %v, want 0.7 and %v", own, got, want)
		}
	}
}

// Of a number, the right one is at no place that a judge who names the first
// would always find.
func TestSimulatedNumbersAreInNoOrder(t *testing.T) {
	p := Answer.New(answerTexts, nil)
	at := map[int]int{}
	for i := range 300 {
		item := numberItem()
		item.ID = fmt.Sprint(i)
		s := p.Showings(item)[0]
		o := p.Prompt(item, s).Oracle
		at[o.Right]++
		right := 0
		for place, c := range o.Choices {
			if v := p.Parse(s, c, Reading{}); SameNumber(v.Answer, item.Answer) != (place == o.Right) || v.Outcome != Decided {
				t.Fatalf("%+v: %q reads as %+v", o, c, v)
			}
			right++
		}
		if again := p.Prompt(item, s).Oracle; right != 3 || !reflect.DeepEqual(o, again) {
			t.Fatalf("%+v, then %+v", o, again)
		}
	}
	for place := range 3 {
		if at[place] < 60 {
			t.Errorf("at place %d in %d of 300", place, at[place])
		}
	}
	odd := numberItem()
	odd.Answer = "nobody knows"
	if o := p.Prompt(odd, p.Showings(odd)[0]).Oracle; len(o.Choices) != 1 || o.Right != 0 {
		t.Errorf("%+v", o)
	}
	// Where nobody knows what is right, a judge says something all the same.
	open := choiceItem()
	open.Gold = datasets.NoGold
	prompt := p.Prompt(open, p.Showings(open)[0])
	if resp, err := (&backends.Sim{Accuracy: 1, Seed: 1}).Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle}); err != nil || !strings.Contains(resp.Text, "The answer is (") {
		t.Errorf("%+v, %v", resp, err)
	}
}
