package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestEnds: how a run ends that is interrupted or gets no answers, and that the same command continues it.
func TestEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "ends")
	s := newStub(w, "other")
	args := []string{"run", "pairwise", "--model", "tiny", "--base-url", s.URL, "--dataset", "sample", "--limit", "4", "--concurrency", "1", "--no-cache", "--retry-for", "1ms"}
	s.fails(func(n int) bool { return n == 3 })
	r := w.gavel(append(args, "--out", "failed", "--csv")...)
	b.add("a call fails", fmt.Sprintf("exit status %d\n%s", r.code, r.stdout))
	b.add("a call fails · verdicts", verdicts(t, w.read("failed/records.jsonl")))
	b.add("a call fails · run.json", pick(t, w.read("failed/run.json"), "id", "judgments", "status"))
	s.fails(func(int) bool { return true })
	r = w.gavel(append(args, "--out", "lost", "--csv")...)
	b.add("every call fails", fmt.Sprintf("exit status %d\n%s", r.code, r.stdout))
	s.fails(nil)
	s.take(w)
	r = w.gavel(append(args, "--out", "failed", "--csv")...)
	_, n := s.take(w)
	b.add("gone on with", fmt.Sprintf("exit status %d, %d requests\n%s", r.code, n, r.stdout))
	w.write("s.yaml", "name: half\njudges: [{model: tiny, base-url: "+s.URL+"}, {name: away, model: tiny, base-url: \"http://127.0.0.1:1\", retry-for: 1ms}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 2}]\n")
	r = w.gavel("suite", "run", "s.yaml")
	b.add("a suite with a judge that is not there", fmt.Sprintf("exit status %d\n%s", r.code, r.stdout))

	if runtime.GOOS == "windows" {
		return // has no interrupts
	}
	code := w.breakOff(s, 3, "stopped", 2, os.Interrupt, append(args, "--out", "stopped")...)
	b.add("interrupted", fmt.Sprintf("exit status %d\n%s", code, pick(t, w.read("stopped/run.json"), "id", "judgments", "status")))
	r = w.gavel(append(args, "--out", "stopped", "--csv")...)
	b.add("interrupted, gone on with", fmt.Sprintf("exit status %d\n%s", r.code, pick(t, w.read("stopped/run.json"), "id", "judgments", "status")))
	if w.read("stopped/results.json") != w.read("failed/results.json") {
		t.Error("gone on with: other results")
	}
}

// TestDoctor: the doctor's checks and how they end. Its numbers depend on the machine.
func TestDoctor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "doctor")
	for _, kind := range kinds {
		s := newStub(w, kind)
		r := w.gavel("doctor", "--quick", "--json", "--model", "tiny", "--base-url", s.URL)
		var report struct {
			Findings []struct{ Check, Status string }
			Ready    bool
		}
		if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
			t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
		}
		var out strings.Builder
		for _, f := range report.Findings {
			out.WriteString(f.Check + ": " + f.Status + "\n")
		}
		b.add(kind, fmt.Sprintf("exit status %d, ready %v\n%s", r.code, report.Ready, out.String()))
	}
}
