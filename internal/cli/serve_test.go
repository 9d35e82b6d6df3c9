package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gavel/internal/eval"
	"gavel/internal/server"
	"gavel/internal/server/jobs"
	"gavel/judging"
)

// serving is a `gavel serve` that goes on beside a test.
type serving struct {
	t    testing.TB
	said overheard
	url  string
	stop func() // Ctrl-C
	code chan int
}

func serve(t testing.TB, args ...string) *serving {
	t.Helper()
	return begin(t, append([]string{"serve"}, args...)...)
}

// begin runs a command that serves pages.
func begin(t testing.TB, args ...string) *serving {
	t.Helper()
	s := &serving{t: t, code: make(chan int, 1)}
	in := new(eval.Interrupts)
	ctx, cancel := context.WithCancelCause(context.Background())
	s.stop = func() { in.Interrupt(cancel) }
	go func() {
		s.code <- gavel(ctx, in, io.Discard, &s.said, append(args, "--addr", "127.0.0.1:0"))
	}()
	t.Cleanup(func() {
		s.stop()
		s.stop()
		if code := <-s.code; code != exitOK {
			t.Errorf("serve ended with %d: %s", code, &s.said)
		}
		s.code <- 0
	})
	s.said.until("(Ctrl-C ends it)")
	m := regexp.MustCompile(`http://[^/]+`).FindString(s.said.String())
	if m == "" {
		t.Fatalf("it does not serve: %s", &s.said)
	}
	s.url = m
	return s
}

// end ends it as Ctrl-C does.
func (s *serving) end() {
	s.t.Helper()
	s.stop()
	code := <-s.code
	if code != exitOK {
		s.t.Errorf("it ended with %d: %s", code, &s.said)
	}
	s.code <- exitOK
}

// ask sends a request and reads what comes as JSON.
func (s *serving) ask(method, path string, body, v any) (status int, text string) {
	s.t.Helper()
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			s.t.Fatal(err)
		}
	}
	r, err := http.NewRequest(method, s.url+path, &b)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if v != nil && resp.StatusCode < 300 {
		if err := json.Unmarshal(raw, v); err != nil {
			s.t.Fatalf("%s: %v: %s", path, err, raw)
		}
	}
	return resp.StatusCode, string(raw)
}

func (s *serving) start(request map[string]any) jobs.Job {
	s.t.Helper()
	var j jobs.Job
	if status, text := s.ask("POST", "/api/v1/start", request, &j); status != http.StatusAccepted {
		s.t.Fatalf("it does not start: %d %s", status, text)
	}
	return j
}

func (s *serving) job(id string) server.JobView {
	s.t.Helper()
	var v server.JobView
	if status, text := s.ask("GET", "/api/v1/jobs/"+id, nil, &v); status != http.StatusOK {
		s.t.Fatalf("job %s: %d %s", id, status, text)
	}
	return v
}

// until waits for a job to be as it should; it gives up after two minutes.
func (s *serving) until(id string, is func(server.JobView) bool) server.JobView {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		v := s.job(id)
		if is(v) {
			return v
		}
		if time.Now().After(end) {
			s.t.Fatalf("the job never came to it: %+v", v)
		}
	}
}

func ended(v server.JobView) bool { return !v.Job.Active() }

// toldToStop tells whether the run has heard that its job is to stop: the call that says it does not wait for that.
func toldToStop(v server.JobView) bool {
	return strings.Contains(strings.Join(v.Job.Log, "\n"), "stopping: ")
}

// gate is a judge that answers as many requests as it is let.
type gate struct {
	*judge
	mu   sync.Mutex
	pass chan bool
}

func newGate(t *testing.T) *gate {
	g := &gate{pass: make(chan bool, 10_000)}
	g.judge = newJudge(t, false, func(call int64, user string) (int, string) {
		<-g.pass
		return prefersLonger(call, user)
	})
	t.Cleanup(g.open)
	return g
}

func (g *gate) let(n int) {
	for range n {
		g.pass <- true
	}
}

// open lets everything pass, now and later.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case _, more := <-g.pass:
		if !more {
			return
		}
	default:
	}
	close(g.pass)
}

