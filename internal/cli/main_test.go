package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"gavel/internal/cli/clitest"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// binary is the path of gavel, for the tests that need a process of their own: this test binary under another name.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gavel-test-")
	if err != nil {
		return "", err
	}
	linked = dir
	return clitest.LinkGavel(dir)
})

// fewRounds are the resamples of intervals that no test reads. A test that reads some has them made with allRounds.
const fewRounds = 200

// allRounds makes intervals as gavel does, until the test ends.
func allRounds(t testing.TB) {
	scoring.DefaultOptions.Bootstrap.Rounds = stats.DefaultBootstrap.Rounds
	t.Cleanup(func() { scoring.DefaultOptions.Bootstrap.Rounds = fewRounds })
}

// linked is the folder of the binary, to be removed at the end.
var linked string

func TestMain(m *testing.M) {
	scoring.DefaultOptions.Bootstrap.Rounds = fewRounds
	if clitest.IsGavel() {
		os.Exit(Main(os.Args[1:]))
	}
	flag.Parse()
	trials.UseMemoryFiles()
	code := runTests(m)
	if linked != "" {
		os.RemoveAll(linked)
	}
	os.Exit(code)
}

// home gives the test folders of its own and no servers in its environment.
func home(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	t.Setenv("OLLAMA_HOST", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_API_KEY", "")
	xdg.Reload()
	t.Chdir(dir)
	return dir
}

// call runs a command line in this process.
func call(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var errs bytes.Buffer
	stdout, code = callTo(&errs, args...)
	return stdout, errs.String(), code
}

func callTo(stderr io.Writer, args ...string) (stdout string, code int) {
	var out bytes.Buffer
	code = newEnv(nil, &out, stderr).runCommandLine(context.Background(), args)
	return out.String(), code
}

// overheard is a command's stderr, for those who wait until something is said.
type overheard struct {
	mu     sync.Mutex
	output bytes.Buffer
	more   chan struct{} // closed when more is said; nil where nobody waits
}

func (o *overheard) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return o.output.Write(b)
}

func (o *overheard) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.output.String()
}

// until waits for words. Where they are not said it ends after two minutes, and
// what the test then finds is wrong.
func (o *overheard) until(words string) {
	late := time.After(2 * time.Minute)
	for {
		o.mu.Lock()
		if o.more == nil {
			o.more = make(chan struct{})
		}
		more, has := o.more, strings.Contains(o.output.String(), words)
		o.mu.Unlock()
		if has {
			return
		}
		select {
		case <-more:
		case <-late:
			return
		}
	}
}

