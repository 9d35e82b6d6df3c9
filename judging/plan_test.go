package judging

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/judging/judgingtest"
)

func TestSizeContext(t *testing.T) {
	for _, c := range []struct {
		name                                     string
		bytes, maxTokens, attempts, trained, num int
	}{
		// 5000 + 256 + 2·(4096+32) = 13512, the next multiple of 2048 is 14336
		{"rounded up", 5000, 4096, 2, 0, 14336},
		// 1000 + 256 + 1·(760+32) = 2048
		{"just fits", 1000, 760, 1, 0, 2048},
		{"one more byte", 1001, 760, 1, 0, 4096},
		{"no more than it was trained for", 5000, 4096, 2, 8192, 8192},
		{"trained for more", 5000, 4096, 2, 131072, 14336},
	} {
		if got := SizeContext(c.bytes, c.maxTokens, c.attempts, c.trained); got != c.num {
			t.Errorf("%s: %d, want %d", c.name, got, c.num)
		}
	}
}

// The bound holds for every prompt of a set, and the longest one meets it.
func TestLongestPrompt(t *testing.T) {
	set := judgingtest.OpenDataset(t, `{"pair_id": "a", "question": "q", "response_A": "é", "response_B": "", "label": "A>B"}
{"pair_id": "b", "question": "a longer one", "response_A": "x", "response_B": "😀😀", "label": "B>A"}
{"pair_id": "c", "question": "", "response_A": "", "response_B": "", "label": "B>A"}
`)
	for _, protocol := range Protocols() {
		for _, tpl := range protocol.Templates {
			p := protocol.NewAsker(tpl, nil)
			longest := 0
			for i := range set.Len() {
				item, err := set.Item(i)
				assert.NilError(t, err)
				for _, s := range p.Presentations(item) {
					prompt := p.Prompt(item, s)
					longest = max(longest, len(prompt.System)+len(prompt.User))
				}
			}
			if got := MaxFirstTurnBytes(p, set); got != longest {
				t.Errorf("%s/%s: %d bytes, its longest prompt has %d", protocol.Name, tpl.Name, got, longest)
			}
		}
	}
}

func TestMakePlan(t *testing.T) {
	j, _ := newJob(t, judgingtest.Pairs(t, 4), nil)
	j.Manifest.Spec.Parameters.MaxTokens = 100
	bytes := 0
	var first []backends.Message
	for _, row := range j.Rows {
		item, err := j.Set.Item(row)
		assert.NilError(t, err)
		for _, s := range j.Asker.Presentations(item) {
			prompt := j.Asker.Prompt(item, s)
			if first == nil {
				first = FirstTurnMessages(prompt, backends.RoleSystem)
			}
			if item.ID != "p1" && (item.ID != "p2" || s.Index != 1) { // p1 is cached, p2 1 stands
				bytes += len(prompt.System) + len(prompt.User)
			}
		}
	}
	j.Completed = completed(map[string][]bool{"p2": {false, true}})
	calls := 0
	plan, err := j.MakePlan(t.Context(), func(req backends.Request) bool {
		calls++
		return slices.Equal(req.Messages, first) || calls == 2
	})
	assert.NilError(t, err)
	if plan.Items != 4 || plan.Judgments != 8 || plan.Completed != 1 || plan.Cached != 2 || plan.PromptTokens != bytes/4 ||
		plan.ReplyTokensAtLimit != 500 || calls != 7 {
		t.Errorf("%+v, the cache was asked %d times; want 8 judgments, 1 completed, 2 cached, %d tokens", plan, calls, bytes/4)
	}
	if !slices.Equal(plan.FirstPrompt, first) {
		t.Errorf("the first prompt is %q", plan.FirstPrompt)
	}
	if plan, err = j.MakePlan(t.Context(), nil); err != nil || plan.Cached != 0 || plan.ReplyTokensAtLimit != 700 {
		t.Errorf("without a cache: %+v, %v", plan, err)
	}
}

// A plan asks the cache for what the run will ask the judge.
func TestPlanAndRunMakeTheSameRequests(t *testing.T) {
	requests := func(list *[]string) func(backends.Request) {
		return func(req backends.Request) { *list = append(*list, hashMessages(req.Messages)) }
	}
	var planned, sent []string
	plan, ask := requests(&planned), requests(&sent)
	j, _ := newJob(t, judgingtest.Pairs(t, 3), right(func(req backends.Request) {
		ask(req)
	}))
	j.Manifest.Spec.Parameters.SystemTextRole = backends.RoleUser
	if _, err := j.MakePlan(t.Context(), func(req backends.Request) bool { plan(req); return false }); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, j.Run(t.Context()))
	if !slices.Equal(planned, sent) || len(sent) != 6 {
		t.Errorf("planned %d, asked %d, or they differ", len(planned), len(sent))
	}
}

func TestCountPresentations(t *testing.T) {
	if n, err := CountPresentations(protocolNamed(t, "pairwise", "sop"), judgingtest.Pairs(t, 3), []int{0, 1, 2}); err != nil || n != 6 {
		t.Errorf("%d, %v", n, err)
	}
}
