package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gavel/judging"
)

// answeredBy counts the replies of a run by the server that gave them.
func answeredBy(t *testing.T, run string) map[string]int {
	t.Helper()
	answers := map[string]int{}
	for _, r := range records(t, run) {
		for _, reply := range r.Replies {
			answers[reply.Endpoint]++
		}
	}
	return answers
}

// The tests below kill servers, so they start their own: llama-server with the
// tiny model, as scripts/servers.sh names them.

// llama is a llama-server of the test's own.
type llama struct {
	host, port string
	ended      chan struct{} // closed when the process has
	cmd        *exec.Cmd
}

func (l *llama) url() string { return "http://" + net.JoinHostPort(l.host, l.port) }

// newLlama starts a server on a free port.
func newLlama(t *testing.T) *llama {
	t.Helper()
	for _, variable := range []string{"GAVEL_LLAMA_SERVER", "GAVEL_TINY_MODEL"} {
		if os.Getenv(variable) == "" {
			t.Skipf("%s is not set: run scripts/servers.sh start", variable)
		}
	}
	l := &llama{host: quietHost()}
	free, err := net.Listen("tcp", l.host+":0")
	if err != nil {
		t.Fatal(err)
	}
	_, l.port, _ = net.SplitHostPort(free.Addr().String())
	free.Close()
	l.start(t)
	t.Cleanup(l.kill)
	return l
}

