package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gavel/internal/trials"
	"gavel/judging"
)

// answeredBy counts the replies of a run by the server that gave them.
func answeredBy(t *testing.T, run string) map[string]int {
	t.Helper()
	by := map[string]int{}
	for _, r := range records(t, run) {
		for _, reply := range r.Replies {
			by[reply.Endpoint]++
		}
	}
	return by
}

// TestSeveralEndpoints: two servers share a run; its records say which one
// answered, and its results are those of one server.
func TestSeveralEndpoints(t *testing.T) {
	home(t)
	// How many each answers is up to the scheduler; that both are asked at once
	// is not: until the other has been asked, either keeps its first caller waiting.
	var alone atomic.Bool
	alone.Store(true)
	var asked [2]sync.Once
	var both sync.WaitGroup
	both.Add(2)
	meet := func(i int) func(int64, string) (int, string) {
		return func(call int64, user string) (int, string) {
			if !alone.Load() {
				asked[i].Do(both.Done)
				both.Wait()
			}
			return prefersLonger(call, user)
		}
	}
	a, b := newJudge(t, false, meet(0)), newJudge(t, false, meet(1))
	args := []string{"run", "pairwise", "--base-url", a.URL, "--dataset", "sample", "--no-cache", "--out"}
	mustCall(t, append(args, "one")...)
	if by := answeredBy(t, "one"); by[""] != 64 {
		t.Errorf("with one server there is no choice: %v", by)
	}
	if strings.Contains(read(t, "one/run.json"), `"servers"`) {
		t.Error("run.json lists the servers of a run with one")
	}
	args = append(args[:len(args)-1], "--base-url", b.URL+"/v1/")
	plan := mustCall(t, append(args, "--dry-run")...)
	for _, want := range []string{"on 2 servers", "server 1 ", a.URL, "server 2 ", b.URL, "concurrency           16"} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan lacks %q:\n%.900s", want, plan)
		}
	}
	alone.Store(false)
	mustCall(t, append(args, "--out", "two")...)
	if read(t, "one/results.json") != read(t, "two/results.json") {
		t.Error("results.json of one server and of two differ")
	}
	by := answeredBy(t, "two")
	if by[a.URL+"/v1"] == 0 || by[b.URL+"/v1"] == 0 || by[a.URL+"/v1"]+by[b.URL+"/v1"] != 64 {
		t.Errorf("answered by %v", by)
	}
	m, err := judging.ReadManifest("two")
	if err != nil || len(m.Servers) != 2 || m.Servers[0] != m.Server || m.Servers[1].URL != b.URL+"/v1" {
		t.Errorf("run.json: %+v, %v", m.Servers, err)
	}
}

// TestEndpointsThatDoNotFit: what cannot be one run is an error before anything
// is asked, and names both.
func TestEndpointsThatDoNotFit(t *testing.T) {
	home(t)
	a, other, openai := newJudge(t, true, prefersLonger), newJudge(t, true, prefersLonger), newJudge(t, false, prefersLonger)
	ready := other.Config.Handler
	other.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			text(`{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"beef","details":{}}]}`)(w, r)
			return
		}
		ready.ServeHTTP(w, r)
	})
	const down = "http://127.0.0.1:1" // no server has that port, and none is given it
	for name, tc := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"other weights":   {[]string{"--base-url", a.URL, "--base-url", other.URL}, exitError, []string{a.URL, `"ollama feed"`, other.URL, `"ollama beef"`}},
		"other kind":      {[]string{"--base-url", a.URL, "--base-url", openai.URL}, exitError, []string{a.URL + " is Ollama", openai.URL, "OpenAI-compatible", "of the same kind"}},
		"no such model":   {[]string{"--base-url", a.URL, "--base-url", other.URL, "--model", "judge:8b"}, exitError, []string{`unknown model "judge:8b" at ` + a.URL}},
		"one down":        {[]string{"--base-url", a.URL, "--base-url", down}, exitError, []string{"no server answers at " + down, "leave out its --base-url"}},
		"twice":           {[]string{"--base-url", a.URL, "--base-url", a.URL}, exitUsage, []string{"are the same server"}},
		"twice, slash":    {[]string{"--base-url", a.URL, "--base-url", a.URL + "/"}, exitUsage, []string{"are the same server"}},
		"twice, v1":       {[]string{"--base-url", a.URL + "/v1", "--base-url=" + a.URL}, exitUsage, []string{"are the same server"}},
		"twice, v1 slash": {[]string{"--base-url", strings.ToUpper(a.URL) + "/v1/", "--base-url", a.URL}, exitUsage, []string{"are the same server"}},
		"twice, port":     {[]string{"--base-url", "http://judge/", "--base-url", "http://Judge:80"}, exitUsage, []string{"are the same server"}},
		"a comma":         {[]string{"--base-url", a.URL + "," + other.URL}, exitUsage, []string{"is not an address"}},
		"one is empty":    {[]string{"--base-url", a.URL, "--base-url", ""}, exitUsage, []string{`"" is not an address`}},
		"simulated":       {[]string{"--base-url", a.URL, "--base-url", other.URL, "--backend", "sim"}, exitUsage, []string{"no meaning"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := call(t, append([]string{"run", "pairwise", "--dataset", "sample", "--retry-for", "1s"}, tc.args...)...)
			for _, want := range tc.says {
				if code != tc.code || !strings.Contains(stderr, want) {
					t.Errorf("exit status %d, want %d and %q:\n%s", code, tc.code, want, stderr)
				}
			}
		})
	}
	if n := a.calls.Load() + other.calls.Load() + openai.calls.Load(); n != 0 {
		t.Errorf("%d questions were asked", n)
	}
	ends(t, exitUsage, "gavel models asks one server", "models", "--base-url", a.URL, "--base-url", other.URL)
}