func jobRequest(at string, more ...string) map[string]any {
	o := map[string]any{"protocol": "pairwise", "endpoint": at, "model": "tiny", "dataset": "sample", "concurrency": "2"}
	for i := 0; i+1 < len(more); i += 2 {
		o[more[i]] = more[i+1]
	}
	return o
}

// A run that is planned, started, watched, stopped and gone on with in the
// browser is the one that the command line makes, to the byte.
func TestServeMakesARun(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	var plan jobs.Planned
	if status, text := s.ask("POST", "/api/v1/plan", jobRequest(g.URL, "limit", "10"), &plan); status != 200 || len(plan.Stages) != 1 || plan.Stages[0].Numbers["calls"] != 20 || plan.Stages[0].Exists {
		t.Fatalf("plan: %d %s", status, text)
	}
	if g.calls.Load() != 0 {
		t.Error("a plan asks the judge")
	}
	j := s.start(jobRequest(g.URL, "limit", "10"))
	g.let(6)
	s.until(j.ID, func(v server.JobView) bool { return v.Progress != nil && v.Progress.Done >= 5 })
	if v := s.job(j.ID); v.Job.State != jobs.Running || v.Job.Run() != plan.Stages[0].Run || v.Progress.Status != judging.Running {
		t.Errorf("while it is made: %+v", v)
	}
	if status, _ := s.ask("POST", "/api/v1/jobs/"+j.ID+"/stop", map[string]any{}, nil); status != http.StatusAccepted {
		t.Errorf("stopping: %d", status)
	}
	s.until(j.ID, toldToStop)
	g.let(4) // what is in flight, and no more
	v := s.until(j.ID, ended)
	if v.Job.State != jobs.Stopped || v.Progress.Status != judging.Interrupted || !strings.Contains(v.Job.Error, "start the same again") {
		t.Errorf("after it was stopped: %+v", v.Job)
	}
	if log := strings.Join(v.Job.Log, "\n"); strings.Contains(log+v.Job.Error, "Ctrl-C") || strings.Contains(log+v.Job.Error, "command") || !strings.Contains(log, "stop again to abandon them") {
		t.Errorf("a job speaks of keys and commands:\n%s\n%s", log, v.Job.Error)
	}
	asked := g.calls.Load()
	if asked >= 20 || int64(v.Progress.Done) != asked {
		t.Errorf("%d asked, %d judgments kept", asked, v.Progress.Done)
	}
	if status, text := s.ask("POST", "/api/v1/plan", jobRequest(g.URL, "limit", "10"), &plan); status != 200 || !plan.Stages[0].Exists || plan.Stages[0].Numbers["standing"] != int(asked) {
		t.Errorf("the plan to go on: %s", text)
	}
	g.open()
	again := s.start(jobRequest(g.URL, "limit", "10"))
	v = s.until(again.ID, ended)
	if v.Job.State != jobs.Complete || v.Progress.Status != judging.Complete || g.calls.Load() != 20 {
		t.Errorf("at the end: %+v, %d calls", v.Job, g.calls.Load())
	}
	run := filepath.Join("runs", filepath.FromSlash(v.Job.Run()))
	mustCall(t, "run", "pairwise", "--base-url", g.URL, "--model", "tiny", "--dataset", "sample", "--limit", "10", "--concurrency", "2", "--out", "by-hand")
	if a, b := read(t, filepath.Join(run, judging.ResultsFile)), read(t, filepath.Join("by-hand", judging.ResultsFile)); a != b {
		t.Errorf("results differ from the command line's:\n%s\n%s", a, b)
	}
}

