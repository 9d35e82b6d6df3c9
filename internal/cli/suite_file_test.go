package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const suiteHead = "judges:\n- {model: coin, backend: sim}\nconditions:\n"

// TestSuiteErrors: what cannot be is said with file and line, and what to try.
func TestSuiteErrors(t *testing.T) {
	home(t)
	for name, tt := range map[string]struct{ text, want string }{
		"empty":            {"", "s.yaml: is empty"},
		"comments":         {"# later\n", "s.yaml: is empty"},
		"null":             {"---\n", "s.yaml: is empty"},
		"a word":           {"judges", `s.yaml:1: a suite: expected keys with values, not "judges"`},
		"a list":           {"- a\n", "s.yaml:1: a suite: expected keys with values, not a list"},
		"not UTF-8":        {"name: \xff\n", "s.yaml: is not UTF-8"},
		"a tab":            {"judges:\n\t- model: coin\n", "s.yaml:2: a tab indents this line"},
		"a tab further in": {"judges:\n  - model: coin\n  \tbackend: sim\n", "s.yaml:3: a tab indents this line"},
		"open bracket":     {"judges: [a\n", "s.yaml:1: not YAML: did not find expected"},
		"no such anchor":   {"name: x\nout: *x\n", "not YAML: unknown anchor 'x'"},
		"two documents":    {suiteHead + "- {protocol: pairwise, dataset: sample}\n---\nname: x\n", "s.yaml:5: a second document begins here"},
		"merge key":        {"judges: &j\n- &a {model: coin}\n- {<<: *a, name: x}\n", `s.yaml:3: unknown key "<<" in a judge`},
		"no judges":        {"conditions: [{protocol: pairwise}]\n", "s.yaml:1: judges are missing"},
		"no conditions":    {"judges: [{model: coin}]\n", "s.yaml:1: conditions are missing"},
		"judges are none":  {"judges: []\n", "s.yaml:1: judges: expected a list, not an empty list"},
		"judges no list":   {"judges: {model: coin}\n", "s.yaml:1: judges: expected a list, not keys with values"},
		"a judge's name":   {"judges: [coin]\n", `s.yaml:1: a judge: expected keys with values, not "coin"`},
		"typo at the top":  {"judgs: []\n", `s.yaml:1: unknown key "judgs" in a suite; did you mean "judges"?`},
		"typo in a judge":  {"judges:\n- model: coin\n  bakend: sim\n", `s.yaml:3: unknown key "bakend" in a judge; did you mean "backend"?`},
		"typo in a condition": {
			suiteHead + "- protocol: pairwise\n  datset: sample\n", `s.yaml:5: unknown key "datset" in a condition; did you mean "dataset"?`},
		"typo in limits":    {"limits:\n  call: 7\n", `s.yaml:2: unknown key "call" in limits; did you mean "calls"?`},
		"typo in defaults":  {"defaults:\n  max_tokens: 7\n", `s.yaml:2: unknown key "max_tokens" in defaults; did you mean "max-tokens"?`},
		"a key twice":       {"name: a\nname: b\n", `s.yaml:2: "name" stands twice in a suite, first in line 1`},
		"calls, a word":     {"limits: {calls: many}\n", `s.yaml:1: calls: expected a number from 1, not "many"`},
		"calls, a half":     {"limits: {calls: 1.5}\n", "calls: expected a number from 1"},
		"calls, none":       {"limits: {calls: 0}\n", "calls: expected a number from 1"},
		"hours, a list":     {"limits: {hours: [1]}\n", "s.yaml:1: hours: expected a number above 0, not a list"},
		"hours, NaN":        {"limits: {hours: .nan}\n", "hours: expected a number above 0"},
		"hours, negative":   {"limits: {hours: -1}\n", "hours: expected a number above 0"},
		"name of nothing":   {"name:\n", "s.yaml:1: name: expected a name, not nothing"},
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
		"cache of a judge":   {"judges: [{model: a, cache: x}]\n", `s.yaml:1: cache is for the whole suite: set it in defaults`},
		"no protocol":        {suiteHead + "- {dataset: sample}\n", "s.yaml:4: a condition without a protocol"},
		"no such protocol":   {suiteHead + "- dataset: sample\n  protocol: [pairwise, revresed]\n", `s.yaml:5: unknown protocol "revresed": it is one of pairwise, reversed, answer, self-reference, multi-option, probe; did you mean "reversed"?`},
		"not its flag":       {suiteHead + "- protocol: [pairwise, multi-option]\n  dataset: sample\n  goal: best\n", `s.yaml:6: goal: pairwise has no such flag, see "gavel run pairwise --help"`},
		"no value":           {suiteHead + "- protocol: pairwise\n  dataset:\n", "s.yaml:5: dataset has no value"},
		"no value in a list": {suiteHead + "- protocol: pairwise\n  prompt: [sop, ~]\n", "s.yaml:5: prompt has no value"},
		"an empty list":      {suiteHead + "- protocol: pairwise\n  prompt: []\n", "s.yaml:5: prompt: the list is empty"},
		"a mapping":          {suiteHead + "- protocol: pairwise\n  dataset: {name: sample}\n", "s.yaml:5: dataset: expected a value or a list of values, not keys with values"},
		"a list of lists":    {suiteHead + "- protocol: pairwise\n  prompt: [[sop]]\n", "s.yaml:5: prompt: expected a value or a list of values, not a list"},
		"a value twice":      {suiteHead + "- protocol: pairwise\n  prompt:\n  - sop\n  - sop\n", `s.yaml:7: prompt: "sop" stands twice in the list`},
		"a number's type":    {suiteHead + "- protocol: pairwise\n  dataset: sample\n  sample: ten\n", `s.yaml:6: --sample "ten": expected a number, a duration such as 90s, or true or false`},
		"a number's range":   {suiteHead + "- protocol: pairwise\n  dataset: sample\n  sample: [5, -1]\n", "s.yaml:6: --sample -1: it must be at least 1"},
		"a switch's type":    {suiteHead + "- {protocol: multi-option, dataset: sample-options,\n   unrelated: maybe}\n", `s.yaml:5: --unrelated "maybe": expected a number, a duration such as 90s, or true or false`},
		"a choice":           {suiteHead + "- protocol: multi-option\n  dataset: sample-options\n  goal:\n  - best\n  - wurst\n", `s.yaml:8: --goal "wurst" is not one of best, worst`},
		"a duration":         {"defaults:\n  timeout: 10\n" + suiteHead + "- {protocol: pairwise, dataset: sample}\n", `s.yaml:2: --timeout "10": expected a number, a duration such as 90s, or true or false`},
		"no dataset":         {suiteHead + "- protocol: pairwise\n", "s.yaml:4: --dataset is missing"},
		"no such dataset":    {suiteHead + "- protocol: pairwise\n  dataset: [sample, smaple]\n", `s.yaml:5: unknown dataset "smaple"`},
		"no such file":       {suiteHead + "- protocol: pairwise\n  dataset: ./gone.jsonl\n", "s.yaml:5: ./gone.jsonl: no such file"},
		"another shape":      {suiteHead + "- protocol: multi-option\n  dataset: sample-options\n- protocol: multi-option\n  dataset: sample\n", "s.yaml:7: multi-option judges items of shape options; sample has items of shape pair (gavel run pairwise, gavel run reversed"},
		"no such prompt":     {suiteHead + "- protocol: pairwise\n  dataset: sample\n  prompt: spo\n", `unknown prompt "spo"`},
		"no agents":          {suiteHead + "- {protocol: self-reference, dataset: sample-choice}\n", "s.yaml:4: --agents is missing"},
		"no such agent":      {suiteHead + "- protocol: self-reference\n  dataset: sample-choice\n  agents: gone.zip\n", "s.yaml:6: --agents gone.zip: not a file, a run or MODEL@URL"},
		"a simulated agent":  {suiteHead + "- protocol: self-reference\n  dataset: sample-choice\n  agents: sim:accuracy=2\n", "s.yaml:6: --agents: simulated judge \"accuracy=2\": accuracy is a probability, from 0 to 1"},
		"a retired field":    {"defaults:\n  canaries: many\n" + suiteHead + "- {protocol: pairwise, dataset: sample}\n", "s.yaml:2: --canaries \"many\": expected a number"},
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
		"hours, no end":       {"limits: {hours: inf}\n", "hours: expected a number above 0"},
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
	ends(t, exitError, "gone.yaml", "suite", "run", "gone.yaml")
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
