package backends

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// withPage returns the wire with one of its pages replaced, or removed if body is "".
func (w wire) withPage(page, body string) wire {
	w.pages = maps.Clone(w.pages)
	w.pages[page] = body
	if body == "" {
		delete(w.pages, page)
	}
	return w
}

// What cannot be read is an error of the same kinds as a question's.
func TestPagesThatFail(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for status, kind := range map[int]ErrorKind{401: ErrorAuth, 503: ErrorBusy} {
			b := w.withStatus(status, "no").start(t).client(w, "")
			if _, err := b.Models(t.Context()); !IsKind(err, kind) {
				t.Errorf("%d: Models: %v", status, err)
			}
			if _, err := b.Model(t.Context(), "tiny"); !IsKind(err, kind) {
				t.Errorf("%d: Model: %v", status, err)
			}
		}
	})
}

// withStatus returns a wire that answers every request with one status.
func (w wire) withStatus(status int, message string) wire {
	w.pages, w.lost = nil, respond(status, w.fail(status, message))
	return w
}

func TestIdentity(t *testing.T) {
	for want, m := range map[string]Model{
		"ollama sha:1":    {Name: "a", Digest: "sha:1", Fingerprint: "f"},
		"ollama a params": {Name: "a", Fingerprint: "params"},
		"ollama a":        {Name: "a"},
	} {
		if got := m.Identity("ollama"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "", -1: "", 276160: "276K", 494032768: "494M", 8030261248: "8.0B", 70553706496: "70.6B"} {
		if got := formatParameterCount(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

// Some versions of llama.cpp list the model while they load it, with nothing of
// its weights, and answer every other page with 503. Taken as it stands, that
// is a model of another identity.
func TestLoadingIsNoOtherModel(t *testing.T) {
	var loading atomic.Bool
	loading.Store(true)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case loading.Load() && r.URL.Path == "/v1/models":
			respond(200, `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"llamacpp","meta":null}]}`)(rw, r)
		case loading.Load():
			respond(503, llamaWire.fail(503, "Loading model"))(rw, r)
		default:
			respond(200, llamaWire.pages[r.URL.Path])(rw, r)
		}
	}))
	defer s.Close()
	b := NewOpenAI(s.URL, "", s.Client())
	if m, err := b.Model(t.Context(), "tiny"); !IsKind(err, ErrorBusy) {
		t.Errorf("while loading: %+v, %v", m, err)
	}
	loading.Store(false)
	if m, err := b.Model(t.Context(), "tiny"); err != nil || !strings.Contains(m.Fingerprint, "params=276160") || !strings.Contains(m.Fingerprint, "template=") {
		t.Errorf("afterwards: %+v, %v", m, err)
	}
}
