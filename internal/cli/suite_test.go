package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gavel/internal/eval"
	"gavel/internal/report"
	"gavel/internal/suite"
	"gavel/judging"
	"gavel/scoring"
)

// twoModels is one server with the models "one" and "two", as on a workstation.
// It notes which of them each call was for.
type twoModels struct {
	*judge
	mu    sync.Mutex
	loads []string
	fails string                   // model that refuses every call
	gate  func(call int, m string) // called before a call is answered; may be nil
}

func newTwoModels(t *testing.T) *twoModels {
	t.Helper()
	s := &twoModels{}
	s.judge = newJudge(t, false, choosesByHash)
	ready := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			text(`{"object":"list","data":[{"id":"one","owned_by":"test"},{"id":"two","owned_by":"test"}]}`)(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var req struct{ Model string }
		json.Unmarshal(body, &req)
		s.mu.Lock()
		s.loads = append(s.loads, req.Model)
		n, refused, gate := len(s.loads), s.fails == req.Model, s.gate
		s.mu.Unlock()
		if refused {
			http.Error(w, `{"error":{"message":"no such luck"}}`, http.StatusUnauthorized)
			return
		}
		if gate != nil {
			gate(n, req.Model)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		ready.ServeHTTP(w, r)
	})
	return s
}

// asked is how many calls there were, and the models in the order in which they
// had to be loaded.
func (s *twoModels) asked() (n int, loads []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.loads), slices.Compact(slices.Clone(s.loads))
}

func (s *twoModels) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// choosesByHash names one of the first two options; which, follows from the
// question.
func choosesByHash(_ int64, user string) (int, string) {
	h := fnv.New32a()
	io.WriteString(h, user)
	return http.StatusOK, fmt.Sprintf("Selection: Option %d\nExplanation: so it is.", 1+h.Sum32()%2)
}

// aSuite is 2 judges × 2 goals × 2 prompts of multi-option on four items: eight
// cells of perCell judgments.
func aSuite(t *testing.T, s *twoModels, out, more string) string {
	t.Helper()
	return write(t, out+".yaml", fmt.Sprintf(`
out: %s
defaults: {concurrency: 2, base-url: %s, limit: 4, retry-for: 1ms}
judges:
  - model: one
  - {name: second, model: two}
conditions:
  - protocol: multi-option
    dataset: sample-options
    goal: [best, worst]
    prompt: [1, 2]
%s`, out, s.URL, more))
}

var aSuiteCells = []string{
	"one_multi-option_sample-options_1_goal-best", "one_multi-option_sample-options_2_goal-best", "one_multi-option_sample-options_1_goal-worst", "one_multi-option_sample-options_2_goal-worst",
	"second_multi-option_sample-options_1_goal-best", "second_multi-option_sample-options_2_goal-best", "second_multi-option_sample-options_1_goal-worst", "second_multi-option_sample-options_2_goal-worst",
}

// perCell is how many judgments the first four items of sample-options take.
func perCell(t *testing.T) int {
	t.Helper()
	set, err := (&env{}).library().Open("sample-options")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	n := 0
	for i := range 4 {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		n += len(item.Candidates)
	}
	return n
}

// wantSame checks that every cell of a suite came to what another suite's did.
func wantSame(t *testing.T, out, undisturbed string) {
	t.Helper()
	for _, c := range aSuiteCells {
		if read(t, filepath.Join(out, c, "results.json")) != read(t, filepath.Join(undisturbed, c, "results.json")) {
			t.Errorf("%s: results.json differs from that of an undisturbed suite", c)
		}
	}
}

