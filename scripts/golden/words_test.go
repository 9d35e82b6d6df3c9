package golden

import (
	"fmt"
	"strings"
	"testing"
)

// TestUsage: exit status and first line of the messages about invalid command lines.
func TestUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "usage")
	writeInputs(w)
	s := newStub(w, "other")
	v := newStub(w, "vllm")
	o := newStub(w, "ollama")
	w.must("run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--limit", "2", "--out", "r")
	w.must("run", "multi-option", "--backend", "sim", "--model", "coin", "--dataset", "sample-options", "--limit", "2", "--out", "m")
	w.write("bad.jsonl", "{}\n")
	w.write("empty.jsonl", "")
	w.write("other.html", "<p>not gavel's</p>\n")
	w.write("twice.txt", "sample-math-01\nsample-math-01\n")
	w.write("unknown.txt", "nobody\n")
	sim := "--backend sim --model coin --dataset sample"
	for _, args := range []string{
		"frobnicate", "rum pairwise", "run", "run pairwize", "run pairwise",
		"run pairwise --dataset sample --backend sim", "run pairwise --modle coin", "run pairwise " + sim + " --limit=x", "run pairwise " + sim + " --limit 0",
		"run pairwise " + sim + " --limit", "run pairwise " + sim + " extra", "run pairwise " + sim + " --json --csv",
		"run pairwise " + sim + " --prompt nope", "run pairwise " + sim + " --attempts 99", "run pairwise " + sim + " --repeat 0", "run pairwise " + sim + " --repeat 1001",
		"run pairwise " + sim + " --concurrency many", "run pairwise " + sim + " --concurrency 0", "run pairwise " + sim + " --strict-determinism", "run pairwise " + sim + " --logprobs", "run pairwise " + sim + " --constrain",
		"run pairwise " + sim + " --think on", "run pairwise " + sim + " --think maybe", "run pairwise " + sim + " --system-role assistant", "run pairwise " + sim + " --timeout 0s", "run pairwise " + sim + " --timeout soon", "run pairwise " + sim + " --retry-for -1s",
		"run pairwise " + sim + " --cache x --no-cache", "run pairwise " + sim + " --ids nope.txt", "run pairwise " + sim + " --ids twice.txt", "run pairwise " + sim + " --ids unknown.txt", "run pairwise " + sim + " --group Art", "run pairwise " + sim + " --sample -1", "run pairwise " + sim + " --seed x",
		"run pairwise " + sim + " --base-url http://x", "run pairwise " + sim + " --out m", "run pairwise " + sim + " --max-tokens 0", "run pairwise " + sim + " --num-ctx 1000",
		"run pairwise --backend sim --model accuracy=2 --dataset sample", "run pairwise --backend sim --model quick --dataset sample", "run pairwise --backend vllm --model x --dataset sample",
		"run pairwise --backend sim --model coin --dataset sample-choice", "run pairwise --backend sim --model coin --dataset nope", "run pairwise --backend sim --model coin --dataset bad.jsonl", "run pairwise --backend sim --model coin --dataset empty.jsonl", "run pairwise --backend sim --model coin --dataset mmlu-pro",
		"run pairwise --model tiny --dataset sample --base-url nowhere", "run pairwise --model nope --dataset sample --base-url OTHER", "run pairwise --model tiny --dataset sample --base-url OTHER --base-url OTHER/v1",
		"run pairwise --model tiny --dataset sample --base-url OTHER --backend ollama", "run pairwise --model tiny --dataset sample --base-url OLLAMA --backend openai", "run pairwise --dataset sample --base-url OLLAMA", "run pairwise --model tiny --dataset sample --base-url OTHER --num-ctx 4000",
		"run pairwise --model tiny --dataset sample --base-url VLLM --max-tokens 20000", "run pairwise --model tiny --dataset sample --base-url OTHER --base-url VLLM", "run pairwise --model tiny --dataset sample --base-url OTHER --api-key-env NOT_SET", "run pairwise --model tiny --dataset sample --base-url OTHER --base-url VLLM --strict-determinism",
		"run answer " + sim + "-choice --repeat 3", "run answer " + sim + "-choice --marker=", "run answer " + sim + " --limit 1", "run answer " + sim + "-options",
		"run multi-option " + sim + "-options --orders backwards", "run multi-option " + sim + "-options --orders random:0", "run multi-option " + sim + "-options --goal better", "run multi-option " + sim + "-options --max-options 1", "run multi-option " + sim + "-options --orders all", "run multi-option " + sim + "-options --prompt 5", "run multi-option " + sim + "-options --self-reference",
		"run self-reference " + sim + "-number", "run self-reference " + sim + "-number --agents nobody", "run self-reference " + sim + " --agents sim:coin", "run self-reference " + sim + "-number --agents sim:coin --mode half", "run self-reference " + sim + "-number --agents r", "run self-reference " + sim + "-number --agents sim:coin --own r",
		"score", "score nope", "score r --policy first", "score r --rounds 10", "score r --missing drop", "score r --json --markdown", "score r m --extract loose",
		"compare", "compare r", "compare r m", "compare r r", "report", "report r", "report r --out other.html", "report r --out " + "nowhere/page.html",
		"agree r", "agree r --labels nope.jsonl", "replay", "replay r", "replay r --out r", "replay nope --out x",
		"bundle", "bundle export --out x.tar", "bundle export r", "bundle export nope --out x.tar", "bundle export r --out x.tar --dataset nope", "bundle import", "bundle import nope.tar", "bundle import other.html",
		"import", "import nope", "import judgebench", "import judgebench bad.jsonl", "import judgebench bad.jsonl --out x", "import answers bad.jsonl --out x --marker=", "export judgebench", "export judgebench m", "export csv r",
		"datasets show", "datasets show nope", "datasets fetch nope", "datasets import --as nope answers.jsonl", "datasets import answers.jsonl", "datasets show sample --turns some",
		"prompts show", "prompts show pairwise nope", "prompts show nope", "models --base-url OTHER --base-url VLLM", "models --backend sim", "models --backend nope", "doctor --backend sim", "doctor --timeout 0s",
		"cache", "cache prune", "cache prune --older-than -1h", "cache prune --older-than x", "cache stats extra", "suite", "suite plan", "suite plan nope.yaml", "suite run a.yaml b.yaml", "suite results s.yaml --json --csv",
		"serve extra", "serve --addr nowhere", "serve --addr 0.0.0.0:0", "serve --host x", "serve --max-runs 0", "serve --cache x --no-cache", "serve --token-file nope.txt",
		"demo extra", "demo --out r",
	} {
		line := strings.NewReplacer("OTHER", s.URL, "VLLM", v.URL, "OLLAMA", o.URL).Replace(args)
		r := w.gavel(strings.Fields(line)...)
		message := firstLine(r.stderr)
		if i := strings.Index(r.stderr, "gavel: "); i >= 0 {
			message = firstLine(r.stderr[i:])
		}
		if r.code == 0 {
			message = "(" + firstLine(r.stdout)
		}
		b.add("gavel "+args, fmt.Sprintf("exit status %d\n%s", r.code, message))
	}
	for _, stub := range []*stub{s, v, o} {
		stub.silence(t, w, "of wrong command lines, "+stub.kind)
	}
}

