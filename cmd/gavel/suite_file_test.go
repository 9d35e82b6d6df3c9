package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSuiteExample: the example in the docs is the one beside them, and is a
// suite.
func TestSuiteExample(t *testing.T) {
	path := filepath.Join(sourceDir, "../../docs/examples/suite.yaml")
	if !strings.Contains(read(t, filepath.Join(sourceDir, "../../docs/suites.md")), "```yaml\n"+read(t, path)+"```\n") {
		t.Error("docs/suites.md has another example than docs/examples/suite.yaml")
	}
	home(t)
	e := newEnv(&interrupts{}, os.Stdout, os.Stderr)
	s, err := e.openSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.check(t.Context(), s); err != nil {
		t.Error(err)
	}
	if len(s.points) != 4+8+2 || len(s.cells) != 2*14 || s.out != "runs/two-judges" || s.limits != (suiteLimits{5000, 8}) {
		t.Errorf("%d conditions, %d cells, in %s, limits %+v", len(s.points), len(s.cells), s.out, s.limits)
	}
	for _, tt := range []struct {
		cell int
		args string
	}{
		{0, "run pairwise --model=qwen3:8b --backend=ollama --base-url=http://127.0.0.1:11434 --think=off --dataset=sample --prompt=sop --concurrency=4 --max-tokens=2048 --out=runs/two-judges/qwen3-8b_pairwise_sample_sop"},
		{14 + 3, "run reversed --model=llama-3.1-8b --backend=openai --base-url=http://gpu1:8080 --base-url=http://gpu2:8080 --api-key-env=GPU_KEY --dataset=sample --prompt=direct --concurrency=4 --max-tokens=2048 --out=runs/two-judges/llama_reversed_sample_direct"},
		{5, "run multi-option --model=qwen3:8b --backend=ollama --base-url=http://127.0.0.1:11434 --think=off --dataset=sample-options --goal=best --prompt=1 --unrelated=true --concurrency=4 --max-tokens=2048 --out=runs/two-judges/qwen3-8b_multi-option_sample-options_1_goal-best_unrelated-true"},
		{13, "run self-reference --model=qwen3:8b --backend=ollama --base-url=http://127.0.0.1:11434 --think=off --agents=sim:accuracy=0.6,seed=2 --agents=sim:accuracy=0.8,seed=3 --dataset=sample-number --mode=self --concurrency=4 --max-tokens=2048 --out=runs/two-judges/qwen3-8b_self_mode-self"},
	} {
		if got := strings.Join(s.cells[tt.cell].args, " "); got != tt.args {
			t.Errorf("cell %d:\n%s\nwant\n%s", tt.cell, got, tt.args)
		}
	}
	if o := s.cells[5].opts; !o.unrelated || o.parameters.MaxTokens != 2048 || o.concurrency != 4 || o.parameters.Think != "off" {
		t.Errorf("options: %+v", o)
	}
}

