package main

import (
	"gavel/judging"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// TestCanariesOfARun: a run with canaries is the run without; one whose server answers out of another conversation ends
// loudly and, once the server is mended, goes on without a reply that may be of another prompt.
func TestCanariesOfARun(t *testing.T) {
	home(t)
	var mixed atomic.Bool
	var asked atomic.Int64
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if _, after, ok := strings.Cut(user, "The word of this conversation is "); ok {
			word, _, _ := strings.Cut(after, ".")
			if asked.Add(1) > 10 && mixed.Load() {
				return http.StatusOK, "The second says more. [[B>A]]" // a pair's
			}
			return http.StatusOK, word
		}
		if mixed.Load() && asked.Load() >= 10 { // seen by the next canary, and not before
			return http.StatusOK, "The second says more. [[B>A]]"
		}
		return prefersLonger(call, user)
	})
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample"}
	mustCall(t, append(args, "--out", "plain", "--no-cache")...)
	mustCall(t, append(args, "--out", "guarded", "--no-cache", "--canaries", "8")...)
	if read(t, "plain/results.json") != read(t, "guarded/results.json") {
		t.Error("canaries change the results")
	}
	if n := asked.Swap(0); n != 16 {
		t.Errorf("%d canaries were asked, want 8 alone and 8 in the run", n)
	}
	mixed.Store(true)
	args = append(args, "--out", "mixed", "--canaries", "8")
	_, stderr, code := call(t, args...)
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if code != exitIncomplete || !strings.Contains(lines[len(lines)-1], "the server mixes conversations up") || !strings.Contains(lines[len(lines)-1], "--cache-ram 0") {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	made := 0
	for _, r := range records(t, "mixed") {
		if r.Choice != "" {
			made++
		}
	}
	if made < 16 || made > 60 {
		t.Errorf("%d judgments stand", made)
	}
	if m, err := judging.ReadManifest("mixed"); err != nil || m.Suspect.IsZero() || m.Status != judging.Incomplete {
		t.Errorf("%+v, %v", m, err)
	}
	mixed.Store(false)
	mustCall(t, args[:len(args)-2]...) // without canaries
	if read(t, "plain/results.json") != read(t, "mixed/results.json") {
		t.Error("the run that went on has other results")
	}
	same := newJudge(t, false, func(int64, string) (int, string) { return http.StatusOK, "[[A>B]]" })
	if _, stderr, code := call(t, "run", "pairwise", "--base-url", same.URL, "--dataset", "sample", "--out", "same", "--canaries", "3"); code != exitUsage || !strings.Contains(stderr, "--canaries 3: by its text the replies to them cannot be told apart") {
		t.Errorf("of a server that says the same to all: %d, %s", code, stderr)
	}
	if _, err := os.Stat("same"); err == nil {
		t.Error("a run that is refused leaves a folder")
	}
	if _, stderr, code := call(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--canaries", "3"); code != exitUsage || !strings.Contains(stderr, "--canaries") {
		t.Errorf("of a simulated judge: %d, %s", code, stderr)
	}
}
