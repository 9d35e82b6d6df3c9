package cli

import (
	"archive/tar"
	"fmt"
	"io"
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
	if _, stderr, code := call(t, "bundle", "export", "runs/one", "runs/two", "--out", bundle); code != 0 || !strings.Contains(stderr, "2 runs, 0 datasets, 1 prompt") {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	return bundle, read(t, "runs/one/results.json")
}

// TestBundle: a bundle is taken to a machine that has neither the server nor a
// cache, and the runs made again there are the same.
func TestBundle(t *testing.T) {
	bundle, results := carried(t)
	key := "sk-very-secret"
	t.Setenv("OPENAI_API_KEY", key)
	home(t) // the other machine
	mustCall(t, "bundle", "verify", bundle)
	ends(t, 0, "9 files imported, 0 already there; 82 replies imported", "bundle", "import", bundle)
	for _, run := range []string{"one", "two"} {
		ends(t, 0, "the same, byte for byte", "replay", "runs/"+run, "--out", "again/"+run)
	}
	if read(t, "again/one/results.json") != results {
		t.Error("results.json is not that of the first machine")
	}
	prompts, _ := filepath.Glob("runs/prompts/*-mine.txt")
	if len(prompts) != 1 || read(t, prompts[0]) != "Which is worse? [[A>B]] or [[B>A]]\n" {
		t.Errorf("the prompt that was a file: %v", prompts)
	}
	ends(t, 0, "0 files imported, 9 already there; 0 replies imported, 82 already there", "bundle", "import", bundle)
	ends(t, exitUsage, "--max-mib 0: it must be at least 1", "bundle", "import", bundle, "--max-mib", "0")
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
	ends(t, exitError, "two suites are called carried", "bundle", "export", "runs/carried", "runs/carried/", "--out", "twice.tar")
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

// TestBundleIsTar: other tools open it.
func TestBundleIsTar(t *testing.T) {
	bundle, _ := carried(t)
	f, err := os.Open(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var names []string
	tr := tar.NewReader(f)
	for {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	want := "[bundle.json.zst runs/one/run.json.zst runs/one/items.jsonl.zst runs/one/records.jsonl.zst runs/one/results.json.zst"
	if got := fmt.Sprint(names); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "-mine.txt.zst SHA256SUMS]") {
		t.Errorf("in it: %s", got)
	}
}

// What a bundle says of itself does not steer the terminal: this one says that
// its runs, which it has not, are called "\x1b]0;mine\x07one" and "\u202etwo".
func TestBundleSaysNoEscapes(t *testing.T) {
	home(t)
	_, stderr, code := call(t, "bundle", "import", filepath.Join(sourceDir, "testdata", "bundle-foul.tar"))
	if code != 1 || strings.ContainsAny(stderr, "\x1b\x07\u202e") || !strings.Contains(stderr, "its runs are []") {
		t.Errorf("exit status %d: %q", code, stderr)
	}
}

// TestBundleOrigin: a later run that is answered by a bundle's replies says so,
// wherever its numbers are, and is made again with the same results.
func TestBundleOrigin(t *testing.T) {
	bundle, _ := carried(t)
	dir := home(t)
	j := newJudge(t, false, prefersLonger)
	mustCall(t, "bundle", "import", bundle)
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "10", "--no-cache", "--out", "mine")
	asked := j.calls.Load()
	out, stderr, code := call(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "later")
	if code != 0 || j.calls.Load() != asked {
		t.Fatalf("exit status %d, %d calls: %s", code, j.calls.Load()-asked, stderr)
	}
	const says = "64 of 64 replies came from bundle week.tar (SHA-256 "
	if !strings.Contains(stderr, says) || !strings.Contains(out, "! "+says) {
		t.Errorf("the table: %s\nstandard error: %s", out, stderr)
	}
	if results := read(t, "later/results.json"); !strings.Contains(results, `"bundle": "week.tar (SHA-256 `) || !strings.Contains(results, `"replies": 64`) {
		t.Errorf("results.json: %s", results)
	}
	if results := read(t, "mine/results.json"); strings.Contains(results, "origins") || strings.Contains(read(t, "mine/records.jsonl"), `"origin"`) {
		t.Errorf("of its own replies: %s", results)
	}
	if _, stderr, code := call(t, "replay", "later", "--out", "again"); code != 0 || !strings.Contains(stderr, "the same, byte for byte") || !strings.Contains(stderr, says) {
		t.Errorf("replay: exit status %d: %s", code, stderr)
	}
	// On a third machine the replies come from another bundle, and the run says what it said.
	mustCall(t, "bundle", "export", "later", "--out", "third.tar")
	home(t)
	mustCall(t, "bundle", "import", filepath.Join(dir, "third.tar"))
	ends(t, 0, says, "replay", "runs/later", "--out", "again")
	if _, stderr, _ := call(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "own"); !strings.Contains(stderr, "64 of 64 replies came from bundle third.tar") {
		t.Error(stderr)
	}
}

// TestBundleWithoutReplies: the runs come alone, and the judge is asked.
func TestBundleWithoutReplies(t *testing.T) {
	bundle, _ := carried(t)
	home(t)
	j := newJudge(t, false, prefersLonger)
	_, stderr, code := call(t, "bundle", "import", bundle, "--no-replies")
	if code != 0 || !strings.Contains(stderr, "9 files imported, 0 already there; 0 replies imported") {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	mustCall(t, "replay", "runs/one", "--out", "again")
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "later")
	if n := j.calls.Load(); n < 64 || strings.Contains(read(t, "later/records.jsonl"), `"origin"`) {
		t.Errorf("%d calls", n)
	}
}