// TestSuiteRuns: planned, made judge by judge, made again from the cache, and a
// table of it.
func TestSuiteRuns(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	file := aSuite(t, s, "a", "")
	plan := mustCall(t, "suite", "plan", file)
	if asked, _ := s.asked(); asked != 0 {
		t.Errorf("a plan asked %d times", asked)
	}
	for _, want := range []string{
		fmt.Sprintf("second  multi-option_sample-options_2_goal-worst         %d      0       0     %d", n, n),
		fmt.Sprintf("all         8        %d      0       0    %d", 8*n, 8*n), "4 conditions, 8 cells in a",
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan lacks %q:\n%s", want, plan)
		}
	}
	first := mustCall(t, "suite", "run", file)
	asked, loads := s.asked()
	if asked != 8*n || !slices.Equal(loads, []string{"one", "two"}) {
		t.Errorf("%d calls, want %d; models were loaded in the order %v", asked, 8*n, loads)
	}
	if again := mustCall(t, "suite", "run", file); again != first {
		t.Errorf("the table of a second run:\n%s\nof the first:\n%s", again, first)
	}
	mustCall(t, "suite", "run", aSuite(t, s, "b", ""))
	if asked, _ := s.asked(); asked != 8*n {
		t.Errorf("%d calls for what is there, or in the cache", asked-8*n)
	}
	wantSame(t, "b", "a")
	if out := mustCall(t, "suite", "results", file); out != first {
		t.Errorf("results:\n%s\nrun:\n%s", out, first)
	}
	// Both judges reply alike, so they share a letter everywhere.
	first = mustCall(t, "suite", "results", "--full", file)
	if strings.Count(first, "] a ") != 4 || strings.Count(first, "] a\n") != 4 || strings.Contains(first, "] b") {
		t.Errorf("letters:\n%s", first)
	}
	var out report.Ranking
	if err := json.Unmarshal([]byte(mustCall(t, "suite", "results", "--json", file)), &out); err != nil || len(out.Conditions) != 4 {
		t.Fatalf("%v: %+v", err, out)
	}
	if v := out.Conditions[3].Rankings[0].Pairs; len(v) != 1 || v[0].P == nil || *v[0].P != 1 || !v[0].Same || v[0].N != 4 {
		t.Errorf("pairs: %+v", v)
	}
	if rows := strings.Count(mustCall(t, "suite", "results", "--csv", file), "\n"); rows != 9 {
		t.Errorf("%d rows of CSV, want 9", rows)
	}
	// A cell is the run that its command line makes, but for the name of its judge.
	mustCall(t, "run", "multi-option", "--base-url", s.URL, "--model", "two", "--dataset", "sample-options", "--goal", "worst", "--prompt", "2", "--limit", "4", "--out", "alone")
	cell := read(t, filepath.Join("a", aSuiteCells[7], "results.json"))
	if read(t, "alone/results.json") != regexp.MustCompile(`  "name": "[^"]*",\n`).ReplaceAllString(cell, "") {
		t.Error("a cell is not what gavel run makes")
	}
}

// TestSuiteAsksAgain: with repeat the results have noise floors and self-agreement, as score and compare tell them.
// TestNamesOfASuite: what a suite's file calls its judges is what every command calls them.
func TestNamesOfASuite(t *testing.T) {
	home(t)
	write(t, "suite.yaml", `name: quants
judges:
  - {model: "accuracy=0.9,seed=1", backend: sim, name: q8}
  - {model: "accuracy=0.9,seed=1", backend: sim, name: q4, repeat: 2}
conditions:
  - {protocol: pairwise, dataset: sample, limit: 12, name: pairs}
`)
	mustCall(t, "suite", "run", "suite.yaml")
	q8, q4 := "runs/quants/q8_pairs", "runs/quants/q4_pairs"
	for _, line := range []string{
		"runs runs/quants", "score " + q8 + " " + q4, "score --csv " + q8 + " " + q4, "compare " + q8 + " " + q4,
		"race " + q8 + " " + q4, "jury --out runs/jury " + q8 + " " + q4, "suite results suite.yaml",
	} {
		said := strings.NewReplacer(q8, "", q4, "").Replace(mustCall(t, strings.Fields(line)...))
		if !strings.Contains(said, "q8") || !strings.Contains(said, "q4") {
			t.Errorf("gavel %s does not call the judges by their names:\n%s", line, said)
		}
	}
}