// tinyModel makes a model of scripts/tinymodel.
func tinyModel(t *testing.T, flags ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "made.gguf")
	cmd := exec.Command("go", append([]string{"run", "./scripts/tinymodel", "-out", path}, flags...)...)
	cmd.Dir, cmd.Env = filepath.Join(sourceDir, "..", ".."), startEnv
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// start starts it, on the port it had if it was killed, and waits for it for as
// long as a slow machine may take.
func (l *llama) start(t *testing.T) {
	t.Helper()
	// One thread each: more than the machine has processors spin in each other's way.
	cmd := exec.Command(os.Getenv("GAVEL_LLAMA_SERVER"), "-m", os.Getenv("GAVEL_TINY_MODEL"), "--alias", "tiny",
		"--host", l.host, "--port", l.port, "-np", "2", "-c", "8192", "-t", "1", "-tb", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	l.cmd, l.ended = cmd, ended
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); {
		if resp, err := http.Get(l.url() + "/health"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ended:
			t.Fatalf("llama-server ended: %s", cmd.ProcessState)
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("llama-server does not answer")
}

// kill is kill -9.
func (l *llama) kill() {
	l.cmd.Process.Kill()
	<-l.ended
}

// hundredPairs is a dataset of 100 short pairs: 200 judgments.
func hundredPairs(t *testing.T) string {
	t.Helper()
	lines := strings.SplitAfter(read(t, filepath.Join(sourceDir, "testdata/files/sums.jsonl")), "\n")
	return write(t, "pairs.jsonl", strings.Join(lines[:100], ""))
}

// judgments is the command line of a run over hundredPairs.
func judgments(t *testing.T, out string, more ...string) []string {
	args := []string{"run", "pairwise", "--dataset", hundredPairs(t), "--prompt", "direct", "--max-tokens", "48", "--attempts", "1", "--out", out}
	return append(args, more...)
}

// going is a command under way in this process.
type going struct {
	stderr overheard
	code   chan int
}

func inBackground(args ...string) *going {
	g := &going{code: make(chan int, 1)}
	go func() {
		_, code := callTo(&g.stderr, args...)
		g.code <- code
	}()
	return g
}

// end waits for it.
func (g *going) end() (stderr string, code int) {
	code = <-g.code
	return g.stderr.String(), code
}

// await waits until a run has n records.
func await(t *testing.T, run string, n int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if recorded(run) >= n {
			return
		}
	}
	t.Fatalf("%s: no %d records after five minutes", run, n)
}

func recorded(run string) int {
	b, _ := os.ReadFile(run + "/records.jsonl")
	return bytes.Count(b, []byte("\n"))
}

// wantWhole checks that each judgment of hundredPairs has one record that is an
// answer, and that the run came to what the undisturbed one did.
func wantWhole(t *testing.T, run, undisturbed string) {
	t.Helper()
	counts := map[string]int{}
	for _, r := range records(t, run) {
		counts[fmt.Sprint(r.Item, " ", r.Presentation)]++
		if r.Outcome == judging.Failed || len(r.Replies) != 1 || r.Replies[0].PromptTokens < 50 {
			t.Errorf("%s %d: %s %+v %s", r.Item, r.Presentation, r.Outcome, r.Replies, r.Error)
		}
	}
	for judgment, n := range counts {
		if n != 1 {
			t.Errorf("%s: %d records", judgment, n)
		}
	}
	if len(counts) != 200 {
		t.Errorf("%d judgments, want 200", len(counts))
	}
	if read(t, run+"/results.json") != read(t, undisturbed+"/results.json") {
		t.Errorf("results.json of %s differs from that of an undisturbed run", run)
	}
}

// TestServersOneOfTwoRestarted: the one that was killed is used again when it is
// back.
func TestServersOneOfTwoRestarted(t *testing.T) {
	a, b := newLlama(t), newLlama(t)
	home(t)
	mustCall(t, judgments(t, "undisturbed", "--no-cache", "--base-url", a.url())...)
	pa, pb := newProxy(t, a, &valve{}), newProxy(t, b, &valve{})
	pa.let(12)
	pb.let(12)
	g := inBackground(judgments(t, "r", "--no-cache", "--concurrency", "4", "--base-url", pa.URL, "--base-url", pb.URL)...)
	await(t, "r", 24)
	b.kill()
	pb.let(1000) // what it was sent meanwhile breaks off, and waits before a
	g.stderr.until("is out: ")
	b.start(t)
	g.stderr.until("is back")
	pa.let(4) // that and no more: b has all the rest, until it has answered 12 more
	await(t, "r", 24+4+12)
	pa.let(1000)
	stderr, code := g.end()
	if code != 0 || strings.Count(stderr, "is out: ") != 1 || strings.Count(stderr, "is back") != 1 {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	wantWhole(t, "r", "undisturbed")
	answers := answeredBy(t, "r")
	if answers[pb.URL+"/v1"] < 12+12 {
		t.Errorf("answered by %v", answers)
	}
	t.Logf("answered by %v\n%s", answers, stderr)
}

// TestServersTheOnlyOneKilled: killed in the middle and restarted, the only
// server of a run is waited for; if it does not come back the run ends, says how
// much is left, and the same command asks for that and no more.
func TestServersTheOnlyOneKilled(t *testing.T) {
	a := newLlama(t)
	home(t)
	mustCall(t, judgments(t, "undisturbed", "--no-cache", "--base-url", a.url())...)

	g := inBackground(judgments(t, "r", "--no-cache", "--base-url", a.url())...)
	await(t, "r", 60)
	a.kill()
	time.Sleep(time.Second) // for connections to be refused
	a.start(t)
	if stderr, code := g.end(); code != 0 {
		t.Errorf("restarted: exit status %d\n%s", code, stderr)
	}
	wantWhole(t, "r", "undisturbed")

	p := newProxy(t, a, &valve{})
	args := judgments(t, "s", "--no-cache", "--base-url", p.URL, "--retry-for", "1s")
	p.let(60)
	g = inBackground(args...)
	await(t, "s", 60)
	a.kill()
	p.let(1000)
	stderr, code := g.end()
	answered := 0
	for _, r := range records(t, "s") {
		if r.Outcome != judging.Failed {
			answered++
		}
	}
	m := regexp.MustCompile(`(\d+) of 200 judgments (are left|failed or are missing); run the same command again to go on`).FindStringSubmatch(stderr)
	if code != exitIncomplete || answered != 60 || m == nil || m[1] != "140" {
		t.Errorf("exit status %d with %d answers:\n%s", code, answered, stderr)
	}
	a.start(t)
	before := p.requests.Load()
	p.let(1000)
	if stderr, code := inBackground(args...).end(); code != 0 {
		t.Errorf("again: exit status %d\n%s", code, stderr)
	}
	if n := p.requests.Load() - before; n != 140 {
		t.Errorf("%d questions for 140 missing judgments", n)
	}
	wantWhole(t, "s", "undisturbed")
}

// valve lets as many questions through as it is told to, and keeps the others
// waiting.
type valve struct {
	mu        sync.Mutex
	remaining int
	more      chan struct{} // closed when left has been raised; nil where nobody waits
}

// let lets n more through.
func (v *valve) let(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remaining += n
	if v.more != nil {
		close(v.more)
		v.more = nil
	}
}

// pass waits until a question may go through; false if its asker has gone.
func (v *valve) pass(asker context.Context) bool {
	for {
		v.mu.Lock()
		if v.remaining > 0 {
			v.remaining--
			v.mu.Unlock()
			return true
		}
		if v.more == nil {
			v.more = make(chan struct{})
		}
		more := v.more
		v.mu.Unlock()
		select {
		case <-more:
		case <-asker.Done():
			return false
		}
	}
}

// proxy stands between gavel and a server, lets questions through its valve and
// counts those. What it cannot hand on it cuts off, as the server would.
type proxy struct {
	*httptest.Server
	*valve
	requests atomic.Int64
}

func newProxy(t *testing.T, l *llama, v *valve) *proxy {
	t.Helper()
	to, err := url.Parse(l.url())
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{valve: v}
	forward := httputil.NewSingleHostReverseProxy(to)
	// A connection that is kept may be one to a server that was killed.
	forward.Transport = &http.Transport{DisableKeepAlives: true}
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isChat(r.URL.Path) {
			body, err := io.ReadAll(r.Body) // until then the server does not notice that its client goes
			if err != nil || !p.pass(r.Context()) {
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			p.requests.Add(1)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}
