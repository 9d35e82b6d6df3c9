package suite

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/eval"
)

// TestSuiteExample: the example in the docs is the one beside them, and is a
// suite.
func TestSuiteExample(t *testing.T) {
	const path, page = "../../docs/examples/suite.yaml", "../../docs/suites.md"
	if !strings.Contains(read(t, page), "```yaml\n"+read(t, path)+"```\n") {
		t.Error("docs/suites.md has another example than docs/examples/suite.yaml")
	}
	s, err := Open(path)
	assert.NilError(t, err)
	if err := s.Check(t.Context(), new(eval.Maker)); err != nil {
		t.Error(err)
	}
	if len(s.conditions) != 4+8+2 || len(s.Cells) != 2*14 || s.Out != "runs/two-judges" || s.limits != (Limits{5000, 8}) {
		t.Errorf("%d conditions, %d cells, in %s, limits %+v", len(s.conditions), len(s.Cells), s.Out, s.limits)
	}
	for _, tt := range []struct {
		cell   int
		folder string
		values string
	}{
		{0, "runs/two-judges/qwen3-8b_pairwise_sample_sop", "pairwise backend=ollama base-url=http://127.0.0.1:11434 concurrency=4 dataset=sample max-tokens=2048 model=qwen3:8b prompt=sop think=off"},
		{14 + 3, "runs/two-judges/llama_reversed_sample_direct", "reversed api-key-env=GPU_KEY backend=openai base-url=http://gpu1:8080|http://gpu2:8080 concurrency=4 dataset=sample max-tokens=2048 model=llama-3.1-8b prompt=direct"},
		{5, "runs/two-judges/qwen3-8b_multi-option_sample-options_1_goal-best_unrelated-true", "multi-option backend=ollama base-url=http://127.0.0.1:11434 concurrency=4 dataset=sample-options goal=best max-tokens=2048 model=qwen3:8b prompt=1 think=off unrelated=true"},
		{13, "runs/two-judges/qwen3-8b_self_mode-self", "self-reference agents=sim:accuracy=0.6,seed=2|sim:accuracy=0.8,seed=3 backend=ollama base-url=http://127.0.0.1:11434 concurrency=4 dataset=sample-number max-tokens=2048 mode=self model=qwen3:8b think=off"},
	} {
		c := s.Cells[tt.cell]
		got := c.Protocol().Name
		for _, name := range slices.Sorted(maps.Keys(c.Values())) {
			got += " " + name + "=" + strings.Join(c.Values()[name], "|")
		}
		if got != tt.values || c.Request.Out != tt.folder {
			t.Errorf("cell %d in %s:\n%s\nwant\n%s", tt.cell, c.Request.Out, got, tt.values)
		}
	}
	if o := s.Cells[5].Request; !o.AddUnrelatedOption || o.MaxTokens != 2048 || o.Concurrency != 4 || o.Think != "off" {
		t.Errorf("options: %+v", o)
	}
}

// What is set closer to the run counts: a default only where nobody else sets it,
// and only for protocols that have such a flag.
func TestSuiteDefaults(t *testing.T) {
	file, err := ParseFile("s.yaml", []byte(`
defaults: {attempts: 1, max-tokens: 100, concurrency: 3, group: [law, physics]}
judges:
  - {model: coin, backend: sim, max-tokens: 200, attempts: 3, name: a}
  - {model: coin, backend: sim, name: b}
conditions:
  - {protocol: pairwise, dataset: sample, concurrency: 1, group: [[math, code], [law]]}
  - {protocol: answer, dataset: sample-choice}
`))
	assert.NilError(t, err)
	s, err := file.MakeSuite((*Cell).ReadRequest)
	assert.NilError(t, err)
	for i, want := range []struct {
		name                             string
		attempts, maxTokens, concurrency int
		groups                           []string
	}{
		{"a_pairwise_sample_sop_concurrency-1_group-math-code", 3, 200, 1, []string{"math", "code"}},
		{"a_pairwise_sample_sop_concurrency-1_group-law", 3, 200, 1, []string{"law"}},
		{"a_answer_sample-choice_paper", 1, 200, 3, []string{"law", "physics"}},
		{"b_pairwise_sample_sop_concurrency-1_group-math-code", 1, 100, 1, []string{"math", "code"}},
		{"b_pairwise_sample_sop_concurrency-1_group-law", 1, 100, 1, []string{"law"}},
		{"b_answer_sample-choice_paper", 1, 100, 3, []string{"law", "physics"}},
	} {
		c := s.Cells[i]
		if r := c.Request; c.name != want.name || r.VerdictAttempts != want.attempts || r.MaxTokens != want.maxTokens ||
			r.Concurrency != want.concurrency || !slices.Equal(r.Groups, want.groups) {
			t.Errorf("%s: attempts %d, max-tokens %d, concurrency %d, groups %q; want %+v", c.name, r.VerdictAttempts, r.MaxTokens, r.Concurrency, r.Groups, want)
		}
	}
}

// Anchors are values written once.
func TestSuiteAnchors(t *testing.T) {
	file, err := ParseFile("s.yaml", []byte("judges: [{model: &m coin, backend: sim}, {name: other, model: *m, backend: sim}]\nconditions:\n- {protocol: pairwise, dataset: sample, prompt: &p [sop, direct]}\n- {protocol: reversed, dataset: sample, prompt: *p}\n"))
	assert.NilError(t, err)
	if file.judges[1].settings[0].String() != "coin" || len(file.conditions) != 4 || file.Name != "s" || file.Out != "runs/s" {
		t.Errorf("%+v", file)
	}
}

const suiteHead = "judges:\n- {model: coin, backend: sim}\nconditions:\n"

// FuzzSuite: whatever the file, there is a suite or one line that says why not,
// and no folder outside that of the suite.
func FuzzSuite(f *testing.F) {
	f.Add(read(f, "../../docs/examples/suite.yaml"))
	f.Add(suiteHead + "- {protocol: [pairwise, reversed], dataset: ../../x, prompt: [sop, direct]}\n")
	f.Add("judges: &a [*a]\nconditions: [{protocol: [[pairwise]]}]")
	f.Add("judges: [{model: ../.., backend: sim}]\nconditions: [{protocol: answer, name: ..}]")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ParseFile("s.yaml", []byte(text))
		var s *Suite
		if err == nil {
			s, err = file.MakeSuite((*Cell).ReadRequest)
		}
		if err != nil {
			if located := (*lineError)(nil); !errors.As(err, &located) || located.File != "s.yaml" {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		names := map[string]bool{}
		for _, c := range s.Cells {
			if rel, err := filepath.Rel(s.Out, c.Request.Out); err != nil || !filepath.IsLocal(rel) || rel != c.name ||
				names[c.name] {
				t.Errorf("%q: a cell in %s", text, c.Request.Out)
			}
			names[c.name] = true
		}
	})
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	assert.NilError(t, err)
	return string(b)
}
