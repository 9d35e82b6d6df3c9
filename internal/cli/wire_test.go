package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

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
			ends(t, exitError, url+" is neither Ollama nor OpenAI-compatible: HTTP 101: ", append(command, "--base-url", url)...)
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

// TestPasswordInTheAddress: a server behind basic authentication is asked with the user name and password of its address,
// which nothing shows or stores. Each way to be refused has its own words.
func TestPasswordInTheAddress(t *testing.T) {
	for _, ollama := range []bool{false, true} {
		home(t)
		t.Setenv("OPENAI_API_KEY", "sk-other-0123456789")
		j := newJudge(t, ollama, prefersLonger)
		inner := j.Config.Handler
		j.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, secret, _ := r.BasicAuth(); user != "jud@ge" || secret != "pass:Word#1" {
				w.Header().Set("WWW-Authenticate", `Basic realm="judges"`)
				http.Error(w, "<html><h1>401 Authorization Required</h1></html>", http.StatusUnauthorized)
				return
			}
			inner.ServeHTTP(w, r)
		})
		host := strings.TrimPrefix(j.URL, "http://")
		run := func(url string) (said string, code int) {
			out, errs, code := call(t, strings.Fields("run pairwise --dataset sample --limit 2 --out r --base-url "+url)...)
			return out + errs, code
		}
		for _, refused := range []struct{ url, says string }{
			{"http://" + host, "wants a user name and a password"},
			{"http://jud%40ge:wrong-word@" + host, "refuses the user name and password"},
		} {
			said, code := run(refused.url)
			assert.Check(t, code != exitOK && strings.Contains(said, refused.says) && !strings.Contains(said, "<h1>"), "%d\n%s", code, said)
		}
		said, code := run("http://jud@ge:pass:Word%231@" + host)
		assert.Equal(t, code, exitOK, said)
		write(t, "suite.yaml", "judges: [{model: tiny, base-url: \"http://jud%40ge:pass:Word%231@"+host+"\"}]\n"+
			"conditions: [{protocol: pairwise, dataset: sample, limit: 1}]\n")
		said += mustCall(t, "suite", "run", "--yes", "suite.yaml")
		out, errs, _ := call(t, "doctor", "--quick", "--base-url=http://jud%40ge:pass:Word%231@"+host)
		said += out + errs
		write(t, "suite.yaml", "")
		t.Setenv("OPENAI_BASE_URL", "http://jud%40ge:pass:Word%231@"+host)
		said += mustCall(t, "models")
		assert.NilError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				said += read(t, path)
			}
			return err
		}))
		for _, secret := range []string{"pass:Word", "Word%231", "jud@ge", "jud%40ge", "wrong-word"} {
			assert.Check(t, !strings.Contains(said, secret), secret)
		}
	}
}

// TestKeysThatAreRefused: without a key, with a wrong one, and a server that only says that it broke (LiteLLM).
func TestKeysThatAreRefused(t *testing.T) {
	home(t)
	status := http.StatusUnauthorized
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/version" {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	for _, c := range []struct {
		key    string
		status int
		says   string
	}{
		{status: 401, says: "it needs a key: name the environment variable"},
		{status: 401, key: "sk-wrong-0123456789", says: "it refuses the key that was sent"},
		{status: 500, says: "if it needs a key, name the environment variable"},
		{status: 500, key: "sk-wrong-0123456789", says: "is neither Ollama nor OpenAI-compatible"},
	} {
		status = c.status
		t.Setenv("OPENAI_API_KEY", c.key)
		_, said, code := call(t, "models", "--base-url", s.URL)
		assert.Check(t, code == exitError && strings.Contains(said, c.says), "%d %q: %s", c.status, c.key, said)
	}
}

