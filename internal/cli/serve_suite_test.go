package cli

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gavel/internal/server"
	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
	"gavel/internal/suite"
	"gavel/judging"
	"gavel/scoring"
)

// pairsSuite is a suite of one judge and two prompts, 8 judgments each.
func pairsSuite(at string) string {
	return fmt.Sprintf("name: pairs\ndefaults: {concurrency: 2, limit: 4}\njudges:\n  - {model: tiny, base-url: %q}\nconditions:\n  - {protocol: pairwise, dataset: sample, prompt: [sop, direct]}\n", at)
}

func (s *serving) startSuite(file string, more ...any) jobs.Job {
	s.t.Helper()
	request := map[string]any{"file": file}
	for i := 0; i+1 < len(more); i += 2 {
		request[more[i].(string)] = more[i+1]
	}
	var j jobs.Job
	if status, text := s.ask("POST", "/api/v1/suites/start", request, &j); status != http.StatusAccepted {
		s.t.Fatalf("it does not start: %d %s", status, text)
	}
	return j
}

// A suite that is planned, started, stopped and gone on with in the browser is
// the one that the command line makes, to the byte.
func TestServeMakesASuite(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	file := pairsSuite(g.URL)
	var plan struct {
		Suite string
		Plan  suite.Plan
	}
	if status, text := s.ask("POST", "/api/v1/suites/plan", map[string]any{"file": file}, &plan); status != 200 || plan.Suite != "pairs" || plan.Plan.Total.Calls != 16 || g.calls.Load() != 0 {
		t.Fatalf("plan: %d %s, %d calls", status, text, g.calls.Load())
	}
	j := s.startSuite(file)
	g.let(11) // into the second run
	s.until(j.ID, func(v server.JobView) bool { return len(v.Job.Runs) == 2 && v.Progress != nil && v.Progress.Done >= 2 })
	var v server.SuiteView
	if status, text := s.ask("GET", "/api/v1/suites/pairs", nil, &v); status != 200 || v.Job != j.ID || v.Statuses[judging.Complete] != 1 || v.Statuses[judging.Running] != 1 || v.Progress == nil {
		t.Errorf("while it is made: %d %s", status, text)
	}
	if status, text := s.ask("POST", "/api/v1/suites/start", map[string]any{"file": file}, nil); status != http.StatusConflict || !strings.Contains(text, "is in progress already, in job "+j.ID) {
		t.Errorf("the same suite twice: %d %s", status, text)
	}
	s.ask("POST", "/api/v1/jobs/"+j.ID+"/stop", map[string]any{}, nil)
	s.until(j.ID, toldToStop)
	g.let(4) // what is in flight, and no more
	if v := s.until(j.ID, ended); v.Job.State != jobs.Stopped || !strings.Contains(v.Job.Error, "1 of 2 cells are not complete; start the same again") {
		t.Errorf("after it was stopped: %+v", v.Job)
	}
	g.open()
	if v := s.until(s.startSuite(file).ID, ended); v.Job.State != jobs.Complete || g.calls.Load() != 16 {
		t.Errorf("at the end: %+v, %d calls", v.Job, g.calls.Load())
	}
	v = server.SuiteView{}
	s.ask("GET", "/api/v1/suites/pairs", nil, &v)
	if v.Statuses[judging.Complete] != 2 || v.Job != "" || len(v.Results.Conditions) != 2 {
		t.Errorf("at the end: %+v", v)
	}
	write(t, "by-hand.yaml", strings.Replace(file, "name: pairs", "name: by-hand\nout: by-hand", 1))
	mustCall(t, "suite", "run", "by-hand.yaml")
	for _, c := range v.Runs {
		_, cell, _ := strings.Cut(c.Name, "/")
		if a, b := read(t, filepath.Join("runs", c.Name, judging.ResultsFile)), read(t, filepath.Join("by-hand", cell, judging.ResultsFile)); a != b {
			t.Errorf("results of %s differ from the command line's:\n%s\n%s", cell, a, b)
		}
	}
	write(t, "runs/pairs/notes.txt", "mine")
	if status, text := s.ask("POST", "/api/v1/suites/pairs/delete", map[string]any{"confirm": "pairs"}, nil); status != http.StatusOK || read(t, "runs/pairs/notes.txt") != "mine" {
		t.Errorf("deleting: %d %s", status, text)
	}
	if left, _ := filepath.Glob("runs/pairs/*"); len(left) != 1 {
		t.Errorf("left of it: %v", left)
	}
	if status, _ := s.ask("GET", "/api/v1/suites/pairs", nil, nil); status != http.StatusNotFound {
		t.Errorf("looking at it then: %d", status)
	}
}

