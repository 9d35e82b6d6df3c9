package cli

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gavel/judging"
)

// twins is a server like llama.cpp's with two models of the same name, size and
// template, of which it serves the second from a certain question on: it was
// killed and started again, and nobody saw it.
type twins struct {
	*judge
	after atomic.Int64  // questions that the first model answers
	open  chan struct{} // closed when the questions after stall are answered
}

func (s *twins) second() bool { return s.calls.Load() > s.after.Load() }

// pick is one thing for the first model and another for the second.
func (s *twins) pick(first, second string) string {
	if s.second() {
		return second
	}
	return first
}

func newTwins(t *testing.T, after int64) *twins { return stallingTwins(t, after, math.MaxInt64) }

// stallingTwins are twins that answer no more than stall questions until they are opened.
func stallingTwins(t *testing.T, after, stall int64) *twins {
	t.Helper()
	s := &twins{open: make(chan struct{})}
	s.after.Store(after)
	s.judge = newJudge(t, false, func(n int64, _ string) (int, string) {
		if n > stall {
			<-s.open
		}
		return http.StatusOK, s.pick("[[A>B]]", "[[B>A]]")
	})
	chat := s.Config.Handler
	mux := http.NewServeMux()
	mux.Handle("/v1/chat/completions", chat)
	mux.HandleFunc("/v1/models", text(`{"data":[{"id":"tiny","owned_by":"llamacpp","meta":{"n_ctx":65536,"n_params":276160,"size":1104640,"n_vocab":1579,"ftype":"all F32"}}]}`))
	mux.HandleFunc("/props", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"total_slots":2,"chat_template":"x","media_marker":%q}`, s.pick("one", "two"))
	})
	mux.HandleFunc("/v1/completions", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"choices":[{"logprobs":{"content":[{"top_logprobs":[{"token":%q,"logprob":-0.3},{"token":" the","logprob":-2}]}]}}]}`, s.pick(" it", " you"))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestAnotherModelUnderTheSameName: none of the second model's replies becomes a
// record of the run or of the cache, though nothing but the server itself tells.
func TestAnotherModelUnderTheSameName(t *testing.T) {
	home(t)
	s := newTwins(t, 20)
	run := func(out string) (stdout, stderr string, code int) {
		return call(t, "run", "pairwise", "--base-url", s.URL, "--dataset", "sample", "--concurrency", "2", "--out", out)
	}
	stdout, stderr, code := run("r")
	if code != exitIncomplete || !strings.Contains(stderr, "serves another model now") || !strings.Contains(stderr, "judgments are left") {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	if !strings.Contains(stdout, "changed to another model") {
		t.Errorf("the table says nothing of it:\n%s", stdout)
	}
	for _, r := range records(t, "r") {
		if r.Label == "B>A" {
			t.Errorf("%s %d was answered by the second model", r.Item, r.Presentation)
		}
	}
	if m, err := judging.ReadManifest("r"); err != nil || len(m.Changes) != 1 || m.Status != judging.Incomplete || len(m.Sample) != 2 {
		t.Errorf("run.json: %+v, %v", m, err)
	}

	_, stderr, code = run("r")
	if code != exitError || !strings.Contains(stderr, "started with another model") {
		t.Errorf("going on with the second: exit status %d\n%s", code, stderr)
	}
	_, stderr, code = run("fresh")
	if code != exitError || !strings.Contains(stderr, "--alias") {
		t.Errorf("a run with the second and the cache of the first: exit status %d\n%s", code, stderr)
	}

	s.after.Store(1000) // the first again
	if _, stderr, code = run("r"); code != 0 {
		t.Errorf("going on with the first: exit status %d\n%s", code, stderr)
	}
	mustCall(t, "run", "pairwise", "--base-url", s.URL, "--dataset", "sample", "--out", "again")
	for _, out := range []string{"r", "again"} {
		rs := records(t, out)
		if len(rs) != 64 {
			t.Errorf("%s: %d records", out, len(rs))
		}
		for _, r := range rs {
			if r.Label != "A>B" {
				t.Errorf("%s: %s %d: %s", out, r.Item, r.Presentation, r.Label)
			}
		}
	}
}

// listing is a judge that says which models it has as list does, given how many calls it answered.
func listing(t *testing.T, reply func(int64, string) (int, string), list func(calls int64) (int, string)) *judge {
	t.Helper()
	j := newJudge(t, false, reply)
	chat := j.Config.Handler
	j.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			chat.ServeHTTP(w, r)
			return
		}
		status, body := list(j.calls.Load())
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	return j
}