// Two people start runs at once: both are made, with one cache, which is free
// for the command line before and after. A third is told to wait.
func TestServeMakesRunsBesideEachOther(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	mustCall(t, "cache", "stats")
	a := s.start(jobRequest(g.URL, "limit", "4"))
	b := s.start(jobRequest(g.URL, "limit", "4", "prompt", "direct"))
	running := func(v server.JobView) bool { return v.Job.State == jobs.Running && v.Job.Run() != "" }
	s.until(a.ID, running)
	s.until(b.ID, running)
	status, text := s.ask("POST", "/api/v1/start", jobRequest(g.URL, "limit", "5"), nil)
	if status != http.StatusConflict || !strings.Contains(text, "2 runs or suites are in progress") {
		t.Errorf("a third: %d %s", status, text)
	}
	ends(t, exitError, "in use by another gavel", "cache", "stats")
	// One of them deletes a run while it is made.
	run := s.job(a.ID).Job.Run()
	status, text = s.ask("POST", "/api/v1/runs/"+url.PathEscape(run)+"/delete", map[string]any{"confirm": run}, nil)
	if status != http.StatusConflict || !strings.Contains(text, "stop it first") {
		t.Errorf("deleting a run that is made: %d %s", status, text)
	}
	g.open()
	for _, id := range []string{a.ID, b.ID} {
		if v := s.until(id, ended); v.Job.State != jobs.Complete {
			t.Errorf("%+v", v.Job)
		}
	}
	shows(t, "16", "cache", "stats")
	if status, text = s.ask("POST", "/api/v1/runs/"+url.PathEscape(run)+"/delete", map[string]any{"confirm": run}, nil); status != http.StatusOK {
		t.Errorf("deleting it afterwards: %d %s", status, text)
	}
	if status, text = s.ask("GET", "/api/v1/runs/"+url.PathEscape(run)+"/items", nil, nil); status != http.StatusNotFound || !strings.Contains(text, "deleted") {
		t.Errorf("looking at it then: %d %s", status, text)
	}
	if entries, _ := os.ReadDir("runs"); len(entries) != 1 {
		t.Errorf("left in the folder: %v", entries)
	}
}

// The same run twice at once is one run: the second is told so.
func TestServeSameRunTwice(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	a := s.start(jobRequest(g.URL, "limit", "4"))
	s.until(a.ID, func(v server.JobView) bool { return v.Job.State == jobs.Running })
	b := s.start(jobRequest(g.URL, "limit", "4"))
	if v := s.until(b.ID, ended); v.Job.State != jobs.Failed || !strings.Contains(v.Job.Error, "another gavel is writing to this run") {
		t.Errorf("the second: %+v", v.Job)
	}
	g.open()
	if v := s.until(a.ID, ended); v.Job.State != jobs.Complete {
		t.Errorf("the first: %+v", v.Job)
	}
}

// Runs of a command line are seen while they are made, and not deleted.
func TestServeBesideTheCommandLine(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t)
	ends := make(chan int, 1)
	go func() {
		_, code := callTo(io.Discard, "run", "pairwise", "--base-url", g.URL, "--model", "tiny", "--dataset", "sample", "--limit", "4", "--concurrency", "1", "--out", "runs/cli")
		ends <- code
	}()
	g.let(3)
	var p server.Progress
	for end := time.Now().Add(2 * time.Minute); p.Done < 3 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		s.ask("GET", "/api/v1/runs/cli/status", nil, &p)
	}
	if p.Done != 3 || p.Judgments != 8 || p.Status != judging.Running || p.Job != nil {
		t.Errorf("while it is made: %+v", p)
	}
	if status, text := s.ask("POST", "/api/v1/runs/cli/delete", map[string]any{"confirm": "cli"}, nil); status != http.StatusConflict || !strings.Contains(text, "writing to this run") {
		t.Errorf("deleting it: %d %s", status, text)
	}
	g.open()
	if code := <-ends; code != exitOK {
		t.Errorf("the command line ended with %d", code)
	}
}