// mustCall is call for a command that has to end well.
func mustCall(t testing.TB, args ...string) string {
	t.Helper()
	stdout, stderr, code := call(t, args...)
	if code != 0 {
		t.Fatalf("gavel %s: exit status %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// anyFailure stands for any exit status but 0, for [ends].
const anyFailure = -1

// ends calls a command that has to end with an exit status, and to say words on stderr; " … " is between words that may
// stand anywhere in it. It returns all that was said.
func ends(t testing.TB, status int, text string, args ...string) (stderr string) {
	t.Helper()
	_, stderr, code := call(t, args...)
	if code != status && !(code != 0 && status == anyFailure) {
		t.Errorf("gavel %s: exit status %d, want %d\n%s", strings.Join(args, " "), code, status, stderr)
	}
	contains(t, stderr, text, args)
	return stderr
}

// shows is ends for a command that has to end well, and for what it prints.
func shows(t testing.TB, text string, args ...string) (stdout string) {
	t.Helper()
	stdout = mustCall(t, args...)
	contains(t, stdout, text, args)
	return stdout
}

func contains(t testing.TB, text, want string, args []string) {
	t.Helper()
	for words := range strings.SplitSeq(want, " … ") {
		if !strings.Contains(text, words) {
			t.Errorf("gavel %s: no %q in\n%s", strings.Join(args, " "), words, text)
		}
	}
}

func parse(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sourceDir and startEnv are as the tests found them: they change both.
var (
	sourceDir, _ = os.Getwd()
	startEnv     = os.Environ()
)

// judge is a scripted server, which counts the questions that it is asked.
type judge struct {
	*httptest.Server
	calls atomic.Int64
}

// newJudge starts a judge in the format of Ollama or of OpenAI. reply is given the number of the question, from 1, and the
// user's message.
func newJudge(t testing.TB, ollama bool, reply func(call int64, user string) (status int, text string)) *judge {
	t.Helper()
	j := &judge{}
	mux := judgeFacts(ollama)
	mux.HandleFunc(map[bool]string{true: "POST /api/chat", false: "POST /v1/chat/completions"}[ollama], func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		json.NewDecoder(r.Body).Decode(&req)
		status, words := reply(j.calls.Add(1), req.Messages[len(req.Messages)-1].Content)
		if status != http.StatusOK {
			http.Error(w, words, status)
			return
		}
		json.NewEncoder(w).Encode(completion(ollama, words, 5000))
	})
	j.Server = httptest.NewServer(mux)
	t.Cleanup(j.Close)
	return j
}

// judgeFacts serves what a judge's server says of itself.
func judgeFacts(ollama bool) *http.ServeMux {
	mux := http.NewServeMux()
	if ollama {
		mux.HandleFunc("GET /api/version", text(`{"version":"0.17.4"}`))
		mux.HandleFunc("GET /api/tags", text(`{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"feed","details":{"family":"llama","parameter_size":"276K","quantization_level":"F32"}}]}`))
		mux.HandleFunc("POST /api/show", text(`{"details":{},"model_info":{"general.architecture":"llama","llama.context_length":32768}}`))
	} else {
		mux.HandleFunc("GET /v1/models", text(`{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"test"}]}`))
	}
	return mux
}

// completion is a reply to so many tokens, in Ollama's format or OpenAI's.
func completion(ollama bool, words string, tokens int) any {
	message := map[string]string{"role": "assistant", "content": words}
	if ollama {
		return map[string]any{"model": "tiny", "message": message, "done": true, "done_reason": "stop", "prompt_eval_count": tokens, "eval_count": 5}
	}
	return map[string]any{
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": message}},
		"usage":   map[string]int{"prompt_tokens": tokens, "completion_tokens": 5},
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(s)) }
}

const goodPair = `{"pair_id":"p1","original_id":null,"source":"s","question":"q","response_model":"m","response_A":"a","response_B":"b","label":"A>B"}` + "\n"

// anything plays a judge under every protocol.
func anything(call int64, user string) (int, string) {
	switch {
	case strings.Contains(user, "<|The Start of Assistant A's Answer|>"):
		return prefersLonger(call, user)
	case strings.Contains(user, "[User Instruction]"):
		return http.StatusOK, "Selection: Option 1"
	}
	return answersAll(call, user)
}

// prefersLonger names the longer response: it knows nothing, but is the same in
// both orders.
func prefersLonger(_ int64, user string) (int, string) {
	m := regexp.MustCompile(`(?s)Assistant A's Answer\|>\n(.*)\n<\|The End of Assistant A's.*Assistant B's Answer\|>\n(.*)\n<\|The End of Assistant B's`).FindStringSubmatch(user)
	if m == nil {
		return http.StatusInternalServerError, "not a pair"
	}
	if len(m[1]) >= len(m[2]) {
		return http.StatusOK, "The first says more. [[A>B]]"
	}
	return http.StatusOK, "The second says more. [[B>A]]"
}

func manifest(t testing.TB, dir string) *judging.Manifest {
	t.Helper()
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// choosesByHash names one of the first two options; which, follows from the
// question.
func choosesByHash(_ int64, user string) (int, string) {
	h := fnv.New32a()
	io.WriteString(h, user)
	return http.StatusOK, fmt.Sprintf("Selection: Option %d\nExplanation: so it is.", 1+h.Sum32()%2)
}

// process starts gavel as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = os.Environ()
	return cmd
}

func done(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
