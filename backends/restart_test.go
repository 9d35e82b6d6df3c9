package backends

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// llama answers in the place of llama.cpp, without a network.
type llama struct {
	marker  atomic.Pointer[string]
	weights atomic.Pointer[string] // token that it goes on with
	chats   atomic.Int64
	sample  func(req *http.Request) *http.Response // instead of a sample; nil for none
	models  func(req *http.Request) *http.Response // instead of the list; nil for none
}

func answers(req *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

func (f *llama) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		io.Copy(io.Discard, req.Body)
	}
	var instead *http.Response
	body := ""
	switch req.URL.Path {
	case "/v1/models":
		if f.models != nil {
			instead = f.models(req)
		}
		body = `{"data":[{"id":"tiny","owned_by":"llamacpp","meta":{"n_ctx":4096,"n_params":1,"size":1,"n_vocab":1}}]}`
	case "/props":
		body = `{"total_slots":1,"media_marker":"` + *f.marker.Load() + `"}`
	case "/v1/completions":
		if f.sample != nil {
			instead = f.sample(req)
		}
		body = `{"choices":[{"logprobs":{"content":[{"token":"x","logprob":-0.1,"top_logprobs":[{"token":"` + *f.weights.Load() + `","logprob":-0.1}]}]}}]}`
	case "/v1/chat/completions":
		f.chats.Add(1)
		body = `{"choices":[{"index":0,"message":{"role":"assistant","content":"from ` + *f.weights.Load() + `"},"finish_reason":"stop"}]}`
	}
	if instead != nil {
		return instead, nil
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return answers(req, 200, body), nil
}

func (f *llama) serve(marker, weights string) { f.marker.Store(&marker); f.weights.Store(&weights) }

func (f *llama) watch(t *testing.T) *Watch {
	o := NewOpenAI("http://a", "", &http.Client{Transport: f})
	m, err := o.Model(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	server, _ := o.Server(t.Context())
	return NewWatch(t.Context(), Member{Backend: o, Client: o, Server: server, Model: m}, 2*time.Minute)
}

// hangs until the request is given up.
func hangs(req *http.Request) *http.Response {
	<-req.Context().Done()
	return nil
}

// TestWatchWhereASampleFails: a sample that failed says nothing of the model, and is taken again.
func TestWatchWhereASampleFails(t *testing.T) {
	for name, fails := range map[string]func(*http.Request) *http.Response{
		"502 of a proxy": func(req *http.Request) *http.Response { return answers(req, 502, "<html>Bad Gateway</html>") },
		"500":            func(req *http.Request) *http.Response { return answers(req, 500, `{"error":{"message":"x"}}`) },
		"slow":           hangs,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := new(llama)
				f.serve("1", " it")
				w := f.watch(t)
				if s, untold, err := w.Begin(nil); s == nil || untold != nil || err != nil {
					t.Fatal(s, untold, err)
				}
				f.serve("2", " other") // started again with other weights of the same name and size
				f.sample = func(req *http.Request) *http.Response {
					f.sample = nil // once
					return fails(req)
				}
				for i := range 3 {
					if err := w.counts(t, question); !errors.As(err, new(*ModelChangedError)) {
						t.Errorf("reply %d of other weights is trusted, error %v", i, err)
					}
					time.Sleep(time.Hour)
				}
			})
		})
	}
}

// TestWatchBeginsAgainWhereASampleFails: of a run that is gone on with while the server has other weights.
func TestWatchBeginsAgainWhereASampleFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(llama)
		f.serve("2", " other")
		f.sample = func(req *http.Request) *http.Response {
			f.sample = nil
			return answers(req, 502, "<html>Bad Gateway</html>")
		}
		w := f.watch(t)
		_, untold, err := w.Begin(Sample{" it": -0.1})
		if errors.As(err, new(*ModelChangedError)) {
			return
		}
		t.Errorf("Begin: untold %v, err %v", untold, err)
		for i := range 3 {
			if err := w.counts(t, question); !errors.As(err, new(*ModelChangedError)) {
				t.Errorf("reply %d of other weights is trusted, error %v", i, err)
			}
			time.Sleep(time.Hour)
		}
	})
}