// What is set closer to the run counts: a default only where nobody else sets it,
// and only for protocols that have such a flag.
func TestSuiteDefaults(t *testing.T) {
	home(t)
	e := newEnv(&interrupts{}, os.Stdout, os.Stderr)
	file, err := parseSuite("s.yaml", []byte(`
defaults: {attempts: 1, max-tokens: 100, concurrency: 3, group: [law, physics]}
judges:
  - {model: coin, backend: sim, max-tokens: 200, attempts: 3, name: a}
  - {model: coin, backend: sim, name: b}
conditions:
  - {protocol: pairwise, dataset: sample, concurrency: 1, group: [[math, code], [law]]}
  - {protocol: answer, dataset: sample-choice}
`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.matrix(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name                             string
		attempts, maxTokens, concurrency int
		groups                           []string
	}{
		{"a_pairwise_sample_sop_concurrency-1_group-math-code", 3, 200, 1, []string{"math", "code"}},
		{"a_pairwise_sample_sop_concurrency-1_group-law", 3, 200, 1, []string{"law"}},
		{"a_answer_sample-choice_paper", 2, 200, 3, []string{"law", "physics"}},
		{"b_pairwise_sample_sop_concurrency-1_group-math-code", 1, 100, 1, []string{"math", "code"}},
		{"b_pairwise_sample_sop_concurrency-1_group-law", 1, 100, 1, []string{"law"}},
		{"b_answer_sample-choice_paper", 2, 100, 3, []string{"law", "physics"}},
	} {
		c := s.cells[i]
		if p := c.opts.parameters; c.name != want.name || p.Attempts != want.attempts || p.MaxTokens != want.maxTokens || c.opts.concurrency != want.concurrency || !slices.Equal(c.opts.open.Groups, want.groups) {
			t.Errorf("%s: attempts %d, max-tokens %d, concurrency %d, groups %q; want %+v", c.name, p.Attempts, p.MaxTokens, c.opts.concurrency, c.opts.open.Groups, want)
		}
	}
}

// Anchors are values written once.
func TestSuiteAnchors(t *testing.T) {
	file, err := parseSuite("s.yaml", []byte("judges: [{model: &m coin, backend: sim}, {name: other, model: *m, backend: sim}]\nconditions:\n- {protocol: pairwise, dataset: sample, prompt: &p [sop, direct]}\n- {protocol: reversed, dataset: sample, prompt: *p}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if file.judges[1].settings[0].values[0].String() != "coin" || len(file.conditions[1].settings[1].values) != 2 || file.name != "s" || file.out != "runs/s" {
		t.Errorf("%+v", file)
	}
}

const suiteHead = "judges:\n- {model: coin, backend: sim}\nconditions:\n"

// TestSuiteErrors: what cannot be is said with file and line, and what to try.
func TestSuiteErrors(t *testing.T) {
	home(t)
	for name, tt := range map[string]struct{ text, want string }{
		"empty":            {"", "s.yaml: is empty"},
		"comments":         {"# later\n", "s.yaml: is empty"},
		"null":             {"---\n", "s.yaml: is empty"},
		"a word":           {"judges", `s.yaml:1: a suite: keys with values are expected, not "judges"`},
		"a list":           {"- a\n", "s.yaml:1: a suite: keys with values are expected, not a list"},
		"not UTF-8":        {"name: \xff\n", "s.yaml: is not UTF-8"},
		"a tab":            {"judges:\n\t- model: coin\n", "s.yaml:2: a tab indents this line"},
		"a tab further in": {"judges:\n  - model: coin\n  \tbackend: sim\n", "s.yaml:3: a tab indents this line"},
		"open bracket":     {"judges: [a\n", "s.yaml:1: not YAML: did not find expected"},
		"no such anchor":   {"name: x\nout: *x\n", "not YAML: unknown anchor 'x'"},
		"two documents":    {suiteHead + "- {protocol: pairwise, dataset: sample}\n---\nname: x\n", "s.yaml:5: a second document begins here"},
		"merge key":        {"judges: &j\n- &a {model: coin}\n- {<<: *a, name: x}\n", `s.yaml:3: unknown key "<<" in a judge`},
		"no judges":        {"conditions: [{protocol: pairwise}]\n", "s.yaml:1: judges are missing"},
		"no conditions":    {"judges: [{model: coin}]\n", "s.yaml:1: conditions are missing"},
		"judges are none":  {"judges: []\n", "s.yaml:1: judges: a list is expected"},
		"judges no list":   {"judges: {model: coin}\n", "s.yaml:1: judges: a list is expected, not keys with values"},
		"a judge's name":   {"judges: [coin]\n", `s.yaml:1: a judge: keys with values are expected, not "coin"`},
		"typo at the top":  {"judgs: []\n", `s.yaml:1: unknown key "judgs" in a suite; did you mean "judges"?`},
		"typo in a judge":  {"judges:\n- model: coin\n  bakend: sim\n", `s.yaml:3: unknown key "bakend" in a judge; did you mean "backend"?`},
		"typo in a condition": {
			suiteHead + "- protocol: pairwise\n  datset: sample\n", `s.yaml:5: unknown key "datset" in a condition; did you mean "dataset"?`},
		"typo in limits":    {"limits:\n  call: 7\n", `s.yaml:2: unknown key "call" in limits; did you mean "calls"?`},
		"typo in defaults":  {"defaults:\n  max_tokens: 7\n", `s.yaml:2: unknown key "max_tokens" in defaults; did you mean "max-tokens"?`},
		"a key twice":       {"name: a\nname: b\n", `s.yaml:2: "name" stands twice in a suite, first in line 1`},
		"calls, a word":     {"limits: {calls: many}\n", `s.yaml:1: calls: a number from 1 is expected, not "many"`},
		"calls, a half":     {"limits: {calls: 1.5}\n", "calls: a number from 1"},
		"calls, none":       {"limits: {calls: 0}\n", "calls: a number from 1"},
		"hours, a list":     {"limits: {hours: [1]}\n", "s.yaml:1: hours: a number above 0 is expected, not a list"},
		"hours, NaN":        {"limits: {hours: .nan}\n", "hours: a number above 0"},
		"hours, negative":   {"limits: {hours: -1}\n", "hours: a number above 0"},
		"name of nothing":   {"name:\n", "s.yaml:1: name: a name is expected, not nothing"},
		"name of dots":      {"name: ..\njudges: [{model: coin}]\nconditions: [{protocol: pairwise}]\n", "the suite has no name"},
		"a nameless judge":  {"judges: [{backend: sim}]\n", "s.yaml:1: a judge without a name"},
		"judges alike":      {"judges:\n- {model: qwen3:8b}\n- {model: llama}\n- {model: QWEN3/8b}\n", `s.yaml:4: two judges are called "QWEN3/8b", the other in line 2`},
		"an axis in judges": {"judges:\n- model: [a, b]\n", "s.yaml:2: model: a list of values is an axis of the matrix, which belongs in a condition, not in a judge"},
		"an axis of lists":  {"judges:\n- model: a\n  base-url: [[\"http://a\"], [\"http://b\"]]\n", "s.yaml:3: base-url: a list of values is an axis"},
		"an axis by default": {
			"defaults:\n  seed: [1, 2]\n", "s.yaml:2: seed: a list of values is an axis"},
		"a model by default": {"defaults: {model: a}\n", "s.yaml:1: model belongs to a judge"},
		"out of a condition": {suiteHead + "- {protocol: pairwise, dataset: sample, out: x}\n", "s.yaml:4: out has no place in a suite: the folder of a run is named after its cell"},
		"a format":           {"defaults: {json: true}\n", "s.yaml:1: json has no place in a suite"},
		"model in condition": {suiteHead + "- {protocol: pairwise, dataset: sample, model: x}\n", "s.yaml:4: model belongs to a judge, not to a condition"},
		"cache in condition": {suiteHead + "- {protocol: pairwise, dataset: sample, no-cache: true}\n", "s.yaml:4: no-cache is for the whole suite: set it in defaults"},
		"cache of a judge":   {"judges: [{model: a, cache: x}]\n", `s.yaml:1: unknown key "cache" in a judge`},
		"no protocol":        {suiteHead + "- {dataset: sample}\n", "s.yaml:4: a condition without a protocol"},
		"no such protocol":   {suiteHead + "- dataset: sample\n  protocol: [pairwise, revresed]\n", `s.yaml:5: unknown protocol "revresed": it is one of pairwise, reversed, answer, self-reference, multi-option; did you mean "reversed"?`},
		"not its flag":       {suiteHead + "- protocol: [pairwise, multi-option]\n  dataset: sample\n  goal: best\n", `s.yaml:6: goal: pairwise has no such flag, see "gavel run pairwise --help"`},
		"no value":           {suiteHead + "- protocol: pairwise\n  dataset:\n", "s.yaml:5: dataset has no value"},
		"no value in a list": {suiteHead + "- protocol: pairwise\n  prompt: [sop, ~]\n", "s.yaml:5: prompt has no value"},
		"an empty list":      {suiteHead + "- protocol: pairwise\n  prompt: []\n", "s.yaml:5: prompt: the list is empty"},
		"a mapping":          {suiteHead + "- protocol: pairwise\n  dataset: {name: sample}\n", "s.yaml:5: dataset: a value or a list of values is expected, not keys with values"},
		"a list of lists":    {suiteHead + "- protocol: pairwise\n  prompt: [[sop]]\n", "s.yaml:5: prompt: a value or a list of values is expected, not a list"},
		"a value twice":      {suiteHead + "- protocol: pairwise\n  prompt:\n  - sop\n  - sop\n", `s.yaml:7: prompt: "sop" stands twice in the list`},
		"a number's type":    {suiteHead + "- protocol: pairwise\n  dataset: sample\n  sample: ten\n", `s.yaml:6: --sample "ten": not a value of this flag`},
		"a number's range":   {suiteHead + "- protocol: pairwise\n  dataset: sample\n  sample: [5, -1]\n", "s.yaml:6: --sample -1: it must be at least 1"},
		"a switch's type":    {suiteHead + "- {protocol: multi-option, dataset: sample-options,\n   unrelated: maybe}\n", `s.yaml:5: --unrelated "maybe": not a value of this flag`},
		"a choice":           {suiteHead + "- protocol: multi-option\n  dataset: sample-options\n  goal:\n  - best\n  - wurst\n", `s.yaml:8: --goal "wurst" is not one of best, worst`},
		"a duration":         {"defaults:\n  timeout: 10\n" + suiteHead + "- {protocol: pairwise, dataset: sample}\n", `s.yaml:2: --timeout "10": not a value of this flag`},
		"no dataset":         {suiteHead + "- protocol: pairwise\n", "s.yaml:4: --dataset is missing"},
		"no such dataset":    {suiteHead + "- protocol: pairwise\n  dataset: [sample, smaple]\n", `s.yaml:5: unknown dataset "smaple"`},
		"no such file":       {suiteHead + "- protocol: pairwise\n  dataset: ./gone.jsonl\n", "s.yaml:5: stat ./gone.jsonl"},
		"another shape":      {suiteHead + "- protocol: multi-option\n  dataset: sample-options\n- protocol: multi-option\n  dataset: sample\n", "s.yaml:7: multi-option judges items of shape options; sample has items of shape pair (gavel run pairwise, gavel run reversed"},
		"no such prompt":     {suiteHead + "- protocol: pairwise\n  dataset: sample\n  prompt: spo\n", `unknown prompt "spo"`},
		"no agents":          {suiteHead + "- {protocol: self-reference, dataset: sample-choice}\n", "s.yaml:4: --agents is missing"},
		"no such agent":      {suiteHead + "- protocol: self-reference\n  dataset: sample-choice\n  agents: gone.zip\n", "s.yaml:6: --agents gone.zip: neither a file, nor a run, nor MODEL@URL"},
		"both set it":        {"judges:\n- {model: coin, backend: sim, seed: 2}\nconditions:\n- {protocol: pairwise, dataset: sample, seed: 3}\n", "s.yaml:4: seed is set by the judge coin too, in line 2: leave out one"},
		"a cell twice":       {suiteHead + "- {protocol: pairwise, dataset: sample, seed: 3, limit: 2}\n- {protocol: [reversed, pairwise], dataset: sample, limit: 2, seed: 3}\n", "s.yaml:5: the condition pairwise_sample_sop_limit-2_seed-3 is there already, from line 4"},
		"a folder twice":     {suiteHead + "- {protocol: pairwise, dataset: a/x.jsonl}\n- {protocol: pairwise, dataset: b/x.jsonl}\n", "s.yaml:5: two conditions would have one folder, pairwise_x.jsonl_sop, the other from line 4: give this one a name"},
		"a long name":        {suiteHead + "- {protocol: pairwise, dataset: " + strings.Repeat("x", 200) + "}\n", "give the condition a name"},
		"a large matrix":     {suiteHead + "- {protocol: pairwise, dataset: sample, seed: [" + numbers(101) + "], limit: [" + numbers(101) + "]}\n", "s.yaml:4: the matrix has more than 2000 cells"},
		"judges by thousands": {
			"defaults: {dataset: sample}\njudges:\n" + repeated(1001, "- {model: coin, backend: sim, name: j%d}\n") + "conditions: [{protocol: [pairwise, reversed]}]\n", "s.yaml:1004: the matrix has more than 2000 cells"},
		"too many judges": {"judges:\n" + repeated(2001, "- {model: m%d}\n"), "s.yaml:1: judges: the list has 2001 entries, and may have 2000"},
		"too many values": {suiteHead + "- protocol: pairwise\n  dataset: sample\n  seed: [" + repeated(2001, "%d, ") + "]\n", "s.yaml:6: seed: the list has 2001 entries"},
		"too many words":  {suiteHead + "- protocol: pairwise\n  dataset: sample\n  group: [[a], [" + repeated(2001, "%d, ") + "]]\n", "s.yaml:6: group: the list has 2001 entries"},
		"a value by alias": {
			"judges:\n- {name: j, backend: sim, model: &m " + strings.Repeat("x", 1<<19) + "}\n" + repeated(40, "- {name: j%d, backend: sim, model: *m}\n") + "conditions: [{protocol: pairwise, dataset: sample}]\n", "what is set for all cells together has more than 16777216 bytes"},
		"words by alias": {
			suiteHead + "- {name: c, protocol: pairwise, dataset: sample, group: &g " + strings.Repeat("x", 1<<19) + "}\n" + repeated(40, "- {name: c%[1]d, protocol: pairwise, dataset: sample, seed: %[1]d, group: *g}\n"), "what is set for all cells together has more than 16777216 bytes"},
		"a judge's long name": {"judges: [{model: coin, backend: sim, name: " + strings.Repeat("x", 240) + "}]\nconditions: [{protocol: pairwise, dataset: sample}]\n", "give the judge a shorter name"},
		"a suite's long name": {"name: " + strings.Repeat("x", 256) + "\n" + suiteHead + "- {protocol: pairwise, dataset: sample}\n", "s.yaml:1: the suite's folder would be called"},
		"hours, no end":       {"limits: {hours: inf}\n", "hours: a number above 0"},
		"too long":            {"# " + strings.Repeat("x", 1<<20), "s.yaml: has more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, "s.yaml", tt.text)
			stdout, stderr, code := call(t, "suite", "plan", "s.yaml")
			if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "gavel: s.yaml:") || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d: %swant %s", code, stderr, tt.want)
			}
		})
	}
	if _, stderr, code := call(t, "suite", "run", "gone.yaml"); code != exitError || !strings.Contains(stderr, "gone.yaml") {
		t.Errorf("no such file: exit status %d: %s", code, stderr)
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("a file that cannot be left a folder")
	}
}

