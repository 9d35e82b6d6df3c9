package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gavel/judging"
)

// reserving is vLLM with a small context: it takes a prompt only with room for the whole reply beside it.
type reserving struct {
	*httptest.Server
	context atomic.Int64
	asked   atomic.Int64
	breaks  atomic.Bool // its tokenizer, now
	version string
	loops   atomic.Bool  // its model says the same until it is ended
	ended   atomic.Int64 // replies that it ended since they repeat themselves
}

func newReserving(t *testing.T, context int64) *reserving {
	s := &reserving{version: "0.32.0"}
	s.context.Store(context)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"data":[{"id":"tiny","owned_by":"vllm","root":"tiny","max_model_len":%d}]}`, s.context.Load())
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"version":%q}`, s.version)
	})
	type request struct {
		Messages  []struct{ Role, Content string }
		MaxTokens int `json:"max_tokens"`
		Detect    struct {
			Least int `json:"min_pattern_size"`
			Most  int `json:"max_pattern_size"`
			Times int `json:"min_count"`
		} `json:"repetition_detection"`
	}
	read := func(r *http.Request) (req request, tokens int) {
		json.NewDecoder(r.Body).Decode(&req)
		for _, m := range req.Messages {
			tokens += 5 + len(m.Content)/3
		}
		return req, tokens
	}
	mux.HandleFunc("POST /tokenize", func(w http.ResponseWriter, r *http.Request) {
		if s.breaks.Load() {
			http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusInternalServerError)
			return
		}
		_, n := read(r)
		fmt.Fprintf(w, `{"count":%d}`, n)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		req, n := read(r)
		if most := int(s.context.Load()); n+req.MaxTokens > most {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":"This model's maximum context length is %d tokens. However, you `+
				`requested %d output tokens and your prompt contains %d input tokens","code":400}}`,
				most, req.MaxTokens, n)
			return
		}
		_, words := anything(s.asked.Add(1), req.Messages[len(req.Messages)-1].Content)
		finish, written := "stop", 5
		if s.loops.Load() {
			finish, written = "length", req.MaxTokens
			if d := req.Detect; d.Least <= 21 && d.Most >= 21 && d.Times > 1 { // three of its sentences
				finish, written = "repetition", 21*d.Times
				s.ended.Add(1)
			}
			words = strings.Repeat(" Assistant A is better than B.", written/7)
		}
		message := map[string]string{"role": "assistant", "content": words}
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}},
			"usage":   map[string]int{"prompt_tokens": n, "completion_tokens": written},
		})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// fittedTo are the most tokens of a reply of the only run in the folder runs.