// TestWatchWaitsForAPageThatHangs: a reply waits for a server that says nothing for 40 s: patience is two minutes.
func TestWatchWaitsForAPageThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(llama)
		f.serve("1", " it")
		w := f.watch(t)
		if _, _, err := w.Begin(nil); err != nil {
			t.Fatal(err)
		}
		back := time.Now().Add(40 * time.Second)
		f.models = func(req *http.Request) *http.Response {
			select { // as one whose process was stopped and goes on
			case <-time.After(time.Until(back)):
			case <-req.Context().Done():
			}
			return nil
		}
		begun := time.Now()
		if err := w.counts(t, question); err != nil {
			t.Errorf("the reply does not count after %s: %v", time.Since(begun), err)
		}
		f.models = nil
	})
}

// TestWatchDoubtsAServerThatWasAway: a look that found the server away is a sign of a restart.
func TestWatchDoubtsAServerThatWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, sample: Sample{" it": -0.5}})
		s.answered = func() { // the server goes down with the reply, and is back two seconds later with other weights
			s.answered = nil
			s.now.Store(&presence{down: true})
			time.AfterFunc(2*time.Second, func() {
				s.now.Store(&presence{identity: tinyIdentity, sample: Sample{" so": -0.5}})
			})
		}
		if err := w.ask(t); err != nil {
			t.Logf("first: %v", err)
		}
		for range 5 {
			if err := w.ask(t); !errors.As(err, new(*ModelChangedError)) {
				t.Errorf("a reply of other weights is trusted %s after the server was seen to be away: %v", time.Since(time.Now()), err)
			}
			time.Sleep(time.Second)
		}
	})
}

// countedClient counts replies that were paid for.
type countedClient struct{ n atomic.Int64 }

func (c *countedClient) Ask(context.Context, Request) (Response, error) {
	c.n.Add(1)
	return Response{Text: "fine", Finish: Stop}, nil
}

type refusing struct {
	Backend
	err error
}

func (r *refusing) Identify(context.Context, string) (Presence, error) { return Presence{}, r.err }

// TestWatchDoesNotPayTwice: where the list of models is refused for good, no reply is bought again.
func TestWatchDoesNotPayTwice(t *testing.T) {
	for name, err := range map[string]*Error{
		"429, come back in an hour": {Kind: Busy, Status: 429, Message: "slow down", RetryAfter: time.Hour},
		"403":                       {Kind: Auth, Status: 403, Message: "this key may not list models"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				paid := new(countedClient)
				w := NewWatch(t.Context(), Member{Backend: &refusing{err: err}, Client: paid, Server: Server{Kind: "openai"}, Model: Model{Name: "tiny"}}, 2*time.Minute)
				_, got := WithRetry(w, Retry{For: 2 * time.Minute}).Ask(t.Context(), Request{})
				if paid.n.Load() > 1 {
					t.Errorf("%d replies were paid for, and dropped: %v", paid.n.Load(), got)
				}
			})
		})
	}
}

// TestProbeOfAServerThatHangs: one that takes the connection and says nothing.
func TestProbeOfAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := Probe(t.Context(), &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})}, "http://a", "")
		if !IsKind(err, Transport, Timeout) {
			t.Errorf("%T: %v", err, err)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestWatchBeginsWhereASampleFails: the first sample of a new run is taken again.
func TestWatchBeginsWhereASampleFails(t *testing.T) {
	for name, fails := range map[string]func(*http.Request) *http.Response{
		"502":  func(req *http.Request) *http.Response { return answers(req, 502, "<html>Bad Gateway</html>") },
		"slow": hangs,
	} {
		synctest.Test(t, func(t *testing.T) {
			f := new(llama)
			f.serve("1", " it")
			f.sample = func(req *http.Request) *http.Response {
				f.sample = nil
				return fails(req)
			}
			sample, untold, err := f.watch(t).Begin(nil)
			if sample == nil && untold == nil {
				t.Errorf("%s: no sample, and no word of it: err %v", name, err)
			}
		})
	}
}