func TestSuiteAsksAgain(t *testing.T) {
	home(t)
	write(t, "again.yaml", `{name: again, out: again, defaults: {no-cache: true, repeat: 2}, judges: [{name: a, backend: sim, model: "accuracy=0.8,first=0.2"}, {name: b, backend: sim, model: "accuracy=0.6,seed=2"}], conditions: [{protocol: pairwise, dataset: sample, limit: 20}]}`)
	shows(t, "noise floor   … self-agreement  ", "suite", "run", "again.yaml", "--full")
	var suite report.Ranking
	var scores report.Scores
	var compared scoring.Comparisons
	runs, _ := filepath.Glob("again/*/run.json")
	a, b := filepath.Dir(runs[0]), filepath.Dir(runs[1])
	for into, args := range map[any][]string{&suite: {"suite", "results", "again.yaml"}, &scores: {"score", "--full", a, b}, &compared: {"compare", a, b}} {
		parse(t, mustCall(t, append(args, "--json")...), into)
	}
	standing := suite.Conditions[0].Rankings[0]
	for i, r := range scores.Runs {
		p := standing.Runs[i]
		if want := r.Repetitions.SelfAgreement; p.SelfAgreement == nil || !reflect.DeepEqual(*p.SelfAgreement, want) || *want.Value == 100 {
			t.Errorf("%s: %+v, want %+v", p.Run, p.SelfAgreement, want)
		}
		if want := r.Repetitions.Values[0]; want.Metric != standing.Metric || p.NoiseFloor == nil || *p.NoiseFloor != *want.NoiseFloor {
			t.Errorf("%s: %+v, want %+v", p.Run, p, want)
		}
	}
	if want, got := compared.Comparisons[0].Differences[0].Floor, standing.Pairs[0].Floor; got == nil || *got != *want || *want == 0 {
		t.Errorf("noise floor %v, want %v", got, want)
	}
}

// TestSuiteInterrupted: Ctrl-C waits for what is in flight, ends the suite, and
// the same command goes on.
func TestSuiteInterrupted(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	mustCall(t, "suite", "run", aSuite(t, s, "undisturbed", ""))
	s.set(func() { s.loads = nil })
	file := strings.ReplaceAll(read(t, aSuite(t, s, "a", "")), "retry-for", "no-cache: true, retry-for")
	write(t, "a.yaml", file)
	for _, at := range []int{n / 2, 2*n + 1, 6*n - 1} { // calls so far; the last ends near a cell's end
		in, signals, stderr := new(eval.Interrupts), make(chan os.Signal, 1), &overheard{}
		ctx, cancel := context.WithCancelCause(context.Background())
		go watch(in, signals, cancel)
		var once sync.Once
		s.set(func() {
			s.gate = func(call int, _ string) {
				if call >= at {
					once.Do(func() { signals <- os.Interrupt })
					stderr.until("stopping: waiting for open requests")
				}
			}
		})
		var out bytes.Buffer
		code := gavel(ctx, in, &out, stderr, []string{"suite", "run", "a.yaml"})
		close(signals)
		cancel(nil)
		if code != exitInterrupted || !strings.Contains(stderr.String(), "cells are not complete; run the same command again to go on") || out.Len() > 0 {
			t.Fatalf("exit status %d after %d calls\n%s%s", code, at, out.String(), stderr.String())
		}
		if asked, _ := s.asked(); asked > at+1 {
			t.Errorf("%d calls, %d of them after the interrupt", asked, asked-at)
		}
	}
	s.set(func() { s.gate = nil })
	mustCall(t, "suite", "run", "a.yaml")
	if asked, loads := s.asked(); asked != 8*n || !slices.Equal(loads, []string{"one", "two"}) {
		t.Errorf("%d calls, want %d: gently stopped, nothing is asked twice; models were loaded in the order %v", asked, 8*n, loads)
	}
	wantSame(t, "a", "undisturbed")
}

