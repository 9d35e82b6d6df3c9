package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
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
	for _, want := range []string{"on 2 servers", "server 1 ", a.URL, "server 2 ", b.URL, "concurrency           8"} {
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
	down := "http://127.0.0.1:" + freePort(t)
	for name, tc := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"other weights":   {[]string{"--base-url", a.URL, "--base-url", other.URL}, exitError, []string{a.URL, `"ollama feed"`, other.URL, `"ollama beef"`}},
		"other kind":      {[]string{"--base-url", a.URL, "--base-url", openai.URL}, exitError, []string{a.URL + " is Ollama", openai.URL, "OpenAI-compatible", "of one kind"}},
		"no such model":   {[]string{"--base-url", a.URL, "--base-url", other.URL, "--model", "judge:8b"}, exitError, []string{`unknown model "judge:8b" at ` + a.URL}},
		"one down":        {[]string{"--base-url", a.URL, "--base-url", down}, exitError, []string{"no server answers at " + down, "leave its --base-url out"}},
		"twice":           {[]string{"--base-url", a.URL, "--base-url", a.URL}, exitUsage, []string{"are one server"}},
		"twice, slash":    {[]string{"--base-url", a.URL, "--base-url", a.URL + "/"}, exitUsage, []string{"are one server"}},
		"twice, v1":       {[]string{"--base-url", a.URL + "/v1", "--base-url=" + a.URL}, exitUsage, []string{"are one server"}},
		"twice, v1 slash": {[]string{"--base-url", strings.ToUpper(a.URL) + "/v1/", "--base-url", a.URL}, exitUsage, []string{"are one server"}},
		"twice, port":     {[]string{"--base-url", "http://judge/", "--base-url", "http://Judge:80"}, exitUsage, []string{"are one server"}},
		"a comma":         {[]string{"--base-url", a.URL + "," + other.URL}, exitUsage, []string{"is no address"}},
		"one is empty":    {[]string{"--base-url", a.URL, "--base-url", ""}, exitUsage, []string{`"" is no address`}},
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
	_, stderr, code := call(t, "models", "--base-url", a.URL, "--base-url", other.URL)
	if code != exitUsage || !strings.Contains(stderr, "gavel models asks one server") {
		t.Errorf("models: exit status %d: %s", code, stderr)
	}
}

