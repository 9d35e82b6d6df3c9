package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/internal/eval"
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
	if err := json.Unmarshal([]byte(mustCall(t, "suite", "plan", "--json", file)), &plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

func openedSuite(t *testing.T, file string) (*eval.Maker, *suite.Suite) {
	t.Helper()
	s, err := suite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	quiet := newEnv(nil, io.Discard, io.Discard).maker()
	quiet.Observer = nil
	return quiet, s
}

// TestSuiteOneContext: all that one model is asked, stages included, it is asked
// with one context, though its runs need several; the plan has it before, and the
// same calls.
func TestSuiteOneContext(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	e, s := openedSuite(t, file)
	var needs []int
	for _, c := range s.Cells {
		n, err := e.Needs(c.Request)
		if err != nil {
			t.Fatal(err)
		}
		needs = append(needs, n.Judge, n.Answers)
	}
	most := slices.Max(needs)
	if slices.Sort(needs); len(slices.Compact(needs)) < 4 {
		t.Fatalf("the cells need contexts of %v: too much alike for this test", needs)
	}
	before := planOf(t, file)
	if got := before.Judges[0].NumCtx; !slices.Equal(got, []int{most}) || before.Total.NumCtx != nil {
		t.Errorf("planned contexts: %v, want %d; of all models %v", got, most, before.Total.NumCtx)
	}
	if out := mustCall(t, "suite", "plan", file); strings.Contains(out, "! tiny") {
		t.Errorf("the plan:\n%s", out)
	}
	mustCall(t, "suite", "run", file)
	agents := before.Judges[1].NumCtx
	if len(agents) != 1 || agents[0] >= most {
		t.Fatalf("planned contexts of the agent: %v", agents)
	}
	if got, want := j.loadsSince(0), []load{{"other:latest", agents[0]}, {"tiny:latest", most}}; !slices.Equal(got, want) {
		t.Errorf("loads: %v, want %v", got, want)
	}
	calls := j.asked()
	if calls != before.Total.Calls {
		t.Errorf("%d calls, planned were %d", calls, before.Total.Calls)
	}
	mustCall(t, "suite", "run", file)
	if plan := planOf(t, file); plan.Total.Calls != 0 || plan.Total.Completed != plan.Total.Judgments || j.asked() != calls {
		t.Errorf("once it is complete %d calls are planned, and %d were made", plan.Total.Calls, j.asked()-calls)
	}
	// Judgments alone, of answers that are still to come.
	file = contextSuite(t, j, "a", "  - {protocol: self-reference, dataset: sample-choice, agents: 'sim:accuracy=0.6'}")
	if plan := planOf(t, file); plan.Total.Later != 6 || !slices.Equal(plan.Judges[0].NumCtx, []int{most}) {
		t.Errorf("planned: %+v", plan.Judges)
	}
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
	_, s := openedSuite(t, file)
	for _, c := range s.Cells {
		if read(t, filepath.Join("a", filepath.Base(c.Request.Out), "results.json")) != read(t, filepath.Join("undisturbed", filepath.Base(c.Request.Out), "results.json")) {
			t.Errorf("%s: results.json differs from that of an undisturbed suite", filepath.Base(c.Request.Out))
		}
	}
}

// TestSuiteContextWritten: the context that a run was given is that of suite.json,
// also where the run's folder is gone, and the cell that needed as much.
func TestSuiteContextWritten(t *testing.T) {
	home(t)
	j := newOllama(t)
	const longer = "  - {protocol: pairwise, dataset: sample, max-tokens: 5000, name: longer}"
	file := contextSuite(t, j, "a", longer)
	write(t, file, strings.Replace(read(t, file), "cache: a.cache", "no-cache: true", 1))
	mustCall(t, "suite", "run", file)
	want, had := j.loadsSince(0), manifestsIn(t, "a")
	for dir := range had {
		if err := os.RemoveAll(filepath.Join("a", dir)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, file, strings.Replace(read(t, file), longer, "", 1))
	plan, written, calls := planOf(t, file), read(t, "a/suite.json"), j.asked()
	if got := plan.Judges[0].NumCtx; !slices.Equal(got, []int{want[1].numCtx}) {
		t.Errorf("planned contexts: %v, want %v", got, want)
	}
	if read(t, "a/suite.json") != written {
		t.Error("a plan has changed suite.json")
	}
	mustCall(t, "suite", "run", file)
	if got := j.loadsSince(calls); !slices.Equal(got, want) {
		t.Errorf("loads: %v, want %v", got, want)
	}
	delete(had, "tiny_longer")
	for dir, m := range manifestsIn(t, "a") {
		if had[dir] == nil || m.ID != had[dir].ID {
			t.Errorf("%s is another run", dir)
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
	longer := now["tiny_longer"].Spec.Parameters.NumCtx
	if len(now) != len(had)+1 || longer <= had["tiny_judged_mode-self"].Spec.Parameters.NumCtx {
		t.Errorf("%d runs, before there were %d; the new one has a context of %d", len(now), len(had), longer)
	}
	if got := j.loadsSince(calls); j.asked() != calls+6 || !slices.Equal(got, []load{{"tiny:latest", longer}}) || !slices.Equal(plan.Judges[0].NumCtx, []int{longer}) {
		t.Errorf("%d calls, of which %d are wanted; loads %v, planned %v", j.asked()-calls, 6, got, plan.Judges[0].NumCtx)
	}
	// With the longer prompts gone, a shorter condition has the context that the
	// judge is known by.
	calls = j.asked()
	file = contextSuite(t, j, "a", "  - {protocol: pairwise, dataset: sample, prompt: direct}")
	mustCall(t, "suite", "run", file)
	if got := j.loadsSince(calls); !slices.Equal(got, []load{{"tiny:latest", longer}}) {
		t.Errorf("loads: %v", got)
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

// TestSuiteContextUnfinished: a cell that was begun before a longer condition was
// added goes on as it was, and the plan says that the model is loaded twice.
func TestSuiteContextUnfinished(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	mustCall(t, "suite", "run", file)
	const unfinished = "tiny_pairwise_sample_sop"
	records := filepath.Join("a", unfinished, judging.RecordsFile)
	first, _, _ := strings.Cut(read(t, records), "\n")
	write(t, records, first+"\n")
	file = contextSuite(t, j, "a", "  - {protocol: pairwise, dataset: sample, max-tokens: 5000, name: longer}")
	write(t, file, strings.Replace(read(t, file), "cache: a.cache", "no-cache: true", 1))
	plan := planOf(t, file)
	had := manifestsIn(t, "a")[unfinished].Spec.Parameters.NumCtx
	if c := plan.Judges[0].NumCtx; len(c) != 2 || c[0] != had {
		t.Errorf("planned contexts: %v", c)
	}
	if out := mustCall(t, "suite", "plan", file); !strings.Contains(out, "! tiny is loaded at least 2 times, once for each num_ctx") {
		t.Errorf("the plan:\n%s", out)
	}
	calls := j.asked()
	mustCall(t, "suite", "run", file)
	if got, want := j.loadsSince(calls), []load{{"tiny:latest", had}, {"tiny:latest", plan.Judges[0].NumCtx[1]}}; !slices.Equal(got, want) || j.asked()-calls != plan.Total.Calls {
		t.Errorf("%d calls, planned were %d; loads %v, want %v", j.asked()-calls, plan.Total.Calls, got, want)
	}
}

// TestSuiteContextByHand: cells that set num-ctx have it, and the others' is not
// drawn towards it, at first or when the suite goes on.
func TestSuiteContextByHand(t *testing.T) {
	home(t)
	j := newOllama(t)
	mustCall(t, "suite", "run", contextSuite(t, j, "without", ""))
	want := j.loadsSince(0)[1].numCtx
	more := fmt.Sprintf(`  - {protocol: self-reference, dataset: sample-choice, agents: "other@%s", num-ctx: 20000, name: by-hand}
  - {protocol: pairwise, dataset: sample, num-ctx: 20000, max-tokens: 3000, name: by-hand-too}`, j.URL)
	for range 2 {
		mustCall(t, "suite", "run", contextSuite(t, j, "a", more))
	}
	more += "\n  - {protocol: pairwise, dataset: sample, prompt: direct}"
	mustCall(t, "suite", "run", contextSuite(t, j, "a", more))
	answers := map[string][]int{}
	for dir, m := range manifestsIn(t, "a") {
		n := m.Spec.Parameters.NumCtx
		switch {
		case m.Spec.Protocol == "answer":
			answers[m.Spec.Model.Name] = append(answers[m.Spec.Model.Name], n)
		case strings.HasPrefix(dir, "tiny_by-hand") != (n == 20000), n != 20000 && n != want:
			t.Errorf("%s has a context of %d", dir, n)
		}
	}
	for model, n := range map[string]int{"tiny:latest": 3, "other:latest": 2} { // tiny answers the pairs' questions too
		if got := answers[model]; len(got) != n || !slices.Contains(got, 20000) {
			t.Errorf("answers of %s with contexts %v", model, got)
		}
	}
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

// TestSuiteContextOfTwoJudges: one model that is two judges, or judge and agent,
// is loaded once.
func TestSuiteContextOfTwoJudges(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := write(t, "s.yaml", fmt.Sprintf(`
defaults: {limit: 3, max-tokens: 900}
judges:
  - {name: one, model: tiny, base-url: %s}
  - {name: two, model: "tiny:latest", backend: ollama, base-url: "%[1]s/", think: off, max-tokens: 1500}
conditions:
  - {protocol: pairwise, dataset: sample}
  - {protocol: self-reference, dataset: sample-choice, agents: "tiny@%[1]s"}
`, j.URL))
	if out := mustCall(t, "suite", "plan", file); strings.Contains(out, "! ") {
		t.Errorf("the plan:\n%s", out)
	}
	mustCall(t, "suite", "run", file)
	if got := j.loadsSince(0); len(got) != 1 {
		t.Errorf("loads: %v", got)
	}
}

// TestSuiteContextTrained: no more than the model was trained for.
func TestSuiteContextTrained(t *testing.T) {
	home(t)
	j := newOllama(t)
	file := contextSuite(t, j, "a", "")
	write(t, file, strings.Replace(read(t, file), "max-tokens: 900", "max-tokens: 20000", 1))
	if plan := planOf(t, file); !slices.Equal(plan.Judges[0].NumCtx, []int{32768}) {
		t.Errorf("contexts: %v", plan.Judges[0].NumCtx)
	}
}

// TestSuiteContextOfGivenAnswers: answers that were there before the suite count
// as they are, and are taken in for it in no folder that stays.
func TestSuiteContextOfGivenAnswers(t *testing.T) {
	home(t)
	j := newOllama(t)
	t.Setenv("TMPDIR", filepath.Dir(write(t, "tmp/.keep", "")))
	var lines strings.Builder
	for _, id := range sampleIDs(t, "sample-choice") {
		fmt.Fprintf(&lines, `{"id":%q,"answer":"%s The answer is (A).","model":"published"}`+"\n", id, strings.Repeat("Well. ", 2000))
	}
	write(t, "published.jsonl", lines.String())
	agents := func(out, more string) string {
		return contextSuite(t, j, out, "  - {protocol: self-reference, dataset: sample-choice, name: given, agents: "+more+"}")
	}
	asked := planOf(t, agents("a", fmt.Sprintf(`"other@%s"`, j.URL))).Judges[0].NumCtx[0]
	file := agents("a", fmt.Sprintf(`["other@%s", published.jsonl]`, j.URL))
	plan := planOf(t, file)
	if got := plan.Judges[0].NumCtx; len(got) != 1 || got[0] < 12000 || asked > 12000 {
		t.Errorf("contexts %v, and %d for answers of 900 tokens: the file's have 12000 bytes", got, asked)
	}
	mustCall(t, "suite", "run", file)
	if got := j.loadsSince(0); len(got) != 2 || got[1].numCtx != plan.Judges[0].NumCtx[0] {
		t.Errorf("loads: %v, planned %v", got, plan.Judges[0].NumCtx)
	}
	if left, _ := filepath.Glob("tmp/gavel*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// The judge's own answers given as a run: nothing of it is asked again.
	own, err := filepath.Glob("a/sample-choice_answer_*tiny*")
	if err != nil || len(own) != 1 {
		t.Fatalf("%v, %v", own, err)
	}
	needs := map[string]int{}
	for _, more := range []string{"", ", own: " + own[0]} {
		e, s := openedSuite(t, agents("b", "'sim:accuracy=0.5', max-tokens: 5000"+more))
		n, err := e.Needs(s.Cells[len(s.Cells)-1].Request)
		if err != nil {
			t.Fatal(err)
		}
		needs[more] = n.Judge
	}
	if saved := needs[""] - needs[", own: "+own[0]]; saved < 4096 || saved > 6144 { // 5000 less some words, rounded
		t.Errorf("needs: %v", needs)
	}
	calls := j.asked()
	file = agents("b", "published.jsonl, own: "+own[0])
	mustCall(t, "suite", "run", file)
	if got := j.loadsSince(calls); len(got) != 2 || got[1].model != "tiny:latest" {
		t.Errorf("loads: %v", got)
	}
}