func fittedTo(t *testing.T) int {
	t.Helper()
	dirs, _ := filepath.Glob("runs/*")
	if len(dirs) != 1 {
		t.Fatalf("runs: %q, want one", dirs)
	}
	m, err := judging.ReadManifest(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	return m.Spec.Parameters.MaxTokens
}

// TestDoctorsNextStepWasRefused: the command that doctor prints at its end is one that works, to the last verdict, also
// where the server has no room for replies as long as the default beside a prompt; and again, it goes on with that run.
func TestDoctorsNextStepWasRefused(t *testing.T) {
	for _, context := range []int64{4096, 5000, 9000} {
		home(t)
		s := newReserving(t, context)
		given := []string{"--backend", "openai", "--base-url", s.URL, "--system-role", "user"}
		_, stderr, code := call(t, append([]string{"doctor", "--quick"}, given...)...)
		_, next, told := strings.Cut(stderr, "next: gavel ")
		if code != exitOK || !told {
			t.Fatalf("doctor: exit status %d\n%s", code, stderr)
		}
		args := strings.Fields(next)
		stdout, stderr, code := call(t, args...)
		if code != exitOK || !strings.Contains(stdout, "100 [") {
			t.Fatalf("gavel %q: exit status %d\n%s\n%s", args, code, stdout, stderr)
		}
		n := fittedTo(t)
		fitted := strings.Contains(stderr, fmt.Sprintf("--max-tokens is set to %d", n))
		if fitted != (context < 9000) || fitted != (n < 4096) {
			t.Errorf("context %d: at most %d tokens of a reply, but stderr says %q", context, n, stderr)
		}
		_, stderr, code = call(t, args...)
		if code != exitOK || !strings.Contains(stderr, "nothing to ask") || fittedTo(t) != n {
			t.Errorf("again: exit status %d, %d tokens\n%s", code, fittedTo(t), stderr)
		}
	}
}

// TestReplyIsFittedAlike: a sample, a shard and the whole of a dataset are asked with replies of one length.
func TestReplyIsFittedAlike(t *testing.T) {
	home(t)
	s := newReserving(t, 4096)
	args := []string{"run", "pairwise", "--base-url", s.URL, "--dataset", "sample"}
	mustCall(t, append(args, "--limit", "4", "--out", "few")...)
	before := s.asked.Load()
	mustCall(t, append(args, "--out", "whole")...)
	if asked := s.asked.Load() - before; asked != 64-8 {
		t.Errorf("after a sample of 8 judgments the whole of 64 took %d calls", asked)
	}
	mustCall(t, append(args, "--shard", "1/2", "--out", "1")...)
	mustCall(t, append(args, "--shard", "2/2", "--out", "2")...)
	mustCall(t, "merge", "merged", "1", "2")
	whole, merged := manifest(t, "whole"), manifest(t, "merged")
	if n := whole.Spec.Parameters.MaxTokens; whole.ID != merged.ID || n >= 4096 {
		t.Errorf("the whole is %s, what is merged %s; %d tokens of a reply", whole.ID, merged.ID, n)
	}
}

func manifest(t *testing.T, dir string) *judging.Manifest {
	t.Helper()
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFittedReplyOfARunThatStands: a run goes on with the replies that it began with, whatever the server has room for
// now; and where the prompts cannot be counted, a length is not guessed.
func TestFittedReplyOfARunThatStands(t *testing.T) {
	home(t)
	s := newReserving(t, 9000)
	args := []string{"run", "pairwise", "--base-url", s.URL, "--dataset", "sample"}
	mustCall(t, args...)
	for _, context := range []int64{4500, 12000} {
		s.context.Store(context)
		_, stderr, code := call(t, args...)
		if code != exitOK || !strings.Contains(stderr, "nothing to ask") || fittedTo(t) != 4096 {
			t.Errorf("context %d: exit status %d\n%s", context, code, stderr)
		}
	}
	s.context.Store(4096)
	small := append(args, "--out", "small", "--prompt", "arena-hard")
	mustCall(t, small...)
	n := manifest(t, "small").Spec.Parameters.MaxTokens
	s.context.Store(12000)
	_, stderr, code := call(t, small...)
	if code != exitOK || n >= 4096 || !strings.Contains(stderr, "nothing to ask") {
		t.Errorf("after the server was given more context: exit status %d, %d tokens\n%s", code, n, stderr)
	}
	s.context.Store(4096)
	s.breaks.Store(true)
	ends(t, exitError, "cannot be counted now", append(args, "--out", "none", "--prompt", "direct")...)
}

// TestRepetitionWasToldAfterTwentyReplies: a model that repeats itself is told of after three replies, once, and the
// run and its table say what stops that; a server that can ends such replies when it is asked to.
func TestRepetitionWasToldAfterTwentyReplies(t *testing.T) {
	home(t)
	s := newReserving(t, 20000)
	s.loops.Store(true)
	args := []string{"run", "pairwise", "--base-url", s.URL, "--dataset", "sample", "--concurrency", "1"}
	stdout, stderr, code := call(t, append(args, "--out", "whole")...)
	const says = "alarm: 3 of 3 replies repeat themselves until they are cut: try a lower --max-tokens"
	if code != exitOK || strings.Count(stderr, "alarm:") != 1 || !strings.Contains(stderr, says) {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	for text, want := range map[string]bool{
		"64 of 64 replies repeat themselves until they are cut and count as wrong: try a lower --max-tokens": true,
		"(replies repeat themselves: try a lower --max-tokens":                                               true,
		"raise --max-tokens": false, "a larger --max-tokens": false,
	} {
		if flat := strings.Join(strings.Fields(stdout), " "); strings.Contains(flat, text) != want {
			t.Errorf("%q is said: %t, in\n%s", text, !want, stdout)
		}
	}
	before := s.asked.Load()
	_, stderr, code = call(t, append(args, "--out", "stopped", "--no-cache", "--stop-on-alarm")...)
	if n := s.asked.Load() - before; code != exitIncomplete || n != 3 {
		t.Errorf("with --stop-on-alarm: exit status %d after %d replies\n%s", code, n, stderr)
	}
	stdout, stderr, code = call(t, append(args, "--out", "ended", "--stop-repetition")...)
	said := stdout + stderr
	if code != exitOK || strings.Contains(said, "--stop-repetition") || !strings.Contains(stderr, "or another model") {
		t.Errorf("with --stop-repetition: exit status %d\n%s\n%s", code, stdout, stderr)
	}
	m := manifest(t, "ended")
	if s.ended.Load() != 64 || m.ID == manifest(t, "whole").ID || !m.Spec.Parameters.StopRepetition {
		t.Errorf("the server ended %d replies of run %s", s.ended.Load(), m.ID)
	}
	err := judging.ReadRecords(filepath.Join("ended", judging.RecordsFile), func(r *judging.Record) error {
		last := r.Replies[len(r.Replies)-1]
		const why = "the server ended the reply, which repeats itself"
		if r.Outcome != judging.Cut || last.Detail != why || last.ReplyTokens >= 4096 {
			t.Errorf("%s: %q after %d tokens", r.Outcome, last.Detail, last.ReplyTokens)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	s.version = "0.16.1"
	other := newJudge(t, false, anything).URL
	for url, name := range map[string]string{s.URL: "vLLM 0.16.1", other: "OpenAI-compatible"} {
		ends(t, exitUsage, "--stop-repetition: "+name, "run", "pairwise", "--base-url", url, "--dataset", "sample", "--stop-repetition")
	}
}
