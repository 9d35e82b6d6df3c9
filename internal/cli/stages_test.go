package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gavel/judging"
)

// answersAll plays a judge that answers every question with option B, or 7, and
// calls every answer correct that it is shown.
func answersAll(_ int64, user string) (int, string) {
	switch {
	case strings.Contains(user, "[The Start of Assistant's Answer]"):
		return http.StatusOK, "Let me see. [[Correct]]"
	case strings.Contains(user, "Options:"):
		return http.StatusOK, "Thinking of it, the answer is (B)."
	}
	return http.StatusOK, "So many. The answer is 7."
}

// agentFile writes answers to the choices of the sample: option A to all.
func agentFile(t *testing.T, path, name string, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		line, err := json.Marshal(map[string]string{"id": fmt.Sprint(sampleIDs(t, "sample-choice")[i]), "answer": "I think the answer is (A).", "model": name})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return write(t, path, b.String())
}

func sampleIDs(t *testing.T, dataset string) []string {
	t.Helper()
	set, err := (&env{}).library().Open(dataset)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	ids := make([]string, set.Len())
	for i := range ids {
		ids[i] = set.ID(i)
	}
	return ids
}

// TestStagesAreAskedOnce: the judge's own answers are asked for once, whatever
// is judged with them, and another agent costs its judgments alone.
func TestStagesAreAskedOnce(t *testing.T) {
	home(t)
	j := newJudge(t, false, answersAll)
	n := len(sampleIDs(t, "sample-choice"))
	one, two := agentFile(t, "one.jsonl", "agent-one", n), agentFile(t, "two.jsonl", "agent-two", n-3)
	run := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		before := j.calls.Load()
		stdout, stderr, code := call(t, append([]string{"run", "self-reference", "--base-url", j.URL, "--dataset", "sample-choice", "--no-cache"}, args...)...)
		if code != 0 {
			t.Fatalf("exit status %d: %s", code, stderr)
		}
		if asked := int(j.calls.Load() - before); asked != want {
			t.Errorf("%v: %d calls, want %d", args, asked, want)
		}
		return stdout, stderr
	}
	run(3*n, "--agents", one, "--out", "runs/a") // own answers, and each judged in two ways
	results := read(t, "runs/a/results.json")
	run(0, "--agents", one, "--out", "runs/a")
	if read(t, "runs/a/results.json") != results {
		t.Error("a second run has other results")
	}
	_, stderr := run(2*n+2*(n-3), "--agents", one+","+two, "--out", "runs/b")
	if !strings.Contains(stderr, "agent-two: left out 3 of ") {
		t.Errorf("answers that are missing are not counted:\n%s", stderr)
	}
	run(n, "--agents", one, "--mode", "self", "--out", "runs/c")
	m, err := judging.ReadManifest("runs/b")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Stages) != 3 || m.Stages[0].Role != "judge" || m.Stages[2].Model != "agent-two" || m.Staged.Agents[1].Judged != n-3 {
		t.Errorf("run.json says of its stages: %+v, %+v", m.Stages, m.Staged)
	}
	own, err := filepath.Glob("runs/sample-choice_answer_paper_tiny_*")
	if err != nil || len(own) != 1 {
		t.Fatalf("the judge's own answers: %v", own)
	}
	run(2*n, "--agents", one, "--own", own[0], "--out", "elsewhere/d")
	run(2*n, "--dataset", "runs/a/items.jsonl", "--out", "e") // the stages are in the items
}