// TestSuiteInterruptedAtTheEnd: an interrupt while a cell's last judgment is in
// flight leaves that cell complete, and begins no other.
func TestSuiteInterruptedAtTheEnd(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	file := strings.ReplaceAll(read(t, aSuite(t, s, "a", "")), "concurrency: 2", "concurrency: 1")
	write(t, "a.yaml", file)
	in, signals, stderr := new(eval.Interrupts), make(chan os.Signal, 1), &overheard{}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go watch(in, signals, cancel)
	defer close(signals)
	s.gate = func(call int, _ string) {
		if call == n {
			signals <- os.Interrupt
			stderr.until("stopping: waiting for open requests")
		}
	}
	code := gavel(ctx, in, io.Discard, stderr, []string{"suite", "run", "a.yaml"})
	asked, _ := s.asked()
	if code != exitInterrupted || asked != n || !strings.Contains(stderr.String(), "7 of 8 cells are not complete") {
		t.Errorf("exit status %d after %d calls, want %d\n%s", code, asked, n, stderr.String())
	}
	if m, err := judging.ReadManifest(filepath.Join("a", aSuiteCells[0])); err != nil || m.Status != judging.Complete {
		t.Errorf("the first cell: %+v, %v", m, err)
	}
	if runs, _ := filepath.Glob("a/*/run.json"); len(runs) != 1 {
		t.Errorf("%v were begun, want the first cell alone", runs)
	}
}

// TestSuiteKilled: killed with -9 at several moments, the same command goes on,
// and loads no model that has nothing to do.
func TestSuiteKilled(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	mustCall(t, "suite", "run", aSuite(t, s, "undisturbed", ""))
	s.set(func() {
		s.loads = nil
		s.gate = func(int, string) { time.Sleep(2 * time.Millisecond) }
	})
	file := aSuite(t, s, "a", "")
	write(t, file, strings.ReplaceAll(read(t, file), "retry-for", "cache: c, retry-for"))
	const concurrency = 2
	moments := []int{1, n - 1, n + n/2, 4*n - 1, 5*n + 2, 7 * n}
	for _, moment := range moments {
		cmd := process(t, "suite", "run", file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if asked, _ := s.asked(); asked >= moment {
				break
			}
		}
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatalf("the suite was over before it was killed at call %d", moment)
		}
	}
	if out, err := process(t, "suite", "run", file).CombinedOutput(); err != nil || bytes.Contains(out, []byte("warning")) {
		t.Fatalf("%v\n%s", err, out)
	}
	asked, loads := s.asked()
	if asked < 8*n || asked > 8*n+len(moments)*concurrency || !slices.Equal(loads, []string{"one", "two"}) {
		t.Errorf("%d calls for %d judgments and %d kills of %d in flight; models were loaded in the order %v", asked, 8*n, len(moments), concurrency, loads)
	}
	wantSame(t, "a", "undisturbed")
}

