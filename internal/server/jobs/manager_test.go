package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gavel/backends"
	"gavel/cache"
	"gavel/internal/eval"
	"gavel/judging"
)

// newManager makes a Manager in a folder of the test's own.
func newManager(t *testing.T, o Options) *Manager {
	t.Helper()
	t.Chdir(t.TempDir())
	o.Runs, o.MaxActive = "runs", 1
	o.RunListShows = func(string) bool { return true }
	r, err := New(t.Context(), eval.Maker{
		HTTP: backends.NewHTTPClient(4), Getenv: os.Getenv, Now: time.Now, Version: "test",
		OpenCache: func(string) (*cache.Store, error) { return cache.Open("replies", cache.Options{MinFree: 1}) },
	}, o)
	ok(t, err)
	return r
}

// pairs asks for a run of so many pairs by a simulated judge.
func pairs(limit int) JobRequest {
	return JobRequest{"protocol": {"pairwise"}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}, "limit": {fmt.Sprint(limit)}}
}

// finishedJob is the job of a run, once it has ended.
func finishedJob(t *testing.T, r *Manager, request JobRequest) Job {
	t.Helper()
	_, err := r.Start(t.Context(), request)
	ok(t, err)
	r.Wait()
	return r.Jobs()[0]
}

// newModel is a server with the model "tiny", which answers everything alike.
func newModel(t *testing.T, observe func(r *http.Request)) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		observe(r)
		fmt.Fprint(w, `{"data":[{"id":"tiny"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		observe(r)
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"The answer is 4. Correct [[A>B]]"}}],"usage":{"prompt_tokens":5000,"completion_tokens":5}}`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// waitFor ends the test where something takes for ever.
func waitFor(t *testing.T, event string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: no end after two minutes", event)
	}
}

// Suites are read and planned one after the other; a caller that waits too long gets an error.
func TestServeSuiteTurns(t *testing.T) {
	r := newManager(t, Options{})
	ok(t, r.suitePlanSemaphore.Acquire(t.Context(), 1))
	request := JobRequest{"file": {"judges: [{model: coin, backend: sim}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 2}]\n"}}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.PlanSuite(gone, request); !errors.Is(err, context.Canceled) {
		t.Errorf("planning out of turn: %v", err)
	}
	if _, err := r.StartSuite(gone, request); !errors.Is(err, context.Canceled) {
		t.Errorf("starting out of turn: %v", err)
	}
	r.suitePlanSemaphore.Release(1)
	if _, err := r.PlanSuite(t.Context(), request); err != nil {
		t.Errorf("planning: %v", err)
	}
}

// A panic, of whatever goroutine, ends its own job alone.
func TestPanicEndsItsJob(t *testing.T) {
	r := newManager(t, Options{})
	panicked := func(when string, work func(context.Context, *eval.Maker) error) {
		began, err := r.begin(Job{}, work)
		if err != nil {
			t.Fatal(when, err)
		}
		waitFor(t, when, r.Wait)
		if j := r.Jobs()[0]; j.ID != began.ID || j.State != Failed || !strings.Contains(j.Error, "boom (manager_test.go:") {
			t.Errorf("%s: %+v", when, j)
		}
	}
	panicked("in the job", func(context.Context, *eval.Maker) error { panic("boom") })
	panicked("in a worker", func(ctx context.Context, e *eval.Maker) error {
		e.Observer = &exploding{Observer: e.Observer}
		o := eval.NewRequest(judging.Protocols()[0])
		o.Backend, o.Model, o.Dataset = "sim", "coin", "sample"
		_, err := e.Run(ctx, o)
		return err
	})
}

// exploding panics at the first judgment.
type exploding struct{ eval.Observer }

func (exploding) Recorded(*judging.Record) { panic("boom") }

// offer stops the clock, and offers these servers alone.
func offer(r *Manager, servers ...EndpointOffer) {
	now := r.maker.Now()
	r.maker.Now = func() time.Time { return now }
	r.offers.Put("", now.Truncate(offersMaxAge), servers)
}