const head = "judges: [{backend: sim, model: coin}]\nconditions:\n"

// wrongSuites lists invalid files, for the command line and the browser alike.
var wrongSuites = []struct{ name, text string }{
	{"empty", ""},
	{"no YAML", "judges: [\n"},
	{"a list", "- a\n"},
	{"no judges", "conditions: [{protocol: pairwise, dataset: sample}]\n"},
	{"no conditions", "judges: [{backend: sim, model: coin}]\n"},
	{"an unknown key", "name: x\njugdes: []\n" + head + "- {protocol: pairwise, dataset: sample}\n"},
	{"a key twice", "name: a\nname: b\n" + head},
	{"no protocol", head + "- {dataset: sample}\n"},
	{"an unknown protocol", head + "- {protocol: pairwize, dataset: sample}\n"},
	{"no dataset", head + "- protocol: pairwise\n  prompt: sop\n"},
	{"an unknown dataset", head + "- protocol: pairwise\n  dataset: nope\n"},
	{"a dataset of another shape", head + "- protocol: pairwise\n  dataset: [sample, sample-choice]\n"},
	{"an unknown flag", head + "- protocol: pairwise\n  dataset: sample\n  temprature: 1\n"},
	{"a flag of another protocol", head + "- protocol: pairwise\n  dataset: sample\n  goal: worst\n"},
	{"a wrong value", head + "- protocol: pairwise\n  dataset: sample\n  limit: many\n"},
	{"a value out of bounds", head + "- protocol: pairwise\n  dataset: sample\n  attempts: 99\n"},
	{"a wrong switch", head + "- protocol: multi-option\n  dataset: sample-options\n  unrelated: perhaps\n"},
	{"an unknown prompt", head + "- protocol: pairwise\n  dataset: sample\n  prompt: [sop, nope]\n"},
	{"a judge's flag that a condition sets", "judges: [{backend: sim, model: coin, limit: 3}]\nconditions:\n- protocol: pairwise\n  dataset: sample\n  limit: 4\n"},
	{"out in a condition", head + "- protocol: pairwise\n  dataset: sample\n  out: x\n"},
	{"a model in a condition", head + "- protocol: pairwise\n  dataset: sample\n  model: x\n"},
	{"cache in a judge", "judges: [{backend: sim, model: coin, cache: x}]\nconditions: [{protocol: pairwise, dataset: sample}]\n"},
	{"two judges of one name", "judges:\n- {backend: sim, model: coin}\n- {backend: sim, model: coin}\nconditions: [{protocol: pairwise, dataset: sample}]\n"},
	{"two equal cells", head + "- {protocol: pairwise, dataset: sample}\n- {protocol: pairwise, dataset: sample}\n"},
	{"a wrong judge", "judges:\n- {backend: sim, model: accuracy=3}\nconditions: [{protocol: pairwise, dataset: sample}]\n"},
	{"a wrong default", "defaults:\n  max-tokens: -5\n" + head + "- {protocol: pairwise, dataset: sample}\n"},
	{"wrong limits", "limits: {calls: few}\n" + head + "- {protocol: pairwise, dataset: sample}\n"},
	{"a merge key", "judges: &j\n- &a {model: coin}\n- {<<: *a, name: x}\nconditions: []\n"},
	{"two documents", head + "- {protocol: pairwise, dataset: sample}\n---\nname: x\n"},
	{"unknown agents", head + "- protocol: self-reference\n  dataset: sample-number\n  agents: nobody\n"},
}

func TestWrongSuites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "wrong-suites")
	for _, c := range wrongSuites {
		w.write("s.yaml", c.text)
		for _, what := range []string{"plan", "run"} {
			r := w.gavel("suite", what, "s.yaml")
			b.add(c.name+", suite "+what, fmt.Sprintf("exit status %d\n%s", r.code, firstLine(r.stderr)))
		}
	}
}