// TestSuiteBrokenJudge: a judge that refuses every call ends its own cells, the
// other's are made, and the same command goes on once it is mended.
func TestSuiteBrokenJudge(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	mustCall(t, "suite", "run", aSuite(t, s, "undisturbed", ""))
	file := aSuite(t, s, "a", "")
	write(t, file, strings.ReplaceAll(read(t, file), "retry-for", "no-cache: true, retry-for"))
	s.set(func() { s.fails, s.loads = "one", nil })
	stdout, stderr, code := call(t, "suite", "run", file)
	if code != exitIncomplete || !strings.Contains(stderr, "4 of 8 cells are not complete (one_") || !strings.Contains(stderr, aSuiteCells[3]+": not started: the judge stopped answering: the server stopped answering") {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	if asked, _ := s.asked(); asked > 4*n+10+2 {
		t.Errorf("%d calls: the broken judge should have been left alone", asked)
	}
	for i, c := range aSuiteCells[4:] {
		if read(t, filepath.Join("a", c, "results.json")) != read(t, filepath.Join("undisturbed", c, "results.json")) {
			t.Errorf("cell %d, %s, is not whole", i, c)
		}
	}
	if strings.Count(stdout, "not begun") != 3 || !strings.Contains(stdout, "0 of "+fmt.Sprint(n)+" judgments (incomplete)") {
		t.Errorf("the table:\n%s", stdout)
	}
	s.set(func() { s.fails, s.loads = "two", nil }) // which has nothing left to do
	mustCall(t, "suite", "run", file)
	if asked, loads := s.asked(); asked != 4*n || !slices.Equal(loads, []string{"one"}) {
		t.Errorf("%d calls, want %d, to %v", asked, 4*n, loads)
	}
	wantSame(t, "a", "undisturbed")
	s.Close() // and neither is needed any more
	if out, stderr, code := call(t, "suite", "run", file); code != 0 || strings.Contains(out, "not begun") {
		t.Errorf("exit status %d of a suite that is complete, with its server gone\n%s", code, stderr)
	}
}

// TestSuiteWithoutServer: a judge that cannot be found is said in the plan and
// does not keep the other from its runs.
func TestSuiteWithoutServer(t *testing.T) {
	home(t)
	write(t, "s.yaml", `
judges:
  - {name: away, model: m, base-url: "http://127.0.0.1:1"}
  - {name: coin, model: coin, backend: sim}
conditions:
  - {protocol: pairwise, dataset: sample, limit: 5, prompt: [sop, direct]}
`)
	stdout, _, code := call(t, "suite", "plan", "s.yaml")
	if code != exitIncomplete || !strings.Contains(stdout, "away_pairwise_sample_sop_limit-5 cannot be planned: no server answers at http://127.0.0.1:1") || !strings.Contains(stdout, "coin       2         20") {
		t.Errorf("exit status %d\n%s", code, stdout)
	}
	stdout, stderr, code := call(t, "suite", "run", "s.yaml")
	if code != exitIncomplete || strings.Index(stderr, "warning: the judge away cannot be found now") > strings.Index(stderr, "cell 1 of") || strings.Count(stdout, "not begun") != 2 || !done("runs/s/coin_pairwise_sample_direct_limit-5/results.json") {
		t.Errorf("exit status %d\n%s%s", code, stdout, stderr)
	}
}

// TestSuiteChecksEveryJudge: a judge with a mistake is named, with its line, before the first call of any other.
func TestSuiteChecksEveryJudge(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	at := `base-url: "` + j.URL + `"`
	for name, c := range map[string]struct{ judge, condition, want string }{
		"simulated":      {"backend: sim, model: accuracy=1.8", "", `s.yaml:3: simulated judge "accuracy=1.8": accuracy is a probability`},
		"model":          {"model: tinny, " + at, "", `s.yaml:3: unknown model "tinny" at ` + j.URL + "/v1: it offers tiny"},
		"key":            {"model: tiny, api-key-env: NO_SUCH_KEY, " + at, "", "s.yaml:3: --api-key-env NO_SUCH_KEY: the environment variable is not set"},
		"context":        {"model: tiny, num-ctx: 4096, " + at, "", "s.yaml:3: --num-ctx: only Ollama lets the client set the context"},
		"stop":           {"model: tiny, " + at, ", stop-repetition: [false, true]", "s.yaml:5: --stop-repetition:"},
		"not compatible": {`model: tiny, base-url: "` + j.URL + `/elsewhere"`, "", "s.yaml:3: " + j.URL + "/elsewhere is neither Ollama nor OpenAI-compatible"},
	} {
		write(t, "s.yaml", "judges:\n- {name: fine, model: tiny, "+at+"}\n- {name: bad, "+c.judge+"}\n"+
			"conditions:\n- {protocol: pairwise, dataset: sample, limit: 2"+c.condition+"}\n")
		stdout, stderr, code := call(t, "suite", "run", "s.yaml")
		if n := j.calls.Load(); n != 0 || code == exitOK || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d calls, exit status %d, want %s\n%s%s", name, n, code, c.want, stdout, stderr)
		}
		if _, err := os.Stat("runs/s"); err == nil {
			t.Errorf("%s: a folder is left", name)
		}
	}
}