// A suite that is being made, by whomever, is not deleted, nor is a run in its
// folder that holds more; what is left is still the suite.
func TestServeDeletesNoSuiteAtWork(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	remove := func() (int, string) {
		return s.ask("POST", "/api/v1/suites/pairs/delete", map[string]any{"confirm": "pairs"}, nil)
	}
	j := s.startSuite(pairsSuite(g.URL))
	g.let(9)
	s.until(j.ID, func(v server.JobView) bool { return len(v.Job.Runs) == 2 })
	if status, text := remove(); status != http.StatusConflict || !strings.Contains(text, "the suite is in progress: stop it first") {
		t.Errorf("while it is made: %d %s", status, text)
	}
	g.open()
	s.until(j.ID, ended)
	runs, _ := filepath.Glob("runs/pairs/tiny_*")
	write(t, filepath.Join(runs[1], "notes.txt"), "mine")
	if status, text := remove(); status != http.StatusConflict || !strings.Contains(text, "notes.txt") || !strings.Contains(text, filepath.Base(runs[1])) {
		t.Errorf("with more in a run: %d %s", status, text)
	}
	var v server.SuiteView
	if status, _ := s.ask("GET", "/api/v1/suites/pairs", nil, &v); status != 200 || v.Statuses["not begun"] != 1 || v.Statuses[judging.Complete] != 1 {
		t.Errorf("what is left: %d %+v", status, v.SuiteHead)
	}
	os.Remove(filepath.Join(runs[1], "notes.txt"))
	if status, text := remove(); status != 200 {
		t.Errorf("then: %d %s", status, text)
	}
	if _, err := os.Stat("runs/pairs"); err == nil {
		t.Error("its folder is left")
	}
	if runtime.GOOS == "windows" {
		return
	}
	write(t, "elsewhere/suite.json", "{}")
	write(t, "elsewhere/run/run.json", "{}")
	if err := os.Symlink("../elsewhere", "runs/link"); err != nil {
		t.Fatal(err)
	}
	if status, text := s.ask("POST", "/api/v1/suites/link/delete", map[string]any{"confirm": "link"}, nil); status < 400 {
		t.Errorf("over a link: %d %s", status, text)
	}
	if read(t, "elsewhere/run/run.json") != "{}" {
		t.Error("what stands elsewhere is gone")
	}
}

// What the limits of a file forbid needs a yes.
func TestServeSuiteAboveItsLimits(t *testing.T) {
	home(t)
	s := serve(t)
	file := "name: much\nlimits: {calls: 3}\njudges: [{model: coin, backend: sim}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 4}]\n"
	var plan jobs.SuitePlanned
	if _, text := s.ask("POST", "/api/v1/suites/plan", map[string]any{"file": file}, &plan); len(plan.Above) != 1 || !strings.Contains(plan.Above[0], "8 calls, the limit is 3") {
		t.Errorf("plan: %s", text)
	}
	if v := s.until(s.startSuite(file).ID, ended); v.Job.State != jobs.Failed || !strings.Contains(v.Job.Error, "8 calls, the limit is 3; to start it anyway, send \"yes\": true") {
		t.Errorf("without a yes: %+v", v.Job)
	}
	if v := s.until(s.startSuite(file, "yes", true).ID, ended); v.Job.State != jobs.Complete {
		t.Errorf("with a yes: %+v", v.Job)
	}
}