// TestStagesNumbers: a judge whose every answer and judgment is known.
func TestStagesNumbers(t *testing.T) {
	home(t)
	j := newJudge(t, false, answersAll)
	n := len(sampleIDs(t, "sample-choice"))
	out := mustCall(t, "run", "self-reference", "--base-url", j.URL, "--dataset", "sample-choice", "--agents", agentFile(t, "one.jsonl", "agent", n), "--out", "a", "--json")
	var a, b int // whose answer is A, or B
	for _, r := range records(t, "a") {
		if r.Mode != "cot" {
			continue
		}
		if r.Gold == "Correct" {
			a++
		}
		if r.Own.Right {
			b++
		}
	}
	var printed struct {
		Runs []struct {
			Protocol string
			Results  []struct {
				Metric, Group, Mode string
				Value               *float64
			}
		}
	}
	parse(t, out, &printed)
	if len(printed.Runs) != 3 || printed.Runs[2].Protocol != "self-reference" {
		t.Fatalf("%d runs are printed", len(printed.Runs))
	}
	want := map[string]float64{
		"agent-accuracy cot": share100(a, n), "generation-accuracy ": share100(b, n), "accuracy cot": share100(a, n),
		"recall self": 100, "precision self": share100(a, n), "overconfidence cot": 100 - share100(a, n),
	}
	found := 0
	for _, r := range printed.Runs[2].Results {
		if w, ok := want[r.Metric+" "+r.Mode]; ok && r.Group == "overall" {
			found++
			if r.Value == nil || *r.Value < w-0.001 || *r.Value > w+0.001 {
				t.Errorf("%s %s is %v, want %v", r.Metric, r.Mode, r.Value, w)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d of the numbers are there", found)
	}
}

func share100(k, n int) float64 { return 100 * float64(k) / float64(n) }

// TestStagesSelf: a judge may be its own agent; it is said that the two are not
// independent.
func TestStagesSelf(t *testing.T) {
	home(t)
	j := newJudge(t, false, answersAll)
	ends(t, 0, "is judged by itself", "run", "self-reference", "--base-url", j.URL, "--dataset", "sample-number", "--sample", "3", "--agents", "tiny@"+j.URL, "--out", "a")
}

// TestStagesDryRun: nothing is asked; what can be known is said.
func TestStagesDryRun(t *testing.T) {
	home(t)
	j := newJudge(t, false, answersAll)
	n := len(sampleIDs(t, "sample-choice"))
	args := []string{"run", "self-reference", "--base-url", j.URL, "--dataset", "sample-choice", "--agents", agentFile(t, "one.jsonl", "agent", n), "--out", "a"}
	stdout, stderr, code := call(t, append(args, "--dry-run")...)
	if code != 0 || j.calls.Load() != 0 || !strings.Contains(stdout, "judgments             "+fmt.Sprint(n)) || !strings.Contains(stderr, fmt.Sprintf("%d × 1 judgments follow in each mode", n)) {
		t.Errorf("exit status %d, %d calls\n%s\n%s", code, j.calls.Load(), stdout, stderr)
	}
	if found, _ := filepath.Glob("*_answer_*"); len(found) > 0 {
		t.Errorf("the dry run made %v", found)
	}
	mustCall(t, args...)
	asked := j.calls.Load()
	if err := os.RemoveAll("a"); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = call(t, append(args, "--dry-run")...)
	if code != 0 || j.calls.Load() != asked || !strings.Contains(stdout, "in the cache        "+fmt.Sprint(2*n)) || !strings.Contains(stdout, "[The Start of Assistant's Answer]") {
		t.Errorf("once the answers are there: exit status %d\n%s\n%s", code, stdout, stderr)
	}
}

// TestStagesEndEarly: where the judge's own answers are not all there, nothing is
// judged, and the same command goes on.
func TestStagesEndEarly(t *testing.T) {
	home(t)
	var well atomic.Bool
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if !well.Load() && call > 4 {
			return http.StatusBadRequest, "no"
		}
		return answersAll(call, user)
	})
	n := len(sampleIDs(t, "sample-choice"))
	args := []string{"run", "self-reference", "--base-url", j.URL, "--dataset", "sample-choice", "--agents", agentFile(t, "one.jsonl", "agent", n), "--out", "runs/a"}
	if stdout, stderr, code := call(t, args...); code != 3 || stdout != "" || !strings.Contains(stderr, "run the same command again") {
		t.Errorf("exit status %d: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat("runs/a"); err == nil {
		t.Error("there are judgments already")
	}
	well.Store(true)
	mustCall(t, args...)
}

// TestStagesBadInput: one line that says what is wrong and what to do.
func TestStagesBadInput(t *testing.T) {
	home(t)
	write(t, "other.jsonl", `{"id":"nowhere","answer":"the answer is (A)","model":"m"}`+"\n")
	write(t, "empty.jsonl", "")
	write(t, "broken.zip", "PK\x03\x04 and no more")
	base := []string{"run", "self-reference", "--backend", "sim", "--model", "right", "--dataset"}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no agents":          {[]string{"sample-choice"}, 2, "--agents is missing"},
		"no such agent":      {[]string{"sample-choice", "--agents", "nobody"}, 2, "not a file, a run or MODEL@URL"},
		"no server":          {[]string{"sample-choice", "--agents", "m@http://127.0.0.1:1"}, 1, "no server answers at http://127.0.0.1:1"},
		"other questions":    {[]string{"sample-choice", "--agents", "other.jsonl"}, 1, "other.jsonl"},
		"an empty file":      {[]string{"sample-choice", "--agents", "empty.jsonl"}, 1, "empty.jsonl"},
		"a broken zip":       {[]string{"sample-choice", "--agents", "broken.zip"}, 1, "broken.zip"},
		"pairs":              {[]string{"sample", "--agents", "sim:coin"}, 2, "items of shape pair"},
		"the same agent":     {[]string{"sample-choice", "--agents", "sim:coin", "--agents", "sim:coin"}, 1, "two agents are called"},
		"no such group":      {[]string{"sample-choice", "--group", "category=alchemy", "--agents", "sim:coin"}, 1, "alchemy"},
		"no such mode":       {[]string{"sample-choice", "--mode", "neither", "--agents", "sim:coin"}, 2, "--mode \"neither\" is not one of both, cot, self"},
		"no such turns":      {[]string{"sample-choice", "--turns", "some", "--agents", "sim:coin"}, 2, "--turns"},
		"an own run that is": {[]string{"sample-choice", "--own", "nowhere", "--agents", "sim:coin"}, 1, "nowhere"},
	} {
		stdout, stderr, code := call(t, append(base[:len(base):len(base)], tc.args...)...)
		last := stderr[strings.LastIndex(strings.TrimSuffix(stderr, "\n"), "\n")+1:]
		if code != tc.code || stdout != "" || !strings.Contains(last, tc.want) {
			t.Errorf("%s: exit status %d: %s%s", name, code, stdout, stderr)
		}
	}
}

