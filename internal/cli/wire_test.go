package cli

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/backends"
)

// within fails a test whose work does not end; how long it takes is no matter.
func within(t *testing.T, what string, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s does not end", what)
	}
}

// asking are the commands that ask a server.
var asking = [][]string{
	{"run", "pairwise", "--dataset", "sample", "--model", "tiny"},
	{"models"},
	{"doctor", "--model", "tiny"},
}

// A server that sends elsewhere is not followed there, with no question at all.
func TestRedirectedServer(t *testing.T) {
	home(t)
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	for _, ollama := range []bool{true, false} {
		elsewhere := newJudge(t, ollama, anything)
		var came []string
		inner := elsewhere.Config.Handler
		elsewhere.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			came = append(came, r.URL.Path)
			inner.ServeHTTP(w, r)
		})
		here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}))
		defer here.Close()
		t.Setenv("OLLAMA_HOST", "")
		t.Setenv("OPENAI_BASE_URL", "")
		t.Setenv(map[bool]string{true: "OLLAMA_HOST", false: "OPENAI_BASE_URL"}[ollama], here.URL)
		commands := slices.Clone(asking)
		for _, command := range asking {
			commands = append(commands, append(slices.Clone(command), "--base-url", here.URL))
		}
		for _, command := range commands {
			_, stderr, code := call(t, command...)
			if code != exitError || !strings.Contains(stderr, "it redirects to "+elsewhere.URL) || !strings.Contains(stderr, "put "+elsewhere.URL+" in --base-url") {
				t.Errorf("%s: exit status %d, said %q", command, code, stderr)
			}
		}
		if came != nil {
			t.Errorf("elsewhere came %s", came)
		}
	}
}

// upgrading is a server that answers everything with 101 and keeps the line open.
func upgrading(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		raw(w, false, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			io.Copy(io.Discard, c)
		})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A program of another protocol on the port is named, and nothing waits for it.
func TestServerOfAnotherProtocol(t *testing.T) {
	home(t)
	url := upgrading(t)
	for _, command := range asking {
		within(t, command[0], func() {
			_, stderr, code := call(t, append(command, "--base-url", url)...)
			if code != exitError || !strings.Contains(stderr, url+" is neither Ollama nor OpenAI-compatible: HTTP 101: ") {
				t.Errorf("%s: exit status %d, said %q", command, code, stderr)
			}
		})
	}
}

// A server that tells no finish reasons is asked all the same, and it is said
// once of a run what cannot be known: of replies from the cache too.
func TestServerWithoutFinishReasons(t *testing.T) {
	home(t)
	j := &judge{reply: func(call int64, user string) (int, string) {
		if !strings.Contains(user, "Assistant A") { // gavel's own questions
			return http.StatusOK, "Yes."
		}
		return prefersLonger(call, user)
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", text(`{"data":[{"id":"tiny"}]}`))
	mux.HandleFunc("POST /v1/chat/completions", j.chat(func(s string) any {
		return map[string]any{"choices": []any{map[string]any{"message": map[string]string{"content": s}}}, "usage": map[string]int{"prompt_tokens": 5000, "completion_tokens": 5}}
	}))
	s := httptest.NewServer(mux)
	defer s.Close()
	command := []string{"run", "pairwise", "--base-url", s.URL, "--dataset", "sample", "--limit", "4", "--concurrency", "1", "--out"}
	for i, out := range []string{"asked", "remembered"} {
		_, stderr, code := call(t, append(command, out)...)
		if code != exitOK || strings.Count(stderr, backends.EndUntold) != 1 {
			t.Errorf("%s: exit status %d, said %q", out, code, stderr)
		}
		for _, r := range records(t, out) {
			if r.Outcome != "decided" {
				t.Errorf("%s: %+v", out, r)
			}
		}
		if n := j.calls.Load(); n != 8+1 {
			t.Errorf("run %d: asked %d times, want 8 and once more", i, n)
		}
	}
	stdout, _, _ := call(t, "doctor", "--base-url", s.URL)
	if !strings.Contains(strings.Join(strings.Fields(stdout), " "), backends.EndUntold) {
		t.Errorf("the doctor says\n%s", stdout)
	}
}