// Whoever posts a suite names no file of this machine, no address that is not
// offered, and nothing that is the server's own business.
func TestServeSuiteRefuses(t *testing.T) {
	home(t)
	write(t, "mine.jsonl", "{}\n")
	write(t, "prompt.txt", "{{.Question}}")
	s := serve(t)
	abs, _ := filepath.Abs("elsewhere")
	judge, condition := "judges: [{model: coin, backend: sim}]\n", "conditions: [{protocol: pairwise, dataset: sample, limit: 2}]\n"
	for _, bad := range [][2]string{
		{"", "suite.yaml: is empty"},
		{judge, "suite.yaml:1: conditions are missing"},
		{judge + "conditions: [{protocol: pairwise, dataset: mine.jsonl}]", `suite.yaml:2: --dataset "mine.jsonl" is not offered`},
		{judge + "conditions: [{protocol: pairwise, dataset: sample, prompt: prompt.txt}]", `suite.yaml:2: --prompt "prompt.txt"`},
		{judge + "conditions: [{protocol: pairwise, dataset: sample, ids: mine.jsonl}]", "--ids can be set on the command line only"},
		{judge + "conditions: [{protocol: pairwise, dataset: sample-number}]", "suite.yaml:2: "},
		{judge + "conditions: [{protocol: self-reference, dataset: sample-number, agents: [mine.jsonl]}]", `there is no run "mine.jsonl"`},
		{judge + "conditions: [{protocol: self-reference, dataset: sample-number, agents: [m@http://127.0.0.1:9]}]", "with the URL of an offered server"},
		{"judges: [{model: m, base-url: http://127.0.0.1:9}]\n" + condition, "--base-url http://127.0.0.1:9 is not offered here"},
		{"judges: [{model: m, base-url: 'http://me:secret@127.0.0.1:9'}]\n" + condition, "would see the password in this address"},
		{"judges: [{model: m, base-url: 'http://127.0.0.1:9/?api_key=secret'}]\n" + condition, "would see a key in it"},
		{"judges: [{model: m}]\n" + condition, "--model m: no offered server has it"},
		{"judges: [{model: m, backend: gpt}]\n" + condition, `--backend "gpt" is not one of`},
		{"judges: [{model: coin, backend: sim, api-key-env: HOME}]\n" + condition, "--api-key-env can be set on the command line only"},
		{"defaults: {cache: " + abs + "}\n" + judge + condition, "--cache can be set on the command line only"},
		{"defaults: {no-cache: true}\n" + judge + condition, "--no-cache can be set on the command line only"},
		{"out: " + abs + "\n" + judge + condition, "suite.yaml:1: out: "},
		{"out: .\n" + judge + condition, "suite.yaml:1: out: "},
		{"out: runs\n" + judge + condition, "suite.yaml:1: out: "},
		{"out: runs/../../x\n" + judge + condition, "suite.yaml:1: out: "},
		{"out: runs/.hidden\n" + judge + condition, "suite.yaml:1: out: "},
		{"out: runs/a/b/c/d/e\n" + judge + condition, "suite.yaml:1: out: "}, // its runs would stand in no list
		{`out: "runs/a\\b"` + "\n" + judge + condition, "suite.yaml:1: out: "},
		{`out: "runs/a\0b"` + "\n" + judge + condition, "suite.yaml:1: out: "},
		{judge + "conditions:\n- protocol: pairwise\n  dataset: sample\n  prompt: spo\n", `suite.yaml:5: --prompt "spo"`},
	} {
		for _, path := range []string{"plan", "start"} {
			if status, text := s.ask("POST", "/api/v1/suites/"+path, map[string]any{"file": bad[0]}, nil); status != http.StatusBadRequest || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), bad[1]) || strings.Contains(text, "secret") {
				t.Errorf("%s of %q: %d %s, want %s", path, bad[0], status, text, bad[1])
			}
		}
	}
	for _, request := range []map[string]any{{"limit": 2}, {"yes": "please"}, {"yes": []bool{true, false}}, {"file": []string{judge + condition, "x"}}} {
		if request["file"] == nil {
			request["file"] = judge + condition
		}
		if status, text := s.ask("POST", "/api/v1/suites/start", request, nil); status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", request, status, text)
		}
	}
	if entries, _ := filepath.Glob("runs/*"); len(entries) != 0 {
		t.Errorf("something was made: %v", entries)
	}
	if v := s.until(s.startSuite("out: runs/deep/er\n"+judge+condition).ID, ended); v.Job.State != jobs.Complete || v.Job.Suite != "deep/er" {
		t.Errorf("an out below the runs: %+v", v.Job)
	}
	if status, text := s.ask("POST", "/api/v1/suites/start", map[string]any{"file": "out: runs/deep/er/inner\n" + judge + condition}, nil); status != http.StatusBadRequest || !strings.Contains(text, "lies in the folder of another suite") {
		t.Errorf("an out in another suite: %d %s", status, text)
	}
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--limit", "2", "--out", "runs/plain")
	if v := s.until(s.startSuite("name: plain_\nout: runs/plain\n"+judge+condition).ID, ended); v.Job.State != jobs.Failed || !strings.Contains(v.Job.Error, "is a run") {
		t.Errorf("an out that is a run: %+v", v.Job)
	}
}

