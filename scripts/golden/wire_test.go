package golden

import (
	"fmt"
	"strings"
	"testing"
)

// wireRuns runs, by name: of a scripted server of a kind.
var wireRuns = []struct{ name, kind, args string }{
	{"ollama-sop", "ollama", "pairwise --dataset sample --limit 8"},
	{"ollama-direct-constrained", "ollama", "pairwise --dataset sample --limit 6 --prompt direct --constrain"},
	{"ollama-reversed", "ollama", "reversed --dataset sample --limit 6 --prompt arena-hard --think on --num-ctx 9000"},
	{"ollama-options", "ollama", "multi-option --dataset sample-options --limit 4 --logprobs"},
	{"ollama-choice-constrained", "ollama", "answer --dataset sample-choice --sample 0 --limit 6 --constrain"},
	{"ollama-judged", "ollama", "self-reference --dataset sample-number --sample 2 --agents small:1b@OLLAMA,tiny@OTHER"},
	{"ollama-pairs-own", "ollama", "pairwise --dataset sample --limit 4 --self-reference --max-tokens 500"},
	{"llama-cot-constrained", "llama.cpp", "pairwise --dataset sample --limit 6 --prompt cot --constrain"},
	{"llama-strict", "llama.cpp", "pairwise --dataset sample --limit 3 --prompt direct --strict-determinism --think off --repeat 2"},
	{"llama-options-constrained", "llama.cpp", "multi-option --dataset sample-options --limit 3 --prompt 3 --constrain --unrelated"},
	{"llama-judged", "llama.cpp", "self-reference --dataset sample-choice --sample 2 --agents sim:accuracy=0.5 --constrain"},
	{"vllm-logprobs", "vllm", "pairwise --dataset sample --limit 6 --logprobs --prompt arena-hard"},
	{"vllm-strict", "vllm", "reversed --dataset sample --limit 3 --prompt direct --constrain --strict-determinism --think low"},
	{"vllm-number", "vllm", "answer --dataset sample-number --sample 3 --max-tokens 700"},
	{"other-sop", "other", "pairwise --dataset sample --sample 6 --seed 2 --system-role user --attempts 1"},
	{"other-repeat", "other", "reversed --dataset sample --limit 4 --repeat 3 --accept-cut --attempts 3"},
	{"other-preference", "other", "answer --dataset sample-preference --sample 0 --limit 6"},
	{"other-options-worst", "other", "multi-option --dataset sample-options --limit 4 --goal worst --prompt 4 --orders random:2"},
	{"other-judged-preference", "other", "self-reference --dataset sample-preference --sample 1 --agents sim:accuracy=0.5"},
	{"other-own-prompt", "other", "pairwise --dataset sample --limit 3 --prompt mine.txt"},
}

// servers returns a scripted server of each kind.
func servers(w *world) map[string]*stub {
	all := map[string]*stub{}
	for _, kind := range kinds {
		all[kind] = newStub(w, kind)
	}
	return all
}

// serverArgs returns the arguments of a run with a server.
func serverArgs(all map[string]*stub, kind, args string) []string {
	args = strings.NewReplacer("OLLAMA", all["ollama"].URL, "OTHER", all["other"].URL).Replace(args)
	return append(append([]string{"run"}, strings.Fields(args)...), "--base-url", all[kind].URL, "--model", "tiny")
}

// TestAsked: the requests to each kind of server, the cache key of each reply, and the results.
func TestAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "asked")
	writeInputs(w)
	all := servers(w)
	var names []string
	for _, run := range wireRuns {
		title := run.kind + ": gavel run " + run.args
		args := serverArgs(all, run.kind, run.args)
		out := "runs/" + run.name
		plan := w.gavel(append(args, "--out", out, "--dry-run")...)
		b.add(title+" · --dry-run", fmt.Sprintf("exit status %d\n%s", plan.code, plan.stdout))
		for kind, s := range all {
			s.silence(t, w, run.name+", --dry-run, "+kind)
		}
		r := w.gavel(append(args, "--out", out)...)
		b.add(title, fmt.Sprintf("exit status %d\n%s", r.code, r.stdout))
		if r.code != 0 {
			t.Errorf("%s: exit status %d\n%s", title, r.code, r.stderr)
			continue
		}
		for _, kind := range kinds {
			if list, n := all[kind].take(w); n > 0 || kind == run.kind {
				b.add(fmt.Sprintf("%s · %d requests to %s", run.name, n, kind), list)
			}
		}
		w.addRun(b, run.name, out)
		w.must(append(args, "--out", out)...)
		for kind, s := range all {
			s.silence(t, w, run.name+", the same folder again, "+kind)
		}
		names = append(names, out)
	}
	b.add("folders", w.list("runs"))
	for _, run := range []string{"ollama-judged", "llama-cot-constrained", "other-repeat"} { // another folder, the same cache
		i := 0
		for wireRuns[i].name != run {
			i++
		}
		w.must(append(serverArgs(all, wireRuns[i].kind, wireRuns[i].args), "--out", "elsewhere/"+run)...)
		for kind, s := range all {
			s.silence(t, w, run+", from the cache, "+kind)
		}
		if w.read("elsewhere/"+run+"/results.json") != w.read("runs/"+run+"/results.json") {
			t.Errorf("%s, from the cache: other results", run)
		}
	}
	b.add("cache stats", pick(t, w.must("cache", "stats", "--json").stdout, "entries", "models", "older", "damaged"))

	b.add("replies in a bundle: key, model, end, text", w.replies(names...))
	for _, run := range []string{"ollama-direct-constrained", "vllm-logprobs", "other-repeat", "ollama-options"} {
		r := w.gavel("replay", "runs/"+run, "--out", "again/"+run, "--csv")
		b.add("gavel replay runs/"+run, fmt.Sprintf("exit status %d\n%s%s", r.code, r.stdout, r.remarks()))
	}
	for kind, s := range all {
		s.silence(t, w, "replay, "+kind)
	}
	for _, kind := range kinds {
		r := w.must("models", "--json", "--base-url", all[kind].URL)
		b.add("gavel models --json, "+kind, r.stdout)
	}
	r := w.must("cache", "prune", "--all")
	b.add("cache prune --all", r.stdout+r.stderr)
	b.add("cache stats, then", pick(t, w.must("cache", "stats", "--json").stdout, "entries", "models"))
}

// TestSeveralServers: several addresses of one model make one run, whichever server answers.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "several-servers")
	server := newStub(w, "other")
	two := newStub(w, "other")
	r := w.must("run", "pairwise", "--model", "tiny", "--dataset", "sample", "--limit", "6", "--base-url", server.URL, "--base-url", two.URL, "--out", "r", "--csv")
	b.add("table", r.stdout)
	b.add("verdicts", verdicts(t, w.read("r/records.jsonl")))
	b.add("results.json", w.read("r/results.json"))
	b.add("run", pick(t, w.read("r/run.json"), "id", "judgments", "status"))
}