// TestSuiteLimits: above them nothing is asked without --yes.
func TestSuiteLimits(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	file := aSuite(t, s, "a", "limits: {calls: 10}")
	_, stderr, code := call(t, "suite", "run", file)
	if asked, _ := s.asked(); code != exitError || asked != 0 || !strings.Contains(stderr, fmt.Sprintf("exceeds the suite's limits: %d calls, the limit is 10", 8*n)) || !strings.Contains(stderr, "--yes") {
		t.Errorf("exit status %d, %d calls\n%s", code, asked, stderr)
	}
	shows(t, "! above the suite's limit", "suite", "plan", file)
	timed := aSuite(t, s, "b", "limits: {hours: 1000}")
	ends(t, exitError, fmt.Sprintf("the time of %d calls is unknown", 8*n), "suite", "run", timed)
	mustCall(t, "suite", "run", "--yes", file)
	if asked, _ := s.asked(); asked != 8*n {
		t.Errorf("%d calls with --yes, want %d", asked, 8*n)
	}
	mustCall(t, "suite", "run", file) // nothing is left to ask, and no limit to be above
	// How long they take is known by now, from the runs of another suite.
	write(t, "runs/c/run.json", "garbage")
	other := aSuite(t, s, "runs/d", "limits: {hours: 1000}")
	for _, c := range aSuiteCells {
		if err := os.Rename(filepath.Join("a", c), filepath.Join("runs", c)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, other, strings.ReplaceAll(read(t, other), "limit: 4", "limit: 6"))
	out := mustCall(t, "suite", "plan", other)
	if strings.Contains(out, "?") || strings.Count(out, "earlier runs") != 3 {
		t.Errorf("a plan after runs of the same judges:\n%s", out)
	}
	mustCall(t, "suite", "run", other)
}

// TestSuiteStatus: while it runs, after it was broken off, and with garbage in a
// folder.
func TestSuiteStatus(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	file := aSuite(t, s, "a", "")
	if out := mustCall(t, "suite", "status", file); strings.Count(out, "not begun") != 9 {
		t.Errorf("before it runs:\n%s", out)
	}
	if _, err := os.Stat("a"); err == nil {
		t.Error("a look at the status made a folder")
	}
	looked := make(chan bool)
	s.gate = func(call int, _ string) {
		if call > n+4 {
			<-looked
		}
	}
	going := inBackground("suite", "run", file)
	await(t, filepath.Join("a", aSuiteCells[1]), 4)
	records := filepath.Join("a", aSuiteCells[1], "records.jsonl")
	whole := read(t, records)
	status := func(t *testing.T) suite.State {
		var st suite.State
		parse(t, mustCall(t, "suite", "status", "--json", file), &st)
		return st
	}
	st := status(t)
	if c := st.Cells[0]; c.Status != judging.Complete || c.Completed != n || c.Expected != n || c.Judge != "one" {
		t.Errorf("the first cell: %+v", c)
	}
	if c := st.Cells[1]; c.Status != judging.Running || c.Completed != 4 || c.Expected != n || c.Last == nil {
		t.Errorf("the second cell: %+v", c)
	}
	if st.Cells[2].Status != report.NotBegun || st.ByStatus[report.NotBegun] != 6 {
		t.Errorf("the others: %+v", st.ByStatus)
	}
	close(looked)
	if stderr, code := going.end(); code != 0 {
		t.Fatal(stderr)
	}
	write(t, records, whole+`{"schema":1,"item":"half a li`)
	write(t, filepath.Join("a", aSuiteCells[2], "run.json"), "{}")
	write(t, filepath.Join("a", aSuiteCells[3], "records.jsonl"), "garbage\n")
	st = status(t)
	if c := st.Cells[1]; c.Error != "" || c.Completed != strings.Count(whole, "\n") {
		t.Errorf("with half a line: %+v", c)
	}
	for i := 2; i < 4; i++ {
		if c := st.Cells[i]; c.Status != report.Unreadable || !strings.Contains(c.Error, "a/"+aSuiteCells[i]) {
			t.Errorf("garbage: %+v", c)
		}
	}
	out, _, code := call(t, "suite", "results", file)
	if code != 0 || strings.Count(out, report.Unreadable) != 2 || !strings.Contains(out, "not a manifest of gavel") {
		t.Errorf("results beside garbage: exit status %d\n%s", code, out)
	}
}

// TestSuiteStages: cells of self-reference share the judge's own answers and the
// agents', which are asked once, by the first cell, and planned once.
func TestSuiteStages(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	s.reply = answersAll
	n := len(sampleIDs(t, "sample-choice"))
	write(t, "s.yaml", fmt.Sprintf(`
judges: [{name: j, model: one, base-url: "%s"}]
conditions:
  - {protocol: self-reference, dataset: sample-choice, agents: "two@%[1]s", mode: [cot, self]}
`, s.URL))
	var plan suite.Plan
	parse(t, mustCall(t, "suite", "plan", "--json", "s.yaml"), &plan)
	if plan.Total.Judgments != 4*n || plan.Total.Calls != 4*n || plan.Total.Later != 2*n || len(plan.Judges) != 2 || plan.Judges[0].Calls != 3*n || plan.Judges[1].Judge != "agent two at "+s.URL || plan.Judges[1].Calls != n {
		t.Errorf("own answers, the agent's, and one judgment in each mode, of %d questions: %+v", n, plan)
	}
	_, stderr, code := call(t, "suite", "run", "s.yaml")
	if asked, loads := s.asked(); code != 0 || asked != 4*n || !slices.Equal(loads, []string{"one", "two", "one"}) {
		t.Fatalf("exit status %d, %d calls, want %d, to %v\n%s", code, asked, 4*n, loads, stderr)
	}
	if out := mustCall(t, "suite", "status", "s.yaml"); strings.Count(out, "(stage)") != 2 || strings.Count(out, "complete") != 5 {
		t.Errorf("status:\n%s", out)
	}
	shows(t, "f1 cot … f1 self", "suite", "results", "s.yaml", "--full")
}

// TestSuitePlansOnce: what a cell will have asked, the next has from the cache,
// and what is said of all cells is said once.
func TestSuitePlansOnce(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	n := perCell(t)
	file := aSuite(t, s, "a", "    accept-cut: [false, true]\n") // which changes no prompt
	stdout, stderr, code := call(t, "suite", "plan", "--json", file)
	var plan suite.Plan
	if err := json.Unmarshal([]byte(stdout), &plan); err != nil || code != 0 {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if plan.Total.Judgments != 16*n || plan.Total.Cached != 8*n || plan.Total.Calls != 8*n {
		t.Errorf("%+v, want %d calls for twice as many judgments", plan.Total, 8*n)
	}
	if strings.Count(stderr, "judge's server") != 1 {
		t.Errorf("said more than once:\n%s", stderr)
	}
	mustCall(t, "suite", "run", file)
	if asked, _ := s.asked(); asked != plan.Total.Calls {
		t.Errorf("%d calls, planned were %d", asked, plan.Total.Calls)
	}
	// Without the cache all are asked for.
	write(t, file, strings.NewReplacer("out: a", "out: b", "concurrency: 2", "concurrency: 2, no-cache: true").Replace(read(t, file)))
	if err := json.Unmarshal([]byte(mustCall(t, "suite", "plan", "--json", file)), &plan); err != nil || plan.Total.Calls != 16*n {
		t.Errorf("without a cache: %+v, %v", plan.Total, err)
	}
}

// TestSuiteSpeed: a run of four calls at a time, each of which took two seconds,
// took half a second for each; what the cache answered took none.
func TestSuiteSpeed(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	mustCall(t, "suite", "run", aSuite(t, s, "runs/a", ""))
	dir := filepath.Join("runs/a", aSuiteCells[0])
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Concurrency = 4
	var lines strings.Builder
	for i, r := range records(t, dir) {
		r.Replies[0].Milliseconds, r.Replies[0].ReplyTokens = 2000, 30
		if i%2 == 1 {
			r.Replies[0] = judging.Reply{Text: r.Replies[0].Text, Finish: r.Replies[0].Finish, Milliseconds: 9000, ReplyTokens: 90, Cached: true}
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	write(t, filepath.Join(dir, "records.jsonl"), lines.String())
	if err := judging.WriteJSON(filepath.Join(dir, "run.json"), m); err != nil {
		t.Fatal(err)
	}
	for _, c := range aSuiteCells[1:4] {
		os.RemoveAll(filepath.Join("runs/a", c))
	}
	speeds := eval.SpeedsIn("runs/a", "runs")
	for name, tt := range map[string]struct {
		protocol, prompt string
		basis            string
	}{
		"the same": {"multi-option", "1", "earlier runs"},
		"near":     {"multi-option", "3", "earlier runs, other prompts"},
		"far":      {"answer", "paper", "earlier runs, other protocols"},
	} {
		p := speeds.Of(m.Spec.Model, tt.protocol, tt.prompt)
		if p == nil || p.Basis != tt.basis || p.Seconds != 0.5 || p.ReplyTokens != 30 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	other := m.Spec.Model
	other.Identity += " changed"
	if p := speeds.Of(other, "multi-option", "1"); p != nil {
		t.Errorf("of another model: %+v", p)
	}
}

// TestSuiteStatusFailed: a failed judgment is counted until it has been answered.
func TestSuiteStatusFailed(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--limit", "5", "--out", "r")
	all := records(t, "r")
	failed := *all[3]
	failed.Outcome, failed.Choice, failed.Replies = judging.Failed, "", nil
	for name, tt := range map[string]struct {
		records           []*judging.Record
		completed, failed int
	}{
		"all":                    {all, 10, 0},
		"one failed":             {append(slices.Delete(slices.Clone(all), 3, 4), &failed), 9, 1},
		"failed, then answered":  {append([]*judging.Record{&failed}, all...), 10, 0},
		"failed twice, no other": {[]*judging.Record{&failed, &failed}, 0, 1},
	} {
		var lines strings.Builder
		for _, r := range tt.records {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
		write(t, "r/records.jsonl", lines.String())
		if c := suite.StateOf("r", time.Now()); c.Completed != tt.completed || c.Failed != tt.failed || c.Expected != 10 || c.Error != "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestSuiteChanged: a folder that holds another run by now is left as it is.
func TestSuiteChanged(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	file := aSuite(t, s, "a", "")
	mustCall(t, "suite", "run", file)
	before := read(t, filepath.Join("a", aSuiteCells[0], "records.jsonl"))
	write(t, file, strings.ReplaceAll(read(t, file), "limit: 4", "limit: 5"))
	if stdout, _, code := call(t, "suite", "plan", file); code != exitIncomplete || !strings.Contains(stdout, "dataset.items: 4, now 5") || !strings.Contains(stdout, "give a.yaml another name or out") {
		t.Errorf("plan: exit status %d\n%s", code, stdout)
	}
	if _, stderr, code := call(t, "suite", "run", file); code != exitIncomplete || !strings.Contains(stderr, "8 of 8 cells are not complete") || read(t, filepath.Join("a", aSuiteCells[0], "records.jsonl")) != before {
		t.Errorf("run: exit status %d\n%s", code, stderr)
	}
}
