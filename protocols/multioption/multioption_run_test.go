package multioption

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/pairwise"
	"gavel/protocols/protocoltest"
)

// optionsSet returns a dataset of items with this many options each.
func optionsSet(t *testing.T, options ...int) *datasets.Set {
	t.Helper()
	var lines strings.Builder
	for i, n := range options {
		item := optionsItem(make([]string, n)...)
		item.ID = fmt.Sprintf("i%d", i+1)
		for c := range item.Candidates {
			item.Candidates[c].Text = fmt.Sprintf("answer %d to %s", c+1, item.ID)
		}
		line, err := datasets.EncodeOptions(item)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return judgingtest.OpenDataset(t, lines.String())
}

func TestCountPresentations(t *testing.T) {
	set := optionsSet(t, 2, 3, 4)
	for orders, want := range map[string]int{"rotations": 2 + 3 + 4, "all": 2 + 6 + 24, "random:5": 2 + 5 + 5} {
		if n, err := judging.CountPresentations(choosing(t, "1", judging.Settings{"orders": orders}), set, []int{0, 1, 2}); err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", orders, n, err, want)
		}
	}
	if n, err := judging.CountPresentations(choosing(t, "1", nil), set, []int{2}); err != nil || n != 4 {
		t.Errorf("one row: %d, %v", n, err)
	}
	if _, err := judging.CountPresentations(choosing(t, "1", judging.Settings{"orders": "all"}), optionsSet(t, 2, 5), []int{0, 1}); err == nil || !strings.Contains(err.Error(), "i2 has 5 options") {
		t.Errorf("five options in all orders: %v", err)
	}
}

// A run from the items to records that read back as they were written.
func TestRunOfOptions(t *testing.T) {
	for _, goal := range goalOption.Values {
		set := optionsSet(t, 3, 2)
		var prompts []string
		j, w := protocoltest.Job(Protocol, judging.Settings{"goal": goal}, set, judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
			prompts = append(prompts, fmt.Sprint(req.Oracle.Item, " ", req.Oracle.Presentation))
			return judgingtest.Reply(judgingtest.RightLabel(req))
		}))
		if err := j.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []string{"i1 0", "i1 1", "i1 2", "i2 0", "i2 1"}; !slices.Equal(prompts, want) {
			t.Errorf("asked %q, want %q: the orders of an item one after the other", prompts, want)
		}
		orders := []string{"[03 01 02]", "[02 03 01]", "[01 02 03]", "[02 01]", "[01 02]"}
		for i, r := range w.Records {
			want := map[string]string{goalBest: "01", GoalWorst: []string{"03", "02"}[min(1, i/3)]}[goal]
			if r.Outcome != judging.Decided || r.Choice != want || r.Gold != "01" || fmt.Sprint(r.Order) != orders[i] || r.Shape != datasets.ShapeOptions || r.Rule != "selection" || len(r.Ranks) != r.Presentations {
				t.Errorf("%s: record %d: %+v, want choice %s", goal, i, r, want)
			}
			if err := protocoltest.CheckRecordRoundTrip(r); err != nil {
				t.Error(err)
			}
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var back judging.Record
			if err := json.Unmarshal(line, &back); err != nil {
				t.Fatal(err)
			}
			p, err := judging.AskerOf(j.Manifest)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := back.Read(p, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); err != nil || back.CandidateID(v.Choice) != r.Choice {
				t.Errorf("read again: %+v, %v", v, err)
			}
		}
	}
}

// With --constrain the judge reasons first, with every prompt, and then selects one of the options shown.
func TestConstrainedOptions(t *testing.T) {
	set := optionsSet(t, 3)
	talk := "Selection: Option 9, or Option 1?"
	var requests []backends.Request
	j, w := protocoltest.Job(Protocol, nil, set, judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		req.Messages = slices.Clone(req.Messages)
		requests = append(requests, req)
		if req.AllowedReplies == nil {
			return judgingtest.Reply(talk)
		}
		return judgingtest.Reply(req.AllowedReplies[1])
	}))
	j.Manifest.Spec.Parameters.Constrain = true
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(requests) != 6 || requests[0].AllowedReplies != nil || !slices.Equal(requests[1].AllowedReplies, []string{"Selection: Option 1", "Selection: Option 2", "Selection: Option 3"}) {
		t.Fatalf("asked %+v", requests)
	}
	if last := requests[1].Messages; last[len(last)-1].Content != optionTurnText || last[len(last)-2].Content != talk {
		t.Errorf("the second turn: %+v", last)
	}
	for _, r := range w.Records {
		if r.Outcome != judging.Decided || r.Choice != r.Order[1] || r.Label != "Option 2" || !r.Replies[1].Constrained {
			t.Errorf("%+v", r)
		}
	}
}

