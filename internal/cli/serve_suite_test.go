package cli

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
)

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