const tinyList = `{"data":[{"id":"tiny","owned_by":"test"}]}`

// TestListOfModelsGone: a server whose list of models disappears while it is asked serves something else.
func TestListOfModelsGone(t *testing.T) {
	home(t)
	j := listing(t, func(n int64, _ string) (int, string) {
		return http.StatusOK, map[bool]string{true: "[[A>B]]", false: "[[B>A]]"}[n <= 20]
	}, func(calls int64) (int, string) {
		if calls < 20 {
			return http.StatusOK, tinyList
		}
		return http.StatusNotFound, `{"error":"not found"}`
	})
	ends(t, exitIncomplete, "serves another model now", "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "2", "--out", "r")
	for _, r := range records(t, "r") {
		if r.Label == "B>A" {
			t.Errorf("%s %d was answered after the list was gone", r.Item, r.Presentation)
		}
	}
}

// TestUnverified: what a server answers that does not say any more which model it serves is kept and marked, in no cache,
// and confirmed without another call once the server says it; or asked for again.
func TestUnverified(t *testing.T) {
	home(t)
	var says atomic.Bool
	j := listing(t, prefersLonger, func(calls int64) (int, string) {
		if calls < 20 || says.Load() {
			return http.StatusOK, tinyList
		}
		return http.StatusForbidden, `{"error":"this key may not list models"}`
	})
	run := func(out string, more ...string) (stdout, stderr string, unverified int) {
		t.Helper()
		args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", out}
		stdout, stderr, code := call(t, append(args, more...)...)
		rs := records(t, out)
		for _, r := range rs {
			if r.Unverified {
				unverified++
			}
		}
		if code != exitOK || len(rs) != 64 {
			t.Errorf("exit status %d, %d records\n%s", code, len(rs), stderr)
		}
		return stdout, stderr, unverified
	}
	stdout, stderr, n := run("r")
	if n != 64 || strings.Count(stderr, "64 judgments are kept but unverified: ") != 1 ||
		!strings.Contains(stdout, "64 of 64 judgments are unverified") || j.calls.Load() != 64 {
		t.Errorf("%d unverified after %d calls\n%s%s", n, j.calls.Load(), stderr, stdout)
	}
	says.Store(true)
	if stdout, _, n := run("r"); n != 0 || j.calls.Load() != 64 || strings.Contains(stdout, "unverified") {
		t.Errorf("%d are unverified after %d calls, though the server says which model it serves\n%s", n, j.calls.Load(), stdout)
	}
	run("fresh")
	if j.calls.Load() != 128 {
		t.Errorf("%d calls: what was unverified came out of the cache", j.calls.Load()-64)
	}
	if read(t, "r/results.json") != read(t, "fresh/results.json") {
		t.Error("results.json differs from that of a run that was never unverified")
	}
	says.Store(false)
	j.calls.Store(0)
	if _, _, n := run("no", "--no-cache"); n != 64 {
		t.Errorf("%d are unverified", n)
	}
	says.Store(true)
	if _, _, n := run("no", "--no-cache", "--ask-again"); n != 0 || j.calls.Load() != 128 {
		t.Errorf("%d are unverified after %d calls, though they were to be asked for again", n, j.calls.Load())
	}
}

// TestKilledUnchecked: of a run that is killed before its server was asked again no reply is paid for twice, none is
// trusted before it is asked, and none of them counts once it serves other weights.
func TestKilledUnchecked(t *testing.T) {
	for name, other := range map[string]bool{"the same": false, "other weights": true} {
		t.Run(name, func(t *testing.T) {
			home(t)
			s := stallingTwins(t, 1000, 20)
			args := []string{"run", "pairwise", "--base-url", s.URL, "--dataset", "sample", "--concurrency", "1", "--out", "r"}
			cmd := process(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			kept := func() int { return strings.Count(readIfAny("r/.unverified.jsonl"), "\n") }
			for end := time.Now().Add(time.Minute); kept() < 20 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			waited := 20 - recorded("r") // 20, unless the machine is so slow that there was a check
			cmd.Process.Kill()
			cmd.Wait()
			close(s.open)
			if other {
				s.after.Store(0)
			}
			_, stderr, code := call(t, args...)
			switch {
			case other && (code != exitError || len(records(t, "r")) != 20-waited):
				t.Errorf("exit status %d, %d records, %d waited\n%s", code, len(records(t, "r")), waited, stderr)
			case !other && (code != exitOK || s.calls.Load() > 65 || readIfAny("r/.unverified.jsonl") != ""):
				t.Errorf("exit status %d after %d calls\n%s", code, s.calls.Load(), stderr)
			}
			if rs := records(t, "r"); !other && (len(rs) != 64 || slices.ContainsFunc(rs, func(r *judging.Record) bool { return r.Unverified })) {
				t.Errorf("%d records, or some are unverified", len(rs))
			}
		})
	}
}

// TestAsksWhileItCounts: the first request does not wait for the longest prompt to be counted.
func TestAsksWhileItCounts(t *testing.T) {
	home(t)
	s := newTwins(t, 1000)
	rest, asked := s.Config.Handler, make(chan struct{})
	var first sync.Once
	var counted atomic.Int64
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/apply-template":
			select {
			case <-asked:
			case <-time.After(10 * time.Second):
				t.Error("nothing was asked for before prompts were counted")
			}
			text(`{"prompt":"x"}`)(w, r)
			return
		case "/tokenize":
			counted.Add(1)
			text(`{"tokens":[1,2,3]}`)(w, r)
			return
		case "/v1/chat/completions":
			first.Do(func() { close(asked) })
		}
		rest.ServeHTTP(w, r)
	})
	mustCall(t, "run", "pairwise", "--base-url", s.URL, "--dataset", "sample", "--max-tokens", "65000", "--out", "r")
	if m, err := judging.ReadManifest("r"); err != nil || counted.Load() == 0 || m.Longest != (judging.Length{Tokens: 3, By: judging.CountedByServer}) {
		t.Errorf("%d prompts were counted, the longest is said to have %+v; %v", counted.Load(), m.Longest, err)
	}
}