// Without --constrain there is one request, whatever --attempts is.
func TestOptionsAreAskedOnce(t *testing.T) {
	calls := 0
	j, w := protocoltest.Job(Protocol, nil, optionsSet(t, 2), judgingtest.Script(func(context.Context, backends.Request) (backends.Response, error) {
		calls++
		return judgingtest.Reply("I cannot decide.")
	}))
	j.Manifest.Spec.Parameters.VerdictAttempts = 5
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if calls != 2 || w.Records[0].Outcome != judging.NoVerdict || len(w.Records[0].Replies) != 1 {
		t.Errorf("%d calls, %+v", calls, w.Records[0])
	}
	if plan, err := j.MakePlan(t.Context(), nil); err != nil || plan.Judgments != 2 || plan.CallsAtMost != 2 {
		t.Errorf("%+v, %v", plan, err)
	}
}

// The longest prompt of a set includes the text around each option.
func TestLongestPromptOfOptions(t *testing.T) {
	set := optionsSet(t, 2, 12, 3)
	p := choosing(t, "3", nil)
	item, err := set.Item(1)
	if err != nil {
		t.Fatal(err)
	}
	prompt := p.Prompt(item, p.Presentations(item)[0])
	if got := judging.MaxFirstTurnBytes(p, set); got != len(prompt.System)+len(prompt.User) {
		t.Errorf("%d bytes, want %d", got, len(prompt.System)+len(prompt.User))
	}
}

// A manifest has the texts of both goals, and another text makes another run.
func TestMultiOptionTemplates(t *testing.T) {
	if names := Protocol.TemplateNames(); !slices.Equal(names, []string{"1", "2", "3", "4", judging.DecisionPromptName}) {
		t.Errorf("prompts %q", names)
	}
	prompts := map[string]bool{}
	for _, tpl := range Protocol.Templates {
		if len(tpl.Texts) != 2 || prompts[tpl.SHA256] || len(tpl.Labels) != 0 || tpl.Origin == "" {
			t.Errorf("%+v", tpl)
		}
		prompts[tpl.SHA256] = true
		for goal, text := range tpl.Texts {
			if strings.HasSuffix(text, "\n") || strings.Contains(text, "\r") || strings.Contains(text, "**") {
				t.Errorf("prompt %s, goal %s has a final newline, a carriage return or bold type", tpl.Name, goal)
			}
		}
	}
	if Protocol.GoalOf(nil) != "best" || Protocol.GoalOf(judging.Settings{"goal": "worst"}) != "worst" || pairwise.Reversed.GoalOf(judging.Settings{"goal": "best"}) != "worse" {
		t.Error("the goal of a run is another")
	}
}

func TestOwnSelectionPrompt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.txt")
	if err := os.WriteFile(path, []byte("Which one? Say Selection: Option and its number.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tpl, err := Protocol.ReadTemplateFile(path)
	if err != nil || tpl.System != "Which one? Say Selection: Option and its number." || tpl.Name != path {
		t.Fatalf("%+v, %v", tpl, err)
	}
	for _, goal := range goalOption.Values {
		item := optionsItem("a", "b")
		if got := Protocol.NewAsker(tpl, judging.Settings{"goal": goal}).Prompt(item, judging.Presentation{Order: []int{0, 1}}); got.System != tpl.System || len(got.Labels) != 2 {
			t.Errorf("goal %s: %+v", goal, got)
		}
	}
	if err := os.WriteFile(path, []byte(" \n\t\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Protocol.ReadTemplateFile(path); err == nil || !strings.Contains(err.Error(), "the prompt is empty") {
		t.Errorf("an empty prompt: %v", err)
	}
}

// A damaged manifest, or one of a newer gavel, still makes a protocol, since it has to read replies.
func TestUnknownOrdersReadAsRotations(t *testing.T) {
	p := choosing(t, "1", judging.Settings{"orders": "spiral", "goal": "middling"})
	if got := p.Presentations(optionsItem("a", "b", "c")); len(got) != 3 {
		t.Errorf("%+v", got)
	}
	if got := p.Prompt(optionsItem("a", "b"), judging.Presentation{Order: []int{0, 1}}); got.System != p.template.Texts[goalBest] {
		t.Errorf("system message %q", got.System)
	}
}
