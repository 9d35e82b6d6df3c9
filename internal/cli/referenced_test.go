package cli

import (
	"net/http"
	"strings"
	"testing"
)

// The judge is asked each question once, then compares with its answer before
// it; both goals share the answers, and the same command again asks nothing.
func TestRunWithReference(t *testing.T) {
	for _, ollama := range []bool{false, true} {
		home(t)
		const answer = "I counted them. **25**"
		j := newJudge(t, ollama, func(call int64, user string) (int, string) {
			switch {
			case !strings.Contains(user, "<|User Prompt|>"):
				return http.StatusOK, answer
			case !strings.Contains(user, "\n\n<|The Start of Reference Answer|>\n"+answer+"\n<|The End of Reference Answer|>\n\n<|The Start of Assistant A's Answer|>"):
				return http.StatusInternalServerError, "no reference"
			}
			return prefersLonger(call, user)
		})
		for protocol, calls := range map[string]int64{"pairwise": 32 + 64, "reversed": 64} {
			if protocol == "reversed" && j.calls.Load() == 0 {
				calls += 32 // it came first
			} else if protocol == "pairwise" && j.calls.Load() > 0 {
				calls -= 32
			}
			before := j.calls.Load()
			args := []string{"run", protocol, "--base-url", j.URL, "--model", "tiny", "--dataset", "sample", "--self-reference", "--out", "runs/" + protocol}
			first := mustCall(t, args...)
			if n := j.calls.Load() - before; n != calls {
				t.Errorf("%s: %d calls, want %d", protocol, n, calls)
			}
			if again := mustCall(t, args...); again != first || j.calls.Load()-before != calls {
				t.Errorf("%s: the second run asked %d times, or its table differs", protocol, j.calls.Load()-before-calls)
			}
			if !strings.Contains(first, "self-reference") {
				t.Errorf("the table does not say that there was a reference:\n%s", first)
			}
			manifest := read(t, "runs/"+protocol+"/run.json")
			for _, want := range []string{`"self-reference": "true"`, "You will also be given a reference answer", `"role": "judge"`, `"pairs": 32`, `"right": 1,`} {
				if !strings.Contains(manifest, want) {
					t.Errorf("%s: run.json has no %s:\n%s", protocol, want, manifest)
				}
			}
			if items := read(t, "runs/"+protocol+"/items.jsonl"); strings.Count(items, `"own_answer":{"text":"I counted them. **25**"`) != 32 {
				t.Errorf("%s: items without the judge's own answer", protocol)
			}
			// Its items are a dataset: who has them needs no stage before.
			if other := mustCall(t, "run", protocol, "--base-url", j.URL, "--model", "tiny", "--dataset", "runs/"+protocol+"/items.jsonl", "--self-reference", "--out", "runs/again-"+protocol); j.calls.Load()-before != calls || other == "" {
				t.Errorf("%s: over its own items %d calls more", protocol, j.calls.Load()-before-calls)
			}
		}
	}
}

// A plan of the comparisons cannot be made before the judge has answered.
func TestPlanWithReference(t *testing.T) {
	home(t)
	j := newJudge(t, false, always("**1**"))
	stdout, stderr, code := call(t, "run", "pairwise", "--base-url", j.URL, "--model", "tiny", "--dataset", "sample", "--self-reference", "--dry-run")
	if code != 0 || j.calls.Load() != 0 || !strings.Contains(stderr, "64 comparisons follow") || !strings.Contains(stdout, "32") {
		t.Errorf("exit status %d, %d calls\n%s\n%s", code, j.calls.Load(), stdout, stderr)
	}
	_, stderr, code = call(t, "run", "pairwise", "--base-url", j.URL, "--model", "tiny", "--dataset", "sample-choice", "--self-reference")
	if code != 2 || !strings.Contains(stderr, "pairwise judges items of shape pair") || j.calls.Load() != 0 {
		t.Errorf("a dataset of choices: exit status %d, %d calls\n%s", code, j.calls.Load(), stderr)
	}
}
