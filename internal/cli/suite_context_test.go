package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/internal/suite"
	"gavel/judging"
)

// newOllama is Ollama with two models, "tiny" and "other", which answer every
// question and judge every answer.
func newOllama(t *testing.T) *judge {
	t.Helper()
	j := newJudge(t, true, func(call int64, user string) (int, string) {
		switch {
		case strings.Contains(user, "<|User Prompt|>"):
			return prefersLonger(call, user)
		case strings.Contains(user, "[Option 1]"):
			return choosesByHash(call, user)
		}
		return answersAll(call, user)
	})
	ready := j.Config.Handler
	j.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			text(`{"models":[{"name":"tiny:latest","digest":"feed","details":{}},{"name":"other:latest","digest":"beef","details":{}}]}`)(w, r)
			return
		}
		ready.ServeHTTP(w, r)
	})
	return j
}

// load is a model with a context: Ollama loads the model where either changes.
type load struct {
	model  string
	numCtx int
}

// loadsSince lists what the server had to load, in order, since so many calls.
func (j *judge) loadsSince(calls int) (loads []load) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, body := range j.bodies[calls:] {
		var req struct {
			Model   string
			Options struct {
				NumCtx int `json:"num_ctx"`
			}
		}
		json.Unmarshal([]byte(body), &req)
		loads = append(loads, load{req.Model, req.Options.NumCtx})
	}
	return slices.Compact(loads)
}

func (j *judge) asked() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.bodies)
}

// contextSuite has prompts of several lengths, and every protocol with stages;
// more are conditions beside them.
func contextSuite(t *testing.T, j *judge, out, more string) string {
	t.Helper()
	return write(t, out+".yaml", fmt.Sprintf(`
out: %s
defaults: {concurrency: 2, limit: 3, max-tokens: 900, retry-for: 1ms, base-url: %s, cache: %[1]s.cache}
judges: [{model: tiny}]
conditions:
  - {protocol: multi-option, dataset: sample-options, goal: [best, worst]}
  - {protocol: pairwise, dataset: sample}
  - {protocol: reversed, dataset: sample, self-reference: true, name: by-self}
  - {protocol: self-reference, dataset: sample-choice, agents: "other@%[2]s", mode: [cot, self], name: judged}
%[3]s`, out, j.URL, more))
}

func planOf(t *testing.T, file string) (plan suite.Plan) {
	t.Helper()
	parse(t, mustCall(t, "suite", "plan", "--json", file), &plan)
	return plan
}

