package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"gavel/judging"

	"gavel/scoring"
)

// TestTooLongForTheServer: a run whose prompts did not fit a server that does not tell its context ends with exit status 3, says
// what helps, and asks again, as it says, once the server was given more.
func TestTooLongForTheServer(t *testing.T) {
	home(t)
	var grown atomic.Bool
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if !grown.Load() {
			return http.StatusBadRequest, `{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`
		}
		return prefersLonger(call, user)
	})
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "r"}
	const said = "64 of 64 judgments have no verdict (prompts that did not fit the context: 64): serve more context and " +
		"run the same command with --ask-again, or begin a run with a shorter --prompt or a lower --max-tokens"
	stderr := ends(t, exitIncomplete, said, args...)
	if strings.Contains(stderr, "--constrain") || !strings.Contains(stderr, "alarm: 20 of 20 judgments have no verdict (prompts that did not fit") {
		t.Errorf("the alarm has other advice:\n%s", stderr)
	}
	grown.Store(true)
	calls := j.calls.Load()
	_, stderr, code := call(t, args...)
	if code != exitIncomplete || !strings.Contains(stderr, said) || j.calls.Load() != calls {
		t.Errorf("the same command: exit status %d, %d calls\n%s", code, j.calls.Load()-calls, stderr)
	}
	ends(t, exitIncomplete, "", "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "cached")
	shows(t, `"standing": 0, … "cached": 0,`, append(args, "--ask-again", "--dry-run", "--json")...)
	mustCall(t, append(args, "--ask-again")...)
	if n := j.calls.Load() - calls; n != 64 {
		t.Errorf("%d calls, want 64", n)
	}
	for _, r := range records(t, "r") {
		if r.Outcome != judging.Decided {
			t.Errorf("%s %d: %s", r.Item, r.Presentation, r.Outcome)
		}
	}
	mustCall(t, append(args, "--ask-again")...) // nothing is without a verdict
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "after")
	if n := j.calls.Load() - calls; n != 64 {
		t.Errorf("%d calls, want 64: the new replies are not in the cache", n)
	}
}

// TestAskAgainIsForWhatHasNoVerdict: verdicts stand, whatever the server says now, and a reply that is no verdict is no reason
// for exit status 3.
func TestAskAgainIsForWhatHasNoVerdict(t *testing.T) {
	home(t)
	mended := false
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if !mended && call%4 == 0 {
			return http.StatusOK, "I cannot tell."
		}
		return http.StatusOK, map[bool]string{true: "[[B>A]]", false: "[[A>B]]"}[mended]
	})
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--out", "r", "--attempts", "1"}
	mustCall(t, args...)
	mended = true
	mustCall(t, append(args, "--ask-again")...)
	labels := map[string]int{}
	for _, r := range records(t, "r") {
		labels[r.Label]++
	}
	if labels["A>B"] != 48 || labels["B>A"] != 16 || len(labels) != 2 {
		t.Errorf("%v", labels)
	}
}

// TestCutBeforeTheLimit: replies that end at the end of the context are no reason to raise --max-tokens.
func TestCutBeforeTheLimit(t *testing.T) {
	home(t)
	short := newJudge(t, false, nil)
	short.Config.Handler.(*http.ServeMux).HandleFunc("POST /cut/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant","content":"I think"}}],`+
			`"usage":{"prompt_tokens":900,"completion_tokens":100}}`)
	})
	short.Config.Handler.(*http.ServeMux).HandleFunc("GET /cut/v1/models", text(`{"data":[{"id":"tiny","owned_by":"test","max_model_len":1000}]}`))
	run := func(out, most string) (stdout, stderr string, code int) {
		return call(t, "run", "pairwise", "--base-url", short.URL+"/cut", "--dataset", "sample", "--out", out, "--max-tokens", most)
	}
	stdout, stderr, code := run("server", "4096")
	const said = "replies cut at the end of the context: 64): serve more context and run the same command with --ask-again"
	if code != exitIncomplete || !strings.Contains(stderr, said) {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	if both := stdout + stderr; strings.Contains(both, "raise --max-tokens") {
		t.Errorf("the advice is wrong:\n%s", both)
	}
	stdout, stderr, code = run("limit", "100")
	if code != exitOK || !strings.Contains(stdout, "raise --max-tokens (100)") {
		t.Errorf("cut at --max-tokens: exit status %d\n%s%s", code, stdout, stderr)
	}
}

// TestASuiteAsksAgain: a suite says which cells lack verdicts, and its own flag asks for them.
func TestASuiteAsksAgain(t *testing.T) {
	home(t)
	var grown atomic.Bool
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if !grown.Load() {
			return http.StatusBadRequest, `{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`
		}
		return prefersLonger(call, user)
	})
	suite := "name: s\ndefaults: {dataset: sample, limit: 4}\njudges: [{base-url: " + j.URL + ", model: tiny}]\nconditions: [{protocol: pairwise}]\n"
	if err := os.WriteFile("s.yaml", []byte(suite), 0o644); err != nil {
		t.Fatal(err)
	}
	ends(t, exitIncomplete, "1 of 1 cells have judgments without a verdict", "suite", "run", "s.yaml")
	grown.Store(true)
	mustCall(t, "suite", "run", "--ask-again", "s.yaml")
}

// TestAnswersTooLong: a stage that lacks answers is said, and what it has is judged.
func TestAnswersTooLong(t *testing.T) {
	home(t)
	args := []string{"--dataset", "sample-number", "--limit", "4"}
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if call == 1 {
			return http.StatusBadRequest, `{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`
		}
		return http.StatusOK, "The answer is 4. [[Correct]]"
	})
	run := append([]string{"run", "self-reference", "--base-url", j.URL, "--agents", "sim:accuracy=0.8", "--concurrency", "1", "--out", "r"}, args...)
	ends(t, exitIncomplete, "judgments have no verdict (prompts that did not fit the context: 1)", run...)
	if len(records(t, "r")) == 0 {
		t.Error("nothing was judged")
	}
}

// TestOneIsEnough: one prompt of 64 that does not fit is exit status 3, and the numbers of the others are written.
func TestOneIsEnough(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if call == 5 {
			return http.StatusBadRequest, `{"error":{"message":"the request exceeds the available context size",` +
				`"type":"exceed_context_size_error"}}`
		}
		return prefersLonger(call, user)
	})
	ends(t, exitIncomplete, "1 of 64 judgments have no verdict", "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--out", "r")
	var results scoring.Report
	if err := json.Unmarshal([]byte(read(t, "r/results.json")), &results); err != nil || results.Items != 32 {
		t.Errorf("%d items in the results, %v", results.Items, err)
	}
	if help, _, _ := call(t, "help", "all"); !strings.Contains(help, "3 a run ended with one judgment or more that") {
		t.Errorf("the help does not say that one is enough:\n%s", help)
	}
}
