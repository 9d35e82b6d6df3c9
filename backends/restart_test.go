package backends

import (
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
	weights atomic.Pointer[string]                 // token that it goes on with
	sample  func(req *http.Request) *http.Response // instead of a sample; nil for none
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
		body = `{"data":[{"id":"tiny","owned_by":"llamacpp","meta":{"n_ctx":4096,"n_params":1,"size":1,"n_vocab":1}}]}`
	case "/props":
		body = `{"total_slots":1,"media_marker":"` + *f.marker.Load() + `"}`
	case "/v1/completions":
		if f.sample != nil {
			instead = f.sample(req)
		}
		body = `{"choices":[{"logprobs":{"content":[{"token":"x","logprob":-0.1,"top_logprobs":[{"token":"` + *f.weights.Load() + `","logprob":-0.1}]}]}}]}`
	case "/v1/chat/completions":
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

func (f *llama) watch(t *testing.T) *ModelWatch {
	o := NewOpenAI("http://a", "", &http.Client{Transport: f})
	m, err := o.Model(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	server, _ := o.Server(t.Context())
	return NewModelWatch(t.Context(), PoolMember{Backend: o, Client: o, Server: server, Model: m}, 2*time.Minute)
}

// TestWatchWhereASampleFails: a sample that failed says nothing of the model, and is taken again: at the beginning of a
// run, when a run is gone on with, and of a server that was started again with other weights of the same name and size.
func TestWatchWhereASampleFails(t *testing.T) {
	for name, fails := range map[string]func(*http.Request) *http.Response{
		"502 of a proxy": func(req *http.Request) *http.Response { return answers(req, 502, "<html>Bad Gateway</html>") },
		"500":            func(req *http.Request) *http.Response { return answers(req, 500, `{"error":{"message":"x"}}`) },
		"slow": func(req *http.Request) *http.Response { // until it is given up
			<-req.Context().Done()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := new(llama)
				once := func(req *http.Request) *http.Response {
					f.sample = nil
					return fails(req)
				}
				f.serve("1", " it")
				f.sample = once
				w := f.watch(t)
				sample, untold, err := w.Begin(nil)
				if sample == nil || untold != nil || err != nil {
					t.Fatal(sample, untold, err)
				}
				f.serve("2", " other")
				f.sample = once
				for i := range 3 {
					if err := w.counts(t, question); !errors.As(err, new(*ModelChangedError)) {
						t.Errorf("reply %d of other weights is trusted, error %v", i, err)
					}
					time.Sleep(time.Hour)
				}
				f.sample = once
				if _, untold, err := f.watch(t).Begin(sample); !errors.As(err, new(*ModelChangedError)) {
					t.Errorf("Begin: untold %v, err %v", untold, err)
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
		if !IsKind(err, ErrorTransport, ErrorTimeout) {
			t.Errorf("%T: %v", err, err)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