// TestSuiteContextResumed: killed at several moments, before and after the stages
// are complete, the suite goes on with the context that it had.
func TestSuiteContextResumed(t *testing.T) {
	home(t)
	j := newOllama(t)
	mustCall(t, "suite", "run", contextSuite(t, j, "undisturbed", ""))
	all, want := j.asked(), j.loadsSince(0)
	answer := j.reply
	j.reply = func(call int64, user string) (int, string) {
		time.Sleep(2 * time.Millisecond)
		return answer(call, user)
	}
	file := contextSuite(t, j, "a", "")
	for _, moment := range []int{1, 4, 15, all / 2, all - 9, all - 2} {
		cmd := process(t, "suite", "run", file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(2 * time.Minute); j.asked()-all < moment && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatalf("the suite was over before it was killed at call %d", moment)
		}
		planOf(t, file)
	}
	if out, err := process(t, "suite", "run", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := j.loadsSince(all); !slices.Equal(got, want) {
		t.Errorf("loads: %v, undisturbed %v", got, want)
	}
	s, err := suite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cells {
		if read(t, filepath.Join("a", filepath.Base(c.Request.Out), "results.json")) != read(t, filepath.Join("undisturbed", filepath.Base(c.Request.Out), "results.json")) {
			t.Errorf("%s: results.json differs from that of an undisturbed suite", filepath.Base(c.Request.Out))
		}
	}
}

// TestSuiteContextGrows: a condition with longer prompts is added later. What is
// there stays and is not asked again, stages of new cells included.
func TestSuiteContextGrows(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	mustCall(t, "suite", "run", file)
	calls, had := j.asked(), manifestsIn(t, "a")
	write(t, "prompt.txt", strings.Repeat("Be careful. ", 800)+"Answer [[Correct]] or [[Incorrect]].")
	file = contextSuite(t, j, "a", fmt.Sprintf(`  - {protocol: self-reference, dataset: sample-choice, agents: "other@%s", prompt: prompt.txt, name: longer}`, j.URL))
	plan := planOf(t, file)
	if plan.Total.Calls != 2*3 || plan.Total.Later != 0 {
		t.Errorf("planned: %+v, want three answers judged in two modes", plan.Total)
	}
	mustCall(t, "suite", "run", file)
	now := manifestsIn(t, "a")
	for dir, m := range had {
		if !reflect.DeepEqual(now[dir], m) {
			t.Errorf("%s was changed", dir)
		}
	}
	if len(now) != len(had)+1 || j.asked() != calls+6 {
		t.Errorf("%d runs, before there were %d; %d calls, of which 6 are wanted", len(now), len(had), j.asked()-calls)
	}
}

// manifestsIn reads those of all runs in a folder.
func manifestsIn(t *testing.T, dir string) map[string]*judging.Manifest {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", judging.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*judging.Manifest{}
	for _, path := range found {
		m, err := judging.ReadManifest(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(filepath.Dir(path))] = m
	}
	return all
}

// TestSuiteContextByHandNoMore: a cell whose num-ctx is taken out of the file, and
// one that differs from it in nothing else, are the runs that they were.
func TestSuiteContextByHandNoMore(t *testing.T) {
	home(t)
	j := newOllama(t)
	const byHand = "  - {protocol: pairwise, dataset: sample, name: by-hand, num-ctx: 20000}"
	mustCall(t, "suite", "run", contextSuite(t, j, "a", byHand))
	calls := j.asked()
	file := contextSuite(t, j, "a", strings.Replace(byHand, ", num-ctx: 20000", "", 1))
	if plan := planOf(t, file); plan.Total.Calls != 0 {
		t.Errorf("planned: %+v", plan.Total)
	}
	if mustCall(t, "suite", "run", file); j.asked() != calls {
		t.Errorf("%d calls", j.asked()-calls)
	}
}

// TestSuiteContextTrained: no more than the model was trained for.
func TestSuiteContextTrained(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	write(t, file, strings.Replace(read(t, file), "max-tokens: 900", "max-tokens: 20000", 1))
	if plan := planOf(t, file); !slices.Contains(plan.Judges[0].NumCtx, 32768) || slices.Max(plan.Judges[0].NumCtx) > 32768 {
		t.Errorf("contexts: %v", plan.Judges[0].NumCtx)
	}
}

// TestSuiteContextOfEach: every run of a suite has the context of the run alone, and the plan says how often the model
// is loaded.
func TestSuiteContextOfEach(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	plan := planOf(t, file)
	shows(t, "tiny is loaded once for each num_ctx", "suite", "plan", file)
	mustCall(t, "suite", "run", file)
	mustCall(t, "run", "pairwise", "--model", "tiny", "--dataset", "sample", "--limit", "3", "--max-tokens", "900",
		"--base-url", j.URL, "--cache", "a.cache", "--out", "alone")
	alone, err := judging.ReadManifest("alone")
	if err != nil {
		t.Fatal(err)
	}
	runs := manifestsIn(t, "a")
	if runs["tiny_pairwise_sample_sop"].ID != alone.ID {
		t.Error("a cell is another run than the run alone")
	}
	for _, n := range plan.Judges[0].NumCtx {
		if !slices.ContainsFunc(j.loadsSince(0), func(l load) bool { return l.numCtx == n }) {
			t.Errorf("a context of %d was planned, and the loads were %v", n, j.loadsSince(0))
		}
	}
	calls := j.asked()
	if mustCall(t, "suite", "run", file); j.asked() != calls {
		t.Errorf("%d calls of a suite that was complete", j.asked()-calls)
	}
}

// TestSuiteContextOfEarlier: an earlier gavel chose one context for all runs of a model and wrote it into suite.json.
// Its runs keep theirs, those too that are to be made again.
func TestSuiteContextOfEarlier(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	mustCall(t, "suite", "run", file)
	ids := map[string]int{}
	model := ""
	for dir, m := range manifestsIn(t, "a") {
		if !strings.HasPrefix(dir, "tiny_pairwise") && !strings.HasPrefix(dir, "tiny_multi") {
			continue
		}
		spec := m.Spec
		spec.Parameters.NumCtx = 0
		ids[judging.NewManifest("", spec).ID] = 22000
		model = spec.Model.Name + " " + spec.Model.Identity
		if err := os.RemoveAll(filepath.Join("a", dir)); err != nil {
			t.Fatal(err)
		}
	}
	chosen, err := json.Marshal(map[string]map[string]int{model: ids})
	if err != nil {
		t.Fatal(err)
	}
	write(t, "a/suite.json", strings.Replace(read(t, "a/suite.json"), `"judges":`, `"num_ctx": `+string(chosen)+`, "judges":`, 1))
	calls := j.asked()
	for range 2 {
		mustCall(t, "suite", "run", file)
	}
	if got := j.loadsSince(calls); !slices.Equal(got, []load{{"tiny:latest", 22000}}) {
		t.Errorf("loads: %v", got)
	}
}