// A judge is found by its model, whose tag may be left out.
func TestJudgeByItsModel(t *testing.T) {
	r := newManager(t, Options{})
	offer(r, EndpointOffer{ID: "http://127.0.0.1:9", Models: []string{"other", "small:latest"}})
	if ids, err := r.endpointIDs(t.Context(), eval.Endpoint{Backend: "auto"}, "small"); err != nil || !slices.Equal(ids, []string{"http://127.0.0.1:9"}) {
		t.Errorf("by a name without its tag: %v %v", ids, err)
	}
}

// The key of the servers that were named goes to no other, whoever is asked for
// what.
func TestServeSuiteKeepsKeysApart(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("MY_KEY", "sk-mine")
	var mu sync.Mutex
	sent := map[string]bool{}
	watch := func(name string) *httptest.Server {
		return newModel(t, func(r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			sent[name+" "+r.Header.Get("Authorization")] = true
		})
	}
	namedServer, foundServer := watch("named"), watch("found")
	for _, keyEnv := range []string{"", "MY_KEY"} {
		clear(sent)
		r := newManager(t, Options{NoCache: true, BaseURLs: []string{namedServer.URL}, APIKeyEnv: keyEnv})
		offer(r, append(r.endpoints(t.Context()), EndpointOffer{ID: foundServer.URL, Models: []string{"tiny"}})...)
		file := fmt.Sprintf("name: keys\njudges: [{model: tiny, base-url: %q}]\nconditions: [{protocol: self-reference, dataset: sample-number, sample: 1, agents: ['tiny@%s']}]\n", namedServer.URL, foundServer.URL)
		if _, err := r.StartSuite(t.Context(), JobRequest{"file": {file}}); err != nil {
			t.Fatal(err)
		}
		r.Wait()
		if j := r.Jobs()[0]; j.State != Complete {
			t.Errorf("%+v", j)
		}
		want := "named Bearer sk-secret"
		if keyEnv != "" {
			want = "named Bearer sk-mine"
		}
		if !sent[want] || !sent["found "] || sent["found Bearer sk-secret"] || sent["found Bearer sk-mine"] {
			t.Errorf("with %q: %v", keyEnv, sent)
		}
	}
}

// A job request that says nothing but what it must is a request that says nothing
// more, whatever the form sends along as a default.
func TestDefaultsOfTheForm(t *testing.T) {
	r := newManager(t, Options{})
	for _, k := range judging.Protocols() {
		request := JobRequest{"protocol": {k.Name}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}}
		for _, f := range FormFields(k) {
			request[f.Name] = []string{f.Default}
		}
		got, err := r.runRequest(t.Context(), request)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		want, err := eval.ParseRequest(k, map[string][]string{"backend": {"sim"}, "model": {"coin"}, "dataset": {"sample"}})
		if err != nil || got.Key() != want.Key() {
			t.Errorf("%s: %v\n%s\n%s", k.Name, err, got.Key(), want.Key())
		}
	}
}

// A server that was found on a port is not sent the key of another.
func TestServeKeys(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	var mu sync.Mutex
	var keys []string
	j := newModel(t, func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, r.Header.Get("Authorization"))
	})
	r := newManager(t, Options{})
	for _, keyless := range []bool{true, false} {
		want := map[bool]string{true: "", false: "Bearer sk-secret"}[keyless]
		keys = nil
		if !keyless {
			t.Setenv("OPENAI_BASE_URL", j.URL)
		}
		offer := EndpointOffer{ID: j.URL}
		r.addModels(t.Context(), &offer)
		if offer.Error != "" || len(offer.Models) != 1 || !slices.Contains(keys, want) || keyless && slices.Contains(keys, "Bearer sk-secret") {
			t.Errorf("keyless %t: sent %q, %+v", keyless, keys, offer)
		}
	}
}