// TestMultiOptionRuns: what the flags do to the items is in the run's own.
func TestMultiOptionRuns(t *testing.T) {
	home(t)
	base := []string{"run", "multi-option", "--backend", "sim", "--model", "accuracy=0.9,first=0.2", "--dataset", "sample-options"}
	mustCall(t, append(base, "--out", "a")...)
	mustCall(t, append(base, "--unrelated", "--max-options", "3", "--out", "b")...)
	mustCall(t, append(base, "--unrelated", "--max-options", "3", "--concurrency", "1", "--out", "c")...)
	if read(t, "b/items.jsonl") != read(t, "c/items.jsonl") || read(t, "b/results.json") != read(t, "c/results.json") {
		t.Error("drawn twice, the options differ")
	}
	for _, r := range records(t, "b") {
		if r.Unrelated != "00" || len(r.Order) > 4 || len(r.Order) < 3 {
			t.Fatalf("a presentation of %v, unrelated %q", r.Order, r.Unrelated)
		}
	}
	mustCall(t, "run", "multi-option", "--backend", "sim", "--model", "accuracy=0.9,first=0.2", "--dataset", "b/items.jsonl", "--out", "d")
	if got, want := results(t, "d"), results(t, "b"); got != want {
		t.Error("the run's own items give other results")
	}
	mustCall(t, "compare", "a", "b")
	for _, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"one option":        {[]string{"--max-options", "1"}, 2, "--max-options 1: it must be at least 2"},
		"all orders of six": {[]string{"--orders", "all"}, 1, "--max-options"},
		"no such orders":    {[]string{"--orders", "sorted"}, 2, "--orders"},
		"no such goal":      {[]string{"--goal", "fastest"}, 2, "--goal"},
		"pairs":             {[]string{"--dataset", "sample", "--unrelated"}, 2, "items with options"},
	} {
		ends(t, tc.code, tc.want, append(base[:len(base):len(base)], tc.args...)...)
	}
}

// results is results.json without what names the run.
func results(t *testing.T, run string) string {
	t.Helper()
	var all map[string]any
	parse(t, read(t, run+"/results.json"), &all)
	delete(all, "id")
	delete(all, "dataset")
	delete(all, "settings")
	out, _ := json.Marshal(all)
	return string(out)
}