func TestServeStagedRun(t *testing.T) {
	home(t)
	s := serve(t)
	request := map[string]any{"protocol": "self-reference", "endpoint": "sim", "model": "accuracy=0.8", "dataset": "sample-number", "agents": []string{"sim:accuracy=0.6,seed=2"}, "sample": 3}
	var plan jobs.Planned
	if status, text := s.ask("POST", "/api/v1/plan", request, &plan); status != 200 || len(plan.Stages) != 2 || !strings.Contains(strings.Join(plan.Notes, " "), "judgments follow") {
		t.Errorf("plan: %d %s", status, text)
	}
	v := s.until(s.start(request).ID, ended)
	if v.Job.State != jobs.Complete || len(v.Job.Runs) != 3 || !strings.Contains(v.Job.Run(), "self-reference") {
		t.Fatalf("%+v", v.Job)
	}
	var items server.ItemsView
	s.ask("GET", "/api/v1/runs/"+url.PathEscape(v.Job.Run())+"/items", nil, &items)
	if len(items.Items) == 0 {
		t.Fatal("no items")
	}
	var item server.ItemView
	s.ask("GET", "/api/v1/runs/"+url.PathEscape(v.Job.Run())+"/items/"+url.PathEscape(items.Items[0].ID), nil, &item)
	if len(item.Judgments) != 2 || item.Item.Answered == nil || item.Judgments[0].Mode != "cot" || item.Judgments[1].Mode != "self" || item.Judgments[1].Asked != "the same, to the byte" {
		t.Errorf("%+v", item)
	}
}

// Ctrl-C ends the server and, gently, what it makes.
func TestServeEndsGently(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	j := s.start(jobRequest(g.URL, "limit", "10"))
	g.let(6)
	v := s.until(j.ID, func(v server.JobView) bool { return v.Progress != nil && v.Progress.Done >= 4 })
	s.stop()
	s.said.until("finish their open requests")
	g.let(4)
	if code := <-s.code; code != exitOK {
		t.Errorf("exit status %d: %s", code, &s.said)
	}
	s.code <- exitOK
	m, err := judging.ReadManifest(filepath.Join("runs", v.Job.Run()))
	if err != nil || m.Status != judging.Interrupted {
		t.Errorf("the run is left as %+v, %v", m.Status, err)
	}
	g.open()
	mustCall(t, "run", "pairwise", "--base-url", g.URL, "--model", "tiny", "--dataset", "sample", "--limit", "10", "--concurrency", "2")
}

func TestServeRefusals(t *testing.T) {
	home(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	write(t, "short", "secret\n")
	write(t, "file", "x")
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"all addresses without a token", []string{"--addr", "0.0.0.0:0"}, exitUsage, "needs --token-file"},
		{"no host at all", []string{"--addr", ":0"}, exitUsage, "needs --token-file"},
		{"no such folder", []string{"--runs", "nosuch"}, exitUsage, "--runs nosuch: there is no such folder: name the one that has your runs"},
		{"no port", []string{"--addr", "127.0.0.1"}, exitUsage, "not an address"},
		{"a port in use", []string{"--addr", taken.Addr().String()}, exitError, "is in use, perhaps by another gavel serve"},
		{"no token file", []string{"--addr", "0.0.0.0:0", "--token-file", "none"}, exitError, "openssl rand"},
		{"a short token", []string{"--token-file", "short"}, exitError, "it needs at least 16"},
		{"a name without a token", []string{"--host", "gpu1.lab"}, exitUsage, "needs --token-file"},
		{"runs in a file", []string{"--addr", "127.0.0.1:0", "--runs", "file"}, exitError, "--runs"},
		{"no runs at once", []string{"--max-runs", "0"}, exitUsage, "at least 1"},
		{"an address that is none", []string{"--base-url", "gpu1"}, exitUsage, "not an address"},
		{"two caches", []string{"--cache", "a", "--no-cache"}, exitUsage, "choose one"},
	} {
		_, stderr, code := call(t, append([]string{"serve"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.says) || strings.Count(strings.TrimSpace(stderr), "\n") > 1 {
			t.Errorf("%s: exit status %d, said %q; want %d and %q", c.name, code, stderr, c.code, c.says)
		}
	}
}

func TestServeToken(t *testing.T) {
	home(t)
	write(t, "token", "\n  correct-horse-battery  \nanother line\n")
	s := serve(t, "--token-file", "token")
	if runtime.GOOS != "windows" && !strings.Contains(s.said.String(), "chmod 600") {
		t.Errorf("a token that everybody may read: %s", &s.said)
	}
	if status, _ := s.ask("GET", "/api/v1/runs", nil, nil); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	r, _ := http.NewRequest("GET", s.url+"/api/v1/runs", nil)
	r.Header.Set("Authorization", "Bearer correct-horse-battery")
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("with it: %v %v", resp, err)
	}
	resp.Body.Close()
}