// repeated is a line once for each number.
func repeated(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, strings.Repeat("1", 1+i%7)+string(rune('0'+i%10))+strings.Repeat("0", i/7%4)+string(rune('0'+i/10%10)))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// FuzzSuite: whatever the file, there is a suite or one line that says why not,
// and no folder outside that of the suite.
func FuzzSuite(f *testing.F) {
	f.Add(read(f, filepath.Join(sourceDir, "../../docs/examples/suite.yaml")))
	f.Add(suiteHead + "- {protocol: [pairwise, reversed], dataset: ../../x, prompt: [sop, direct]}\n")
	f.Add("judges: &a [*a]\nconditions: [{protocol: [[pairwise]]}]")
	f.Add("judges: [{model: ../.., backend: sim}]\nconditions: [{protocol: answer, name: ..}]")
	e := newEnv(&interrupts{}, os.Stdout, os.Stderr)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseSuite("s.yaml", []byte(text))
		var s *suite
		if err == nil {
			s, err = e.matrix(file)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.yaml:") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		seen := map[string]bool{}
		for _, c := range s.cells {
			if rel, err := filepath.Rel(s.out, c.opts.out); err != nil || !filepath.IsLocal(rel) || rel != c.name || seen[c.name] || c.opts.dryRun {
				t.Errorf("%q: a cell in %s", text, c.opts.out)
			}
			seen[c.name] = true
		}
	})
}
