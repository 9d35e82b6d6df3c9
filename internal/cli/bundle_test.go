package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// carried is a run made with a judge that is gone by now, and a bundle of it.
func carried(t *testing.T) (bundle string, results string) {
	t.Helper()
	dir := home(t)
	j := newJudge(t, false, prefersLonger)
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "runs/one")
	mustCall(t, "run", "reversed", "--base-url", j.URL, "--dataset", "sample", "--limit", "9", "--prompt", write(t, "mine.txt", "Which is worse? [[A>B]] or [[B>A]]"), "--out", "runs/two")
	j.Close()
	bundle = filepath.Join(dir, "week.tar")
	ends(t, 0, "2 runs, 0 datasets", "bundle", "export", "runs/one", "runs/two", "--out", bundle)
	return bundle, read(t, "runs/one/results.json")
}

// TestBundle: a bundle is taken to a machine that has neither the server nor a cache, and the runs made again there are
// the same. The cache is left alone until it is to take the replies.
func TestBundle(t *testing.T) {
	bundle, results := carried(t)
	home(t) // the other machine
	ends(t, 0, "8 files imported, 0 already there", "bundle", "import", bundle, "--no-replies", "--cache", "none")
	for _, run := range []string{"one", "two"} {
		ends(t, 0, "the same, byte for byte", "replay", "runs/"+run, "--out", "again/"+run)
	}
	if read(t, "again/one/results.json") != results {
		t.Error("results.json is not that of the first machine")
	}
	ends(t, 0, "0 files imported, 8 already there", "bundle", "import", bundle)
	ends(t, exitUsage, "--max-mib 0: it must be at least 1", "bundle", "import", bundle, "--max-mib", "0")
	j := newJudge(t, false, prefersLonger)
	ask := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "3", "--out"}
	mustCall(t, append(ask, "mine")...)
	asked := j.calls.Load()
	mustCall(t, "cache", "prune", "--all")
	mustCall(t, "cache", "rebuild", "runs")
	mustCall(t, append(ask, "later")...)
	if n := j.calls.Load(); asked < 6 || n >= 2*asked {
		t.Errorf("%d calls, then %d more with the replies of the bundle", asked, n-asked)
	}
	write(t, "runs/two/results.json", "{}")
	ends(t, 1, "runs/two/results.json exists and differs", "bundle", "import", bundle)
	ends(t, 1, "differ", "replay", "runs/two", "--out", "third")
}

// TestBundleSuite: a suite comes along with all its runs, stages included, and
// has the same results there.
func TestBundleSuite(t *testing.T) {
	dir := home(t)
	j := newJudge(t, false, anything)
	write(t, "s.yaml", fmt.Sprintf(`
name: carried
judges: [{model: tiny, base-url: %q}, {model: coin, backend: sim}]
conditions:
  - {protocol: pairwise, dataset: sample, limit: 4, prompt: [sop, direct]}
  - {protocol: self-reference, dataset: sample-number, sample: 1, agents: ["sim:right"]}
`, j.URL))
	results := mustCall(t, "suite", "run", "s.yaml", "--json")
	j.Close()
	file := read(t, "s.yaml")
	bundle := filepath.Join(dir, "suite.tar")
	write(t, "runs/carried/notes/mine.txt", "not a run")
	ends(t, 0, "9 runs, ", "bundle", "export", "runs/carried", "--out", bundle)
	ends(t, exitError, "two folders are called carried", "bundle", "export", "runs/carried", "runs/carried/", "--out", "twice.tar")
	home(t) // the other machine
	mustCall(t, "bundle", "import", bundle)
	write(t, "s.yaml", file)
	if got := mustCall(t, "suite", "results", "s.yaml", "--json"); got != results {
		t.Errorf("the results there:\n%s\nwant\n%s", got, results)
	}
	if _, err := os.Stat("runs/carried/notes"); err == nil {
		t.Error("what is no run came along")
	}
	runs, _ := filepath.Glob("runs/carried/tiny_*")
	if len(runs) != 3 {
		t.Fatalf("runs of the judge: %v", runs)
	}
	for _, run := range runs {
		ends(t, 0, "the same, byte for byte", "replay", run, "--out", "again/"+filepath.Base(run))
	}
}

// TestRepliesOfABundle: a run that an earlier gavel answered from a bundle says so, wherever its numbers are.
func TestRepliesOfABundle(t *testing.T) {
	carried(t)
	write(t, "runs/one/records.jsonl", strings.ReplaceAll(read(t, "runs/one/records.jsonl"), `"replies":[{`, `"replies":[{"cached":true,"origin":"week.tar (SHA-256 0123)",`))
	const says = "! 64 of 64 replies came from bundle week.tar (SHA-256 0123)"
	if out := mustCall(t, "score", "runs/one"); !strings.Contains(out, says) {
		t.Errorf("the table: %s", out)
	}
	if results := mustCall(t, "score", "runs/one", "--json"); !strings.Contains(results, `"bundle": "week.tar (SHA-256 0123)"`) {
		t.Errorf("JSON: %s", results)
	}
}