// Servers are offered where one of them speaks another protocol.
func TestServeOffersBesideAnotherProtocol(t *testing.T) {
	j := newModel(t, func(*http.Request) {})
	for _, inEnvironment := range []bool{false, true} {
		o := Options{BaseURLs: []string{j.URL}}
		if odd := upgrading(t); inEnvironment {
			t.Setenv("OPENAI_BASE_URL", odd)
		} else {
			o.BaseURLs = append(o.BaseURLs, odd)
		}
		r := newManager(t, o)
		waitFor(t, "looking for servers", func() {
			endpoints := r.endpoints(t.Context())
			if len(endpoints) < 2 || len(endpoints[0].Models) != 1 || endpoints[0].Error != "" {
				t.Errorf("offered: %+v", endpoints)
			}
			if !inEnvironment && !strings.Contains(endpoints[1].Error, "HTTP 101") {
				t.Errorf("of the other it is said %q", endpoints[1].Error)
			}
		})
	}
}

// Whoever asks for offers waits for no other's: not for a server that hangs, if
// he does not want to.
func TestServeOffersLockNobodyOut(t *testing.T) {
	hangs := make(chan struct{}, 64)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		hangs <- struct{}{}
		<-r.Context().Done()
	}))
	defer s.Close()
	r := newManager(t, Options{BaseURLs: []string{s.URL}})
	first := make(chan []EndpointOffer, 1)
	go func() { first <- r.endpoints(t.Context()) }()
	<-hangs
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r.endpoints(gone)
	select {
	case <-first:
		t.Error("who came second had to wait until the first was served")
	default:
	}
	s.CloseClientConnections()
	waitFor(t, "looking for servers", func() {
		if endpoints := <-first; len(endpoints) < 2 || endpoints[0].Error == "" {
			t.Errorf("offered: %+v", endpoints)
		}
	})
}

// upgrading is a server that begins to speak another protocol, and never ends.
func upgrading(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(io.Discard, conn)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// As many jobs as --max-runs allows can go on at once, more than are kept too.
func TestMoreJobsThanAreKept(t *testing.T) {
	r := newManager(t, Options{})
	r.MaxActive = keepJobs + 2
	end := make(chan struct{})
	for range r.MaxActive {
		_, err := r.begin(Job{}, func(context.Context, *eval.Maker) error {
			<-end
			return nil
		})
		ok(t, err)
	}
	if n := len(r.Jobs()); n != r.MaxActive {
		t.Errorf("%d jobs are listed, %d go on", n, r.MaxActive)
	}
	close(end)
	waitFor(t, "the jobs", r.Wait)
}

// Of each protocol only datasets are offered that it can judge, and every field has words of its own.
func TestOffersFit(t *testing.T) {
	r := newManager(t, Options{})
	for _, k := range judging.Protocols() {
		o, err := r.Offer(t.Context(), k.Name)
		if err != nil || len(o.Datasets) == 0 {
			t.Fatalf("%s: %d datasets, %v", k.Name, len(o.Datasets), err)
		}
		for _, d := range o.Datasets {
			request := JobRequest{"protocol": {k.Name}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {d.Name}, "limit": {"2"}}
			if k.JudgesAgents() {
				request["agents"] = []string{"sim:coin"}
			}
			if _, err := r.Plan(t.Context(), request); err != nil {
				t.Errorf("%s is offered for %s: %v", d.Name, k.Name, err)
			}
		}
		for _, f := range o.Fields {
			if f.Label == "" || strings.Contains(f.Label, "--") || f.Label == f.Name {
				t.Errorf("%s: %s is called %q", k.Name, f.Name, f.Label)
			}
		}
	}
}

// The prompt that a suite's file sets is one that was asked for, were it the protocol's first one; what the form sends
// along is none.
func TestPromptOfASuite(t *testing.T) {
	r := newManager(t, Options{})
	for prompt, given := range map[string]bool{"": false, ", prompt: sop": true, ", prompt: decision": true} {
		s, err := r.readSuite(t.Context(), "judges: [{model: coin, backend: sim}]\n"+
			"conditions: [{protocol: pairwise, dataset: sample"+prompt+"}]\n")
		if err != nil || s.Cells[0].Request.PromptGiven != given {
			t.Errorf("%q: %v", prompt, err)
		}
	}
}