// readIfAny reads a file, or nothing where there is none.
func readIfAny(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// TestServersAnotherModelUnderTheSameName is the same with llama.cpp's server,
// killed in the middle of a run and started with other weights.
func TestServersAnotherModelUnderTheSameName(t *testing.T) {
	l := newLlama(t)
	home(t)
	first, second := os.Getenv("GAVEL_TINY_MODEL"), tinyModel(t, "-seed", "2")
	mustCall(t, judgments(t, "undisturbed", "--base-url", l.url(), "--cache", "other")...)

	p := newProxy(t, l, &valve{})
	p.let(20)
	g := inBackground(judgments(t, "r", "--base-url", p.URL, "--retry-for", "3m")...)
	await(t, "r", 20)
	l.kill()
	t.Setenv("GAVEL_TINY_MODEL", second)
	l.start(t)
	p.let(1000)
	stderr, code := g.end()
	if code != exitIncomplete || !strings.Contains(stderr, "serves another model now") {
		t.Fatalf("exit status %d\n%s", code, stderr)
	}
	l.kill()
	t.Setenv("GAVEL_TINY_MODEL", first)
	l.start(t)
	mustCall(t, judgments(t, "r", "--base-url", p.URL)...)
	said := map[string]string{}
	for _, r := range records(t, "undisturbed") {
		said[fmt.Sprint(r.Item, " ", r.Presentation)] = r.Text()
	}
	rs := records(t, "r")
	for _, r := range rs {
		if r.Text() != said[fmt.Sprint(r.Item, " ", r.Presentation)] {
			t.Errorf("%s %d was not answered by the first model: %s", r.Item, r.Presentation, r.Error)
		}
	}
	if len(rs) != 200 {
		t.Errorf("%d records", len(rs))
	}
	mustCall(t, judgments(t, "again", "--base-url", p.URL)...)
	wantWhole(t, "again", "undisturbed")
}

// TestTwinsAreNoPool: two servers whose models differ in their weights alone are
// not one judge, and it is said of the servers, not of the run.
func TestTwinsAreNoPool(t *testing.T) {
	home(t)
	first, second := newTwins(t, 1000), newTwins(t, -1)
	_, stderr, code := call(t, "run", "pairwise", "--base-url", first.URL, "--base-url", second.URL, "--dataset", "sample", "--no-cache", "--out", "r")
	if code != exitError || !strings.Contains(stderr, "the servers have different models") || first.calls.Load()+second.calls.Load() != 0 {
		t.Errorf("exit status %d, %d and %d calls\n%s", code, first.calls.Load(), second.calls.Load(), stderr)
	}
}