// A suite and a run beside it have one cache.
func TestServeSuiteBesideARun(t *testing.T) {
	home(t)
	g := newGate(t)
	s := serve(t, "--base-url", g.URL)
	a := s.start(jobRequest(g.URL, "limit", "4", "prompt", "cot"))
	s.until(a.ID, func(v server.JobView) bool { return v.Job.State == jobs.Running })
	b := s.startSuite(pairsSuite(g.URL))
	s.until(b.ID, func(v server.JobView) bool { return v.Job.State == jobs.Running })
	g.open()
	for _, id := range []string{a.ID, b.ID} {
		if v := s.until(id, ended); v.Job.State != jobs.Complete {
			t.Errorf("%+v", v.Job)
		}
	}
}

// A judge is found by its model, and several servers of one model are one judge.
func TestServeSuiteFindsItsJudges(t *testing.T) {
	home(t)
	a, b := newJudge(t, false, prefersLonger), newJudge(t, false, prefersLonger)
	s := serve(t, "--base-url", a.URL, "--base-url", b.URL)
	v := s.until(s.startSuite("name: one\njudges: [{model: tiny}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 4}]\n").ID, ended)
	if v.Job.State != jobs.Complete || a.calls.Load() != 8 || b.calls.Load() != 0 {
		t.Errorf("by its model: %+v, %d and %d calls", v.Job, a.calls.Load(), b.calls.Load())
	}
	v = s.until(s.startSuite(fmt.Sprintf("name: both\njudges: [{model: tiny, base-url: [%q, %q]}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 16, prompt: direct}]\n", a.URL+"/", b.URL)).ID, ended)
	m, err := judging.ReadManifest(filepath.Join("runs", filepath.FromSlash(v.Job.Run())))
	if err != nil || v.Job.State != jobs.Complete || len(m.Servers) != 2 {
		t.Errorf("of two servers: %+v, %v", v.Job, err)
	}
}

// A judge that says what kind of server it is on is not asked on another, as on
// the command line.
func TestServeSuiteHoldsTheBackend(t *testing.T) {
	home(t)
	j := newJudge(t, false, anything)
	s := serve(t, "--base-url", j.URL)
	file := fmt.Sprintf("name: kind\njudges: [{model: tiny, backend: ollama, base-url: %q}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 1}]\n", j.URL)
	if v := s.until(s.startSuite(file).ID, ended); v.Job.State != jobs.Failed || !slices.ContainsFunc(v.Job.Log, func(line string) bool { return strings.Contains(line, "is not Ollama but") }) {
		t.Errorf("%+v", v.Job)
	}
}