// TestEndpointComesBackAsAnother: a server that goes and comes back with another
// model gets no more work, which is said once.
func TestEndpointComesBackAsAnother(t *testing.T) {
	home(t)
	slowly := func(n int64, user string) (int, string) {
		time.Sleep(100 * time.Millisecond)
		return prefersLonger(n, user)
	}
	a, b := newJudge(t, false, slowly), newJudge(t, false, slowly)
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
	stdout, stderr, code := call(t, "run", "pairwise", "--base-url", a.URL, "--base-url", b.URL, "--dataset", "sample", "--concurrency", "2", "--no-cache", "--out", "r")
	if code != 0 || !strings.Contains(stdout, "64 = decided 64") {
		t.Fatalf("exit status %d\n%s", code, stderr)
	}
	if n := strings.Count(stderr, "is out: "); n != 2 || strings.Count(stderr, `unknown model "tiny" at `+b.URL) != 1 || strings.Contains(stderr, "is back") {
		t.Errorf("stderr:\n%s", stderr)
	}
	if by := answeredBy(t, "r"); by[b.URL+"/v1"] != 8 || by[a.URL+"/v1"] != 56 {
		t.Errorf("answered by %v", by)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// The tests below kill servers, so they start their own: llama-server with the
// tiny model, as scripts/servers.sh names them.

// llama is a llama-server of the test's own.
type llama struct {
	port string
	cmd  *exec.Cmd
}

func (l *llama) url() string { return "http://127.0.0.1:" + l.port }

// newLlama starts a server on a free port.
func newLlama(t *testing.T) *llama {
	t.Helper()
	for _, variable := range []string{"GAVEL_LLAMA_SERVER", "GAVEL_TINY_MODEL"} {
		if os.Getenv(variable) == "" {
			t.Skipf("%s is not set: run scripts/servers.sh start", variable)
		}
	}
	l := &llama{port: freePort(t)}
	l.start(t)
	t.Cleanup(l.kill)
	return l
}

// start starts it, on the port it had if it was killed, and waits for it.
func (l *llama) start(t *testing.T) {
	t.Helper()
	// One thread each: more than the machine has processors spin in each other's way.
	l.cmd = exec.Command(os.Getenv("GAVEL_LLAMA_SERVER"), "-m", os.Getenv("GAVEL_TINY_MODEL"), "--alias", "tiny",
		"--host", "127.0.0.1", "--port", l.port, "-np", "2", "-c", "8192", "-t", "1", "-tb", "1")
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 600 {
		if resp, err := http.Get(l.url() + "/health"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("llama-server does not answer")
}

// kill is kill -9.
func (l *llama) kill() {
	l.cmd.Process.Kill()
	l.cmd.Wait()
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
	stderr string
	code   int
}

func inBackground(t *testing.T, args ...string) <-chan going {
	ended := make(chan going, 1)
	go func() {
		var g going
		_, g.stderr, g.code = call(t, args...)
		ended <- g
	}()
	return ended
}

// await waits until a run has n records.
func await(t *testing.T, run string, n int) {
	t.Helper()
	for range 6000 {
		b, _ := os.ReadFile(run + "/records.jsonl")
		if bytes.Count(b, []byte("\n")) >= n {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: no %d records after a minute", run, n)
}

// wantWhole checks that each judgment of hundredPairs has one record that is an
// answer, and that the run came to what the undisturbed one did.
func wantWhole(t *testing.T, run, undisturbed string) {
	t.Helper()
	seen := map[string]int{}
	for _, r := range records(t, run) {
		seen[fmt.Sprint(r.Item, " ", r.Showing)]++
		if r.Outcome == judging.Failed || len(r.Replies) != 1 || r.Replies[0].PromptTokens < 50 {
			t.Errorf("%s %d: %s %+v %s", r.Item, r.Showing, r.Outcome, r.Replies, r.Error)
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
	ended := inBackground(t, judgments(t, "r", "--no-cache", "--base-url", a.url(), "--base-url", b.url())...)
	await(t, "r", 60)
	b.kill()
	g := <-ended
	if g.code != 0 || strings.Count(g.stderr, "is out: ") != 1 || strings.Contains(g.stderr, "is back") {
		t.Errorf("exit status %d\n%s", g.code, g.stderr)
	}
	wantWhole(t, "r", "undisturbed")
	by := answeredBy(t, "r")
	if by[a.url()+"/v1"] < 100 || by[b.url()+"/v1"] < 1 {
		t.Errorf("answered by %v", by)
	}
	t.Logf("answered by %v\n%s", by, g.stderr)
}

// TestServersOneOfTwoRestarted: the one that was killed is used again when it is
// back.
func TestServersOneOfTwoRestarted(t *testing.T) {
	a, b := newLlama(t), newLlama(t)
	home(t)
	mustCall(t, judgments(t, "undisturbed", "--no-cache", "--base-url", a.url())...)
	slow := newProxy(t, a, 250*time.Millisecond) // so that the run is not over before b is back
	ended := inBackground(t, judgments(t, "r", "--no-cache", "--base-url", slow.URL, "--base-url", b.url())...)
	await(t, "r", 20)
	b.kill()
	before := answeredBy(t, "r")[b.url()+"/v1"]
	b.start(t)
	g := <-ended
	if g.code != 0 || strings.Count(g.stderr, "is out: ") != 1 || strings.Count(g.stderr, "is back") != 1 {
		t.Errorf("exit status %d\n%s", g.code, g.stderr)
	}
	wantWhole(t, "r", "undisturbed")
	by := answeredBy(t, "r")
	if by[b.url()+"/v1"] < before+10 {
		t.Errorf("%d answers before it was killed; in the end by %v", before, by)
	}
	t.Logf("answered by %v\n%s", by, g.stderr)
}

// TestServersTheOnlyOneKilled: killed in the middle and restarted, the only
// server of a run is waited for; if it does not come back the run ends, says how
// much is left, and the same command asks for that and no more.
func TestServersTheOnlyOneKilled(t *testing.T) {
	a := newLlama(t)
	home(t)
	mustCall(t, judgments(t, "undisturbed", "--no-cache", "--base-url", a.url())...)

	ended := inBackground(t, judgments(t, "r", "--no-cache", "--base-url", a.url())...)
	await(t, "r", 60)
	a.kill()
	time.Sleep(time.Second)
	a.start(t)
	if g := <-ended; g.code != 0 {
		t.Errorf("restarted: exit status %d\n%s", g.code, g.stderr)
	}
	wantWhole(t, "r", "undisturbed")

	p := newProxy(t, a, 0)
	args := judgments(t, "s", "--no-cache", "--base-url", p.URL, "--retry-for", "1s")
	ended = inBackground(t, args...)
	await(t, "s", 60)
	a.kill()
	g := <-ended
	answered := 0
	for _, r := range records(t, "s") {
		if r.Outcome != judging.Failed {
			answered++
		}
	}
	m := regexp.MustCompile(`(\d+) of 200 judgments (are left|failed or are missing); run the same command again to go on`).FindStringSubmatch(g.stderr)
	if g.code != exitIncomplete || m == nil || m[1] != strconv.Itoa(200-answered) {
		t.Errorf("exit status %d with %d answers:\n%s", g.code, answered, g.stderr)
	}
	a.start(t)
	before := p.asked.Load()
	if g := <-inBackground(t, args...); g.code != 0 {
		t.Errorf("again: exit status %d\n%s", g.code, g.stderr)
	}
	if n := p.asked.Load() - before; n != int64(200-answered) {
		t.Errorf("%d questions for %d missing judgments", n, 200-answered)
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
	p := newProxy(t, a, 0)
	const kills, concurrency, seed = 20, 2, 7
	args := judgments(t, "r", "--base-url", p.URL, "--cache", "c", "--concurrency", strconv.Itoa(concurrency))
	rng := rand.New(rand.NewPCG(seed, seed))
	moments := rng.Perm(170)[:kills] // after so many questions
	slices.Sort(moments)
	for _, moment := range moments {
		cmd := process(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); p.asked.Load() < int64(moment) && time.Now().Before(end); {
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
	if out, err := process(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantWhole(t, "r", "undisturbed")
	n := p.asked.Load()
	if n < 200 || n > 200+kills*concurrency {
		t.Errorf("%d questions for 200 judgments and %d kills with at most %d in flight", n, kills, concurrency)
	}
	t.Logf("%d questions", n)
}

// proxy stands between gavel and a server and counts what is asked. What it
// cannot hand on it cuts off, as the server would.
type proxy struct {
	*httptest.Server
	asked atomic.Int64
}

func newProxy(t *testing.T, l *llama, delay time.Duration) *proxy {
	t.Helper()
	to, err := url.Parse(l.url())
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{}
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isChat(r.URL.Path) {
			p.asked.Add(1)
			time.Sleep(delay)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}