// TestEndpointComesBackAsAnother: a server that goes and comes back with another
// model gets no more work, which is said once.
func TestEndpointComesBackAsAnother(t *testing.T) {
	home(t)
	// a keeps its callers waiting until b's end has been said: so b gets all the
	// work until it goes, and a all that is left.
	var stderr overheard
	a := newJudge(t, false, func(n int64, user string) (int, string) {
		stderr.until("unknown model")
		return prefersLonger(n, user)
	})
	b := newJudge(t, false, prefersLonger)
	ready := b.Config.Handler
	b.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case b.calls.Load() < 8:
			ready.ServeHTTP(w, r)
		case r.URL.Path == "/v1/models":
			text(`{"data":[{"id":"large","owned_by":"test"}]}`)(w, r)
		default:
			panic(http.ErrAbortHandler)
		}
	})
	stdout, code := callTo(&stderr, "run", "pairwise", "--base-url", a.URL, "--base-url", b.URL, "--dataset", "sample", "--concurrency", "2", "--no-cache", "--out", "r", "--full")
	if code != 0 || !strings.Contains(stdout, "64 = decided 64") {
		t.Fatalf("exit status %d\n%s", code, stderr.String())
	}
	if said := stderr.String(); !strings.Contains(said, "is out: ") || strings.Count(said, `unknown model "tiny" at `+b.URL) != 1 || strings.Contains(said, "is back") {
		t.Errorf("stderr:\n%s", said)
	}
	if m, err := judging.ReadManifest("r"); err != nil || len(m.Changes) != 1 || !strings.HasPrefix(m.Changes[0].URL, b.URL) {
		t.Errorf("run.json: %+v, %v", m.Changes, err)
	}
	// What b said since it was asked last was before anybody knew that it would go: a was asked again.
	if by := answeredBy(t, "r"); by[b.URL+"/v1"] > 7 || by[b.URL+"/v1"]+by[a.URL+"/v1"] != 64 {
		t.Errorf("answered by %v", by)
	}
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
	var lines strings.Builder
	for i := range 100 {
		pair := strings.Replace(goodPair, `"p1"`, fmt.Sprintf(`"p%03d"`, i), 1)
		pair = strings.Replace(pair, `"question":"q"`, fmt.Sprintf(`"question":"What is %d times %d?"`, i, i+7), 1)
		pair = strings.Replace(pair, `"response_A":"a"`, fmt.Sprintf(`"response_A":"It is %d."`, i*(i+7)), 1)
		lines.WriteString(strings.Replace(pair, `"response_B":"b"`, fmt.Sprintf(`"response_B":"It is %d, as far as I know."`, i*(i+6)+1), 1))
	}
	return write(t, "pairs.jsonl", lines.String())
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
	seen := map[string]int{}
	for _, r := range records(t, run) {
		seen[fmt.Sprint(r.Item, " ", r.Presentation)]++
		if r.Outcome == judging.Failed || len(r.Replies) != 1 || r.Replies[0].PromptTokens < 50 {
			t.Errorf("%s %d: %s %+v %s", r.Item, r.Presentation, r.Outcome, r.Replies, r.Error)
		}
	}
	for judgment, n := range seen {
		if n != 1 {
			t.Errorf("%s: %d records", judgment, n)
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d judgments, want 200", len(seen))
	}
	if read(t, run+"/results.json") != read(t, undisturbed+"/results.json") {
		t.Errorf("results.json of %s differs from that of an undisturbed run", run)
	}
}