// Where several servers have keys, each is sent its own alone: a job request may have
// one of them judge what another answered, or ask both at once.
func TestServeSendsEachServerItsOwnKey(t *testing.T) {
	home(t)
	var mu sync.Mutex
	sent := map[string]bool{}
	watched := func(name string) *judge {
		j := newJudge(t, false, anything)
		handler := j.Config.Handler
		j.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			if key := r.Header.Get("Authorization"); key != "" {
				sent[name+" "+key] = true
			}
			mu.Unlock()
			handler.ServeHTTP(w, r)
		})
		return j
	}
	named, usual := watched("named"), watched("usual")
	t.Setenv("OPENAI_API_KEY", "sk-usual")
	t.Setenv("OPENAI_BASE_URL", usual.URL+"/v1")
	t.Setenv("MY_KEY", "sk-mine")
	e := newEnv(nil, io.Discard, io.Discard)
	r, err := jobs.New(t.Context(), *e.maker(), jobs.Options{Runs: "runs", AtOnce: 1, NoCache: true, BaseURLs: []string{named.URL}, APIKeyEnv: "MY_KEY", Shows: store.Shows})
	if err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf(`name: keys
judges:
  - {name: a, model: tiny, base-url: %[1]q}
  - {name: b, model: tiny, base-url: "%[2]s/v1"}
  - {name: both, model: tiny, base-url: [%[1]q, "%[2]s/v1"]}
conditions: [{protocol: self-reference, dataset: sample-number, limit: 1, agents: ["tiny@%[1]s", "tiny@%[2]s/v1"]}]
`, named.URL, usual.URL)
	if _, err := r.StartSuite(t.Context(), jobs.JobRequest{"file": {file}}); err != nil {
		t.Fatal(err)
	}
	r.Wait()
	if j := r.Jobs()[0]; len(j.Runs) == 0 {
		t.Errorf("%+v", j)
	}
	if want := map[string]bool{"named Bearer sk-mine": true, "usual Bearer sk-usual": true}; !maps.Equal(sent, want) {
		t.Errorf("%v", sent)
	}
}

// A suite is gone on with from its page, in its own folder and with servers that are offered alone.
func TestServeResumesASuite(t *testing.T) {
	home(t)
	g := newJudge(t, false, prefersLonger)
	condition := "conditions: [{protocol: pairwise, dataset: sample, limit: 2, prompt: direct}]\n"
	file := "name: %s\njudges: [{model: tiny, base-url: %q}]\n" + condition
	there := fmt.Sprintf(file, "there", g.URL)
	mustCall(t, "suite", "run", write(t, "there.yaml", there))
	asked := g.calls.Load()
	e := newEnv(nil, io.Discard, io.Discard)
	r, err := jobs.New(t.Context(), *e.maker(), jobs.Options{
		Runs: "runs", AtOnce: 1, NoCache: true, BaseURLs: []string{g.URL}, Shows: store.Shows,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]struct{ folder, file, want string }{
		"moved":        {"elsewhere", there, "elsewhere cannot be continued from here: its file is that of the folder there. Use the command line: gavel suite run FILE"},
		"not offered":  {"gone", fmt.Sprintf(file, "gone", "http://127.0.0.1:9"), "http://127.0.0.1:9 is not offered here"},
		"its own file": {"own", "name: own\njudges: [{model: coin, backend: sim}]\nconditions: [{protocol: pairwise, dataset: ./mine.jsonl}]\n", "Use the command line"},
	} {
		if _, err := r.ResumeSuite(t.Context(), bad.folder, bad.file); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", name, err, bad.want)
		}
	}
	if n := len(r.Jobs()); n != 0 {
		t.Errorf("%d jobs were begun for what was refused", n)
	}
	runs, _ := filepath.Glob("runs/there/tiny_*/records.jsonl")
	if len(runs) != 1 {
		t.Fatalf("the suite made %v", runs)
	}
	first, _, _ := strings.Cut(read(t, runs[0]), "\n")
	write(t, runs[0], first+"\n")
	if _, err := r.ResumeSuite(t.Context(), "there", there); err != nil {
		t.Fatal(err)
	}
	r.Wait()
	if j := r.Jobs()[0]; j.State != jobs.Complete || g.calls.Load() != 2*asked-1 {
		t.Errorf("%+v after %d and %d calls", j, asked, g.calls.Load()-asked)
	}
}