// TestServerThatIsAwayAtFirst: a proxy that answers in a server's place, or wants fewer requests, is asked again; where
// nothing listens the command ends at once. Few pages are asked for before the first judgment.
func TestServerThatIsAwayAtFirst(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	inner := j.Config.Handler
	away, lists := 0, 0
	var status int
	j.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && away > 0 {
			away--
			http.Error(w, "<html><h1>Bad Gateway</h1></html>", status)
			return
		}
		if r.URL.Path == "/v1/models" && j.calls.Load() == 0 {
			lists++
		}
		inner.ServeHTTP(w, r)
	})
	for i, at := range []int{502, 503, 429, 504} {
		status, away = at, 4
		out, said, code := call(t, "run", "pairwise", "--dataset", "sample", "--limit", "1", "--retry-for", "2s", "--base-url", j.URL, "--out", fmt.Sprint(i))
		assert.Equal(t, code, exitOK, "%d: %s%s", at, out, said)
		assert.Check(t, strings.Contains(said, fmt.Sprintf("waiting for the server, up to 2s: %s: HTTP %d: Bad Gateway", j.URL, at)), said)
		if i == 0 {
			assert.Check(t, lists <= 4, "%d lists of models before the first judgment", lists)
		}
	}
	status, away = 500, 1000
	_, said, code := call(t, "run", "pairwise", "--dataset", "sample", "--retry-for", "1h", "--base-url", j.URL)
	assert.Check(t, code == exitError && away == 998, "asked %d times: %s", 1000-away, said)
}

// TestCutByAServerThatIgnoresTheConstraint: what runs on past the labels is no want of tokens.
func TestCutByAServerThatIgnoresTheConstraint(t *testing.T) {
	home(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			io.WriteString(w, `{"data":[{"id":"tiny","owned_by":"me"}]}`)
		case "/v1/chat/completions":
			io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant",`+
				`"content":"Let me look at both of them first"}}],"usage":{"prompt_tokens":5000,"completion_tokens":9}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	out, said, _ := call(t, "run", "pairwise", "--dataset", "sample", "--prompt", "direct", "--constrain", "--base-url", server.URL)
	said += out
	assert.Check(t, strings.Contains(said, "64 replies are not one of the labels: the server ignores --constrain, so leave it out"), said)
	assert.Check(t, strings.Contains(said, "alarm: 20 of 20 replies run on past the labels"), said)
	assert.Check(t, !strings.Contains(said, "raise --max-tokens") && !strings.Contains(said, "a larger --max-tokens"), said)
}

// TestCopiesAreNoRepetitions: a proxy that remembers replies answers in the judge's place. A server that gives all replies
// one id copies nothing.
func TestCopiesAreNoRepetitions(t *testing.T) {
	home(t)
	for name, id := range map[string]func(n int64, prompt string) string{
		"copies":  func(_ int64, prompt string) string { return fmt.Sprintf("chatcmpl-%x", sha256.Sum256([]byte(prompt))) },
		"own ids": func(n int64, _ string) string { return fmt.Sprint("chatcmpl-", n) },
		"one id":  func(int64, string) string { return "chatcmpl-0" },
	} {
		j := newJudge(t, false, prefersLonger)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			answer := httptest.NewRecorder()
			r.Body = io.NopCloser(bytes.NewReader(body))
			j.Config.Handler.ServeHTTP(answer, r)
			io.WriteString(w, strings.Replace(answer.Body.String(), `{"choices"`, fmt.Sprintf(`{"id":%q,"created":7,"choices"`, id(j.calls.Load(), string(body))), 1))
		}))
		defer proxy.Close()
		said := mustCall(t, "run", "pairwise", "--dataset", "sample", "--limit", "4", "--repeat", "3", "--concurrency", "1", "--no-cache", "--base-url", proxy.URL, "--out", name)
		said += mustCall(t, "score", "--full", name)
		copied := name == "copies"
		assert.Equal(t, strings.Contains(said, "16 replies are copies of earlier ones, by their id and time"), copied, said)
		assert.Equal(t, strings.Contains(said, "self-agreement: not measured"), copied, said)
		assert.Equal(t, strings.Contains(said, "had the same verdict every time"), !copied, said)
	}
}
