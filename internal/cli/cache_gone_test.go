package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/cache"
)

// A cache that is rebuilt from runs has the entries that it had, and the runs made again ask nothing.
func TestCacheRebuild(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(call int64, _ string) (int, string) {
		switch call % 5 {
		case 0:
			return 200, fmt.Sprint("I cannot say: ", call) // and is asked once more
		case 1:
			return 400, `{"error":{"code":"context_length_exceeded","message":"maximum context length is 5 tokens"}}`
		}
		return 200, fmt.Sprintf("Reply %d: [[A>B]], [[A]], [[B]] or ((5))", call)
	})
	likely := &judge{reply: func(call int64, _ string) (int, string) { return 200, []string{"[[B>A]]", "[[A>B]]"}[call%2] }}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", text(`{"data":[{"id":"tiny"}]}`))
	mux.HandleFunc("/v1/chat/completions", likely.chat(func(s string) any { // tells how likely the label is that it gives
		tokens := []any{}
		for _, token := range []string{"[[", s[2:3], s[3:]} {
			tokens = append(tokens, map[string]any{"token": token, "logprob": -float64(token[0]) / 300, "top_logprobs": []any{}})
		}
		return map[string]any{"choices": []any{map[string]any{
			"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": s},
			"logprobs": map[string]any{"content": tokens},
		}}}
	}))
	likely.Server = httptest.NewServer(mux)
	defer likely.Close()
	command := func(kind string, more ...string) []string {
		args := append([]string{"run", kind, "--base-url", j.URL, "--cache", "c", "--concurrency", "1", "--limit", "6"}, more...)
		return append(args, "--out", "runs/"+kind)
	}
	commands := [][]string{
		command("pairwise", "--dataset", "sample", "--repeat", "2", "--attempts", "2"),
		command("probe", "--dataset", "sample", "--repeat", "2"),
		command("self-reference", "--dataset", "sample-number", "--agents", "tiny@"+j.URL),
		{
			"run", "pairwise", "--base-url", likely.URL, "--cache", "c", "--concurrency", "1", "--dataset", "sample",
			"--prompt", "direct", "--constrain", "--logprobs", "--out", "runs/likely",
		},
	}
	entries := func() map[string]cache.Entry {
		s, err := cache.Open("c", cache.Options{})
		assert.NilError(t, err)
		defer s.Close()
		all := map[string]cache.Entry{}
		assert.NilError(t, s.Visit(t.Context(), func(key []byte, e cache.Entry, err error) error {
			e.Created = time.Time{}
			e.Response.Took = e.Response.Took.Truncate(time.Microsecond) // as records have it
			all[string(key)] = e
			return err
		}))
		return all
	}
	for _, args := range commands {
		call(t, args...)
	}
	call(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--out", "runs/simulated")
	before, asked := entries(), j.calls.Load()+likely.calls.Load()
	assert.NilError(t, os.RemoveAll("c"))
	stdout, stderr, code := call(t, "cache", "rebuild", "runs", "--cache", "c")
	wanted := fmt.Sprintf("%d replies filled in, ", len(before))
	if code != 0 || !strings.HasPrefix(stdout, wanted) || !strings.HasSuffix(stdout, ", 0 left out\n") || !strings.Contains(stderr, "runs/simulated is left out") {
		t.Errorf("exit status %d: %s%s", code, stdout, stderr)
	}
	assert.DeepEqual(t, entries(), before)
	for _, args := range commands {
		call(t, append(args[:len(args)-1], "again"+args[len(args)-1][4:])...)
	}
	if n := j.calls.Load() + likely.calls.Load() - asked; n != 0 {
		t.Errorf("the runs made again asked %d times", n)
	}
	if stdout := mustCall(t, "cache", "rebuild", "runs", "--cache", "c"); !strings.HasPrefix(stdout, "0 replies filled in, ") {
		t.Errorf("rebuilt twice: %s", stdout)
	}
}