// `gavel suite run` says in its folder which runs are its own, and the server
// reads it while and after they are made.
func TestSuiteSaysWhatItIs(t *testing.T) {
	home(t)
	file := "name: mine\njudges: [{model: coin, backend: sim}, {model: right, backend: sim}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 6}]\n"
	write(t, "s.yaml", file)
	out := mustCall(t, "suite", "run", "s.yaml", "--json")
	f, err := scoring.DecodeSuite("suite.json", strings.NewReader(read(t, "runs/mine/suite.json")))
	var runs []string
	if err == nil {
		for _, c := range f.Cells {
			runs = append(runs, c.Run)
		}
	}
	if err != nil || f.File != file || !slices.Equal(runs, []string{"coin_pairwise_sample_sop_limit-6", "right_pairwise_sample_sop_limit-6"}) {
		t.Fatalf("%v %+v", err, f)
	}
	s := serve(t, "--read-only")
	var v server.SuiteView
	if status, text := s.ask("GET", "/api/v1/suites/mine", nil, &v); status != 200 || v.Statuses[judging.Complete] != 2 {
		t.Errorf("%d %s", status, text)
	}
	for _, st := range v.Results.Conditions[0].Rankings {
		for _, r := range st.Runs {
			if want := fmt.Sprintf(`"letters": %q`, r.Letters); !strings.Contains(out, want) {
				t.Errorf("the command line does not say %s", want)
			}
		}
	}
	if status, _ := s.ask("POST", "/api/v1/suites/start", map[string]any{"file": file}, nil); status != http.StatusNotImplemented {
		t.Errorf("starting on a server that only shows: %d", status)
	}
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--out", "runs/a-run")
	write(t, "t.yaml", "out: runs/a-run\n"+file)
	ends(t, exitUsage, "t.yaml:1: out: runs/a-run is a run", "suite", "run", "t.yaml")
}

// A reversed run's position bias is one number, with one name, wherever it is shown: how often the judge's answer is the
// response shown first. This judge picks the first in 81 % of judgments that ask for the worse and 75 % that ask for the
// better: no significant difference.
func TestOnePositionBias(t *testing.T) {
	home(t)
	write(t, "s.yaml", "name: goals\njudges:\n  - {backend: sim, model: \"accuracy=0.6,first=0.6\"}\n"+
		"conditions:\n  - {protocol: [pairwise, reversed], dataset: sample}\n")
	mustCall(t, "suite", "run", "--yes", "s.yaml")
	better := filepath.Join("runs", "goals", "accuracy-0.6-first-0.6_pairwise_sample_sop")
	worse := filepath.Join("runs", "goals", "accuracy-0.6-first-0.6_reversed_sample_sop")
	s := serve(t, "--runs", filepath.Join("runs", "goals"))
	page := func(path string) string {
		status, text := s.ask("GET", path, nil, nil)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		text = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`).ReplaceAllString(text, " ")
		return regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
	}
	for _, c := range []struct{ surface, text, want string }{
		{"score", mustCall(t, "score", worse), `picks the first response +81 \[70, 89\]`},
		{"score --full", mustCall(t, "score", worse, "--full"), `first-position +81\.2`},
		{"score --csv", mustCall(t, "score", worse, "--csv"), `first-position,overall,81\.25,64,`},
		{"score --markdown", mustCall(t, "score", worse, "--markdown"), `\| first-position \| 81\.2 `},
		{"score --json", mustCall(t, "score", worse, "--json"), `"first-position",\s+"group": "overall",\s+"value": 81.25`},
		{"results.json", read(t, filepath.Join(worse, "results.json")), `"first-position",\s+"group": "overall",\s+"value": 81.25`},
		{"suite results", mustCall(t, "suite", "results", "s.yaml"), `picks first\n[\s\S]*reversed_.* 81\n`},
		{"compare", mustCall(t, "compare", better, worse), `picks the first response +75 +81 +\+6 .*(noise\?|n\.s\.)`},
		{"compare --json", mustCall(t, "compare", better, worse, "--json"), `"first-position",[^}]*"b": 81.25`},
		{"report", mustCall(t, "report", worse, "--out", "-"), `Picks the first response</dt><dd class="num">81 %`},
		{"run page", page("/runs/" + filepath.Base(worse)), `Picks the first response 81 %`},
		{"both goals", page("/runs/" + filepath.Base(worse)), `Both goals .*Picks the first.*Asked which is better .* 75 % .*Asked which is worse .* 81 %`},
		{"breakdown", page("/runs/" + filepath.Base(worse)), `20 picks the first shown both times`},
		{"items", page("/runs/" + filepath.Base(worse) + "/items?show=by-first"), `20 of 32`},
		{"leaderboard", page("/?protocol=reversed&goal=worse"), `Picks the first response .* 81 %`},
	} {
		if !regexp.MustCompile(c.want).MatchString(c.text) {
			t.Errorf("%s: no %s in\n%s", c.surface, c.want, c.text)
		}
	}
}