// TestServersOneOfTwoKilled: with two servers and one of them killed in the
// middle, all judgments are made, none twice.
func TestServersOneOfTwoKilled(t *testing.T) {
	a, b := newLlama(t), newLlama(t)
	home(t)
	mustCall(t, judgments(t, "undisturbed", "--no-cache", "--base-url", a.url())...)
	both := &valve{}
	pa, pb := newProxy(t, a, both), newProxy(t, b, both)
	both.let(64)
	g := inBackground(judgments(t, "r", "--no-cache", "--base-url", pa.URL, "--base-url", pb.URL)...)
	await(t, "r", 64) // and four more have been sent, two to each
	b.kill()
	both.let(1000)
	stderr, code := g.end()
	if code != 0 || strings.Count(stderr, "is out: ") != 1 || strings.Contains(stderr, "is back") {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	wantWhole(t, "r", "undisturbed")
	// b was given the second question of all, and from 64 on a had all the work.
	by := answeredBy(t, "r")
	if na, nb := by[pa.URL+"/v1"], by[pb.URL+"/v1"]; nb < 1 || na < 200-64 || na+nb != 200 {
		t.Errorf("answered by %v", by)
	}
	t.Logf("answered by %v\n%s", by, stderr)
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
	by := answeredBy(t, "r")
	if by[pb.URL+"/v1"] < 12+12 {
		t.Errorf("answered by %v", by)
	}
	t.Logf("answered by %v\n%s", by, stderr)
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
	before := p.asked.Load()
	p.let(1000)
	if stderr, code := inBackground(args...).end(); code != 0 {
		t.Errorf("again: exit status %d\n%s", code, stderr)
	}
	if n := p.asked.Load() - before; n != 140 {
		t.Errorf("%d questions for 140 missing judgments", n)
	}
	wantWhole(t, "s", "undisturbed")
}

// TestServersGavelKilled: gavel itself is killed at twenty moments of one run
// and started again with the same command; the end is the same, and no more was
// asked twice than was in flight.
func TestServersGavelKilled(t *testing.T) {
	a := newLlama(t)
	home(t)
	mustCall(t, judgments(t, "undisturbed", "--no-cache", "--base-url", a.url())...)
	p := newProxy(t, a, &valve{})
	const concurrency, seed = 2, 7
	kills := min(trials.Times(20), 150)
	args := judgments(t, "r", "--base-url", p.URL, "--cache", "c", "--concurrency", strconv.Itoa(concurrency))
	rng := rand.New(rand.NewPCG(seed, seed))
	moments := rng.Perm(170)[:kills] // after so many questions
	slices.Sort(moments)
	for _, moment := range moments {
		// Not all that is missing, so that the run is not over before it is killed.
		// What was answered and not yet recorded, at most one for each in flight, is
		// in the cache.
		p.set(200 - recorded("r") - concurrency - 1)
		cmd := process(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(5 * time.Minute); p.asked.Load() < int64(moment) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(50)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the run was over before it was killed")
		}
	}
	p.set(1000)
	if out, err := process(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantWhole(t, "r", "undisturbed")
	n := p.asked.Load()
	if n < 200 || n > 200+int64(kills*concurrency) {
		t.Errorf("%d questions for 200 judgments and %d kills with at most %d in flight", n, kills, concurrency)
	}
	t.Logf("%d questions", n)
}

// valve lets as many questions through as it is told to, and keeps the others
// waiting.
type valve struct {
	mu   sync.Mutex
	left int
	more chan struct{} // closed when left has been raised; nil where nobody waits
}

// let lets n more through.
func (v *valve) let(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.raise(v.left + n)
}

// set lets n through, whatever was left.
func (v *valve) set(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.raise(n)
}

func (v *valve) raise(n int) {
	v.left = n
	if v.more != nil {
		close(v.more)
		v.more = nil
	}
}

// pass waits until a question may go through; false if its asker has gone.
func (v *valve) pass(asker context.Context) bool {
	for {
		v.mu.Lock()
		if v.left > 0 {
			v.left--
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
	asked atomic.Int64
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
			p.asked.Add(1)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}