// Whoever posts a run names no file and not an address, and asks for nothing that
// the command line would refuse.
func TestServeJobRequests(t *testing.T) {
	dir := home(t)
	outside := filepath.Join(t.TempDir(), "x")
	write(t, "prompt.txt", "[[A>B]] or [[B>A]]")
	write(t, "pairs.jsonl", "{}")
	s := serve(t)
	good := map[string]any{"protocol": "pairwise", "endpoint": "sim", "model": "coin", "dataset": "sample"}
	for _, c := range []struct {
		name   string
		change map[string]any
		says   string
	}{
		{"no protocol", map[string]any{"protocol": ""}, "unknown protocol"},
		{"no endpoint", map[string]any{"endpoint": ""}, "endpoint is missing"},
		{"an address of one's own", map[string]any{"endpoint": "http://evil.example"}, "not offered"},
		{"a file as a dataset", map[string]any{"dataset": filepath.Join(dir, "pairs.jsonl")}, "not offered"},
		{"a dataset that is not fetched", map[string]any{"dataset": "oasst1"}, "not offered"},
		{"a file as a prompt", map[string]any{"prompt": filepath.Join(dir, "prompt.txt")}, "it is one of"},
		{"a folder", map[string]any{"out": outside}, "is not a field"},
		{"a cache", map[string]any{"cache": outside}, "is not a field"},
		{"a file of ids", map[string]any{"ids": "/etc/passwd"}, "is not a field"},
		{"a backend", map[string]any{"backend": "sim"}, "is not a field"},
		{"an address as a flag", map[string]any{"base-url": "http://evil.example"}, "is not a field"},
		{"a key", map[string]any{"api-key-env": "HOME"}, "is not a field"},
		{"a flag in a value", map[string]any{"model": "coin --out=" + outside}, ""},
		{"no number", map[string]any{"limit": "many"}, "--limit"},
		{"a number below", map[string]any{"limit": "-1"}, "at least 1"},
		{"no time", map[string]any{"timeout": "soon"}, "--timeout"},
		{"another's field", map[string]any{"agents": "sim:coin"}, "is not a field"},
		{"no meaning here", map[string]any{"constrain": "true"}, "has no meaning"},
		{"an agent elsewhere", map[string]any{"protocol": "self-reference", "dataset": "sample-number", "agents": "m@http://evil.example"}, "an offered server"},
		{"an agent in a file", map[string]any{"protocol": "self-reference", "dataset": "sample-number", "agents": "/etc/passwd"}, "there is no run"},
		{"agents in one", map[string]any{"protocol": "self-reference", "dataset": "sample-number", "agents": "a,/etc/passwd"}, "give each separately"},
		{"a run elsewhere", map[string]any{"protocol": "self-reference", "dataset": "sample-number", "own": "../x"}, "there is no run"},
	} {
		o := map[string]any{}
		for k, v := range good {
			o[k] = v
		}
		for k, v := range c.change {
			o[k] = v
		}
		status, text := s.ask("POST", "/api/v1/plan", o, nil)
		if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity || !strings.Contains(text, c.says) || strings.Contains(text, "See: ") {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a job request made a folder")
	}
}

func TestDeleteLeavesWhatIsNoRun(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--out", "runs/a")
	write(t, "runs/a/notes.txt", "mine")
	write(t, "elsewhere/run.json", "x")
	if err := os.Symlink(filepath.Join("..", "elsewhere"), filepath.Join("runs", "link")); err != nil {
		t.Skip("no links here")
	}
	e := newEnv(nil, io.Discard, io.Discard)
	r, err := jobs.New(t.Context(), *e.maker(), jobs.Options{Runs: "runs", AtOnce: 1})
	if err != nil {
		t.Fatal(err)
	}
	for run, says := range map[string]string{"a": "notes.txt", "link": "a link", "none": "no such run", "../elsewhere": "no such run", ".": "no such run", "": "no such run"} {
		if err := r.Delete(run); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", run, err)
		}
	}
	if read(t, "runs/a/notes.txt") != "mine" || read(t, "elsewhere/run.json") != "x" {
		t.Error("something is gone")
	}
	os.Remove("runs/a/notes.txt")
	if err := r.Delete("a"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("runs/a"); err == nil {
		t.Error("the run is still there")
	}
}

var (
	shownCommand = regexp.MustCompile(`<(?:code|pre)[^>]*>(gavel [^<]+)|here: (gavel [^<]+)`)
	shownLink    = regexp.MustCompile(`href="(/[^"]*)`)
	stoodFor     = regexp.MustCompile(`^[A-Z]{3,}$`)
)

// TestCommandsOnPages: every command that a page shows can be copied into a shell where the server was started.
func TestCommandsOnPages(t *testing.T) {
	home(t)
	if err := os.Mkdir("none yet", 0o755); err != nil {
		t.Fatal(err)
	}
	sim := func(out, protocol, model, dataset string, more ...string) {
		mustCall(t, append([]string{"run", protocol, "--backend", "sim", "--model", model, "--dataset", dataset, "--out", "my runs/" + out}, more...)...)
	}
	sim("a", "pairwise", "accuracy=0.9", "sample")
	sim("deep/b", "pairwise", "accuracy=0.8,first=0.1", "sample", "--sample", "20")
	sim("it's c", "pairwise", "coin", "sample")
	sim("worse", "reversed", "accuracy=0.9", "sample")
	sim("options", "multi-option", "accuracy=0.6", "sample-options")
	sim("answers", "answer", "accuracy=0.6", "sample-choice")
	sim("own", "self-reference", "accuracy=0.8", "sample-number", "--agents", "sim:accuracy=0.6,seed=2")
	mustCall(t, "jury", "--out", "my runs/jury", "my runs/a", "my runs/deep/b", "my runs/it's c")
	mustCall(t, "demo", "--out", "my runs/published")
	pages := http.NewServeMux()
	for _, pattern := range server.Pages() {
		pages.HandleFunc(pattern, http.NotFound)
	}
	commands, seen := map[string]string{}, map[string]int{}
	for _, folder := range []string{"none yet", "my runs"} {
		s := serve(t, "--runs", folder)
		links := []string{"/", "/runs", "/suites", "/start", "/compare?run=a&run=deep%2Fb&run=it%27s+c", "/compare?a=jury&b=a"}
		for ; len(links) > 0; links = links[1:] {
			r, err := http.NewRequest("GET", links[0], nil)
			_, pattern := pages.Handler(r)
			if seen[folder+links[0]]++; err != nil || pattern == "" || seen[folder+links[0]] > 1 || seen[pattern] > 30 {
				continue
			}
			seen[pattern]++
			status, page := s.ask("GET", links[0], nil, nil)
			if status != http.StatusOK && folder == "my runs" {
				t.Errorf("%s: %d", links[0], status)
			}
			for _, m := range shownCommand.FindAllStringSubmatch(page, -1) {
				commands[html.UnescapeString(m[1]+m[2])] = links[0]
			}
			for _, m := range shownLink.FindAllStringSubmatch(page, -1) {
				link, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
				links = append(links, link)
			}
		}
	}
	all := strings.Join(slices.Sorted(maps.Keys(commands)), "\n")
	for _, begin := range []string{
		"gavel compare 'my runs/", "gavel jury --out 'my runs/jury' 'my runs/a' 'my runs/deep/b' 'my runs/it'\\''s c'",
		"gavel demo --out 'none yet'", "gavel run pairwise --model MODEL --dataset sample --out 'none yet/first'", "gavel run reversed ",
		"gavel run multi-option ", "gavel run answer ", "gavel run self-reference ", "gavel suite run FILE",
	} {
		if !strings.Contains(all, begin) {
			t.Errorf("no page shows %s…:\n%s", begin, all)
		}
	}
	for command := range commands {
		args := words(strings.ReplaceAll(strings.TrimSpace(command), `'\''`, "\x00"))[1:]
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", "'")
		}
		if args[0] == "serve" || slices.ContainsFunc(args, stoodFor.MatchString) {
			end := slices.IndexFunc(args, func(a string) bool { return a[0] == '-' || stoodFor.MatchString(a) })
			args = append(args[:max(1, end)], "--help")
		}
		mustCall(t, args...)
	}
}
