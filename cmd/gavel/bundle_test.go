package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
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
	if _, stderr, code := call(t, "bundle", "export", "runs/one", "runs/two", "--out", bundle); code != 0 || !strings.Contains(stderr, "2 runs, 0 datasets, 1 prompt, 82 replies") {
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
	_, stderr, code := call(t, "bundle", "import", bundle)
	if code != 0 || !strings.Contains(stderr, "9 files taken in, 0 there already; 82 replies taken in") {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	for _, run := range []string{"one", "two"} {
		_, stderr, code = call(t, "replay", "runs/"+run, "--out", "again/"+run)
		if code != 0 || !strings.Contains(stderr, "the same, byte for byte") {
			t.Fatalf("%s: exit status %d: %s", run, code, stderr)
		}
	}
	if read(t, "again/one/results.json") != results {
		t.Error("results.json is not that of the first machine")
	}
	prompts, _ := filepath.Glob("runs/prompts/*-mine.txt")
	if len(prompts) != 1 || read(t, prompts[0]) != "Which is worse? [[A>B]] or [[B>A]]\n" {
		t.Errorf("the prompt that was a file: %v", prompts)
	}
	if _, stderr, code = call(t, "bundle", "import", bundle); code != 0 || !strings.Contains(stderr, "0 files taken in, 9 there already; 0 replies taken in, 82 there already") {
		t.Errorf("taken in twice: exit status %d: %s", code, stderr)
	}
	write(t, "runs/two/results.json", "{}")
	if _, stderr, code = call(t, "bundle", "import", bundle); code != 1 || !strings.Contains(stderr, "runs/two/results.json is there already and differs") {
		t.Errorf("over another run: exit status %d: %s", code, stderr)
	}
	if _, stderr, code = call(t, "replay", "runs/two", "--out", "third"); code != 1 || !strings.Contains(stderr, "differ") {
		t.Errorf("replay of changed results: exit status %d: %s", code, stderr)
	}
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
	_, stderr, code := call(t, "bundle", "export", "runs/carried", "--out", bundle)
	if code != 0 || !strings.Contains(stderr, "9 runs, ") {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	if _, stderr, code := call(t, "bundle", "export", "runs/carried", "runs/carried/", "--out", "twice.tar"); code != exitError || !strings.Contains(stderr, "two suites are called carried") {
		t.Errorf("twice: exit status %d: %s", code, stderr)
	}
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
		if _, stderr, code := call(t, "replay", run, "--out", "again/"+filepath.Base(run)); code != 0 || !strings.Contains(stderr, "the same, byte for byte") {
			t.Errorf("%s: exit status %d: %s", run, code, stderr)
		}
	}
}

// TestBundleFlippedBit: wherever one bit changes, nothing is taken in, and what
// it is in is named.
func TestBundleFlippedBit(t *testing.T) {
	bundle, _ := carried(t)
	whole := []byte(read(t, bundle))
	places := map[string]bool{}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		at := rng.IntN(len(whole))
		if i < 40 {
			at = len(whole) - 1 - i*97%sealed // the end as well
		}
		bad := bytes.Clone(whole)
		bad[at] ^= 1 << rng.IntN(8)
		_, stderr, code := call(t, "bundle", "import", write(t, "bad.tar", string(bad)), "--runs", "there")
		if code != 1 || !strings.Contains(stderr, "nothing was taken in") {
			t.Fatalf("byte %d changed: exit status %d: %s", at, code, stderr)
		}
		for _, name := range []string{"records.jsonl.zst", "items.jsonl.zst", repliesFile, sealFile} {
			if strings.Contains(stderr, name) {
				places[name] = true
			}
		}
	}
	if len(places) < 4 {
		t.Errorf("only %v were named", places)
	}
	if _, err := os.Stat("there"); err == nil {
		t.Error("something was written")
	}
	for _, n := range []int{0, 100, 511, len(whole) / 2, len(whole) - 1} {
		if _, stderr, code := call(t, "bundle", "verify", write(t, "short.tar", string(whole[:n]))); code != 1 || !strings.Contains(stderr, "short.tar: ") {
			t.Errorf("%d bytes of it: exit status %d: %s", n, code, stderr)
		}
	}
}

// TestBundleHostileNames: a bundle can be well sealed and still mean harm.
func TestBundleHostileNames(t *testing.T) {
	home(t)
	index, _ := json.Marshal(bundleIndex{Schema: bundleSchema})
	for _, name := range []string{
		"runs/../../evil/run.json", "/etc/evil", "runs/x/y/z/run.json", "runs/x/y/suite.json", "runs/suite.json", "runs/run.json", "runs/x/evil.sh", "runs/x/y/evil.sh", "runs/../y/run.json", "suite.json", "runs/\x1b[31m/run.json", "runs/\u202egnp/run.json", "evil", "datasets/../evil", "prompts/..", "runs//run.json", `runs/..\evil/run.json` + "\x00",
	} {
		f, err := os.Create("bad.tar")
		if err != nil {
			t.Fatal(err)
		}
		if err := writeTarball(f, []bundled{{name: bundleFile, text: index}, {name: name, text: []byte("{}")}}); err != nil {
			f.Close()
			continue // a name that tar itself refuses
		}
		f.Close()
		if _, stderr, code := call(t, "bundle", "import", "bad.tar"); code != 1 || !strings.Contains(stderr, "no file of a bundle") {
			t.Errorf("%q: exit status %d: %s", name, code, stderr)
		}
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
	if got := fmt.Sprint(names); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "replies.jsonl.zst sums.json seal.sha256]") {
		t.Errorf("in it: %s", got)
	}
}

// TestReplayWithoutReplies: what the cache does not hold is missing, and said.
func TestReplayWithoutReplies(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--no-cache", "--out", "one")
	_, stderr, code := call(t, "replay", "one", "--out", "two")
	if code != 3 || !strings.Contains(stderr, "64 of 64 judgments failed or are missing") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	if _, stderr, code = call(t, "bundle", "export", "one", "--out", "x.tar"); code != 0 || !strings.Contains(stderr, "not replayed") || !strings.Contains(stderr, "0 replies") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// TestBundleHostileSums: a list that is well sealed and says that files lie where
// they cannot.
func TestBundleHostileSums(t *testing.T) {
	home(t)
	for name, bend := range map[string]func([]segment){
		"not at the beginning": func(s []segment) { s[0].Offset = tarBlock },
		"over each other":      func(s []segment) { s[1].Offset = 0 },
		"beyond the end":       func(s []segment) { s[1].Size = 1 << 40 },
		"of no size":           func(s []segment) { s[0].Size = 0 },
	} {
		f, err := os.Create("bad.tar")
		if err != nil {
			t.Fatal(err)
		}
		w := &tarballWriter{out: f, whole: sha256.New(), part: sha256.New()}
		for _, file := range []bundled{{name: bundleFile, text: []byte(`{"schema":1}`)}, {name: repliesFile, text: []byte{}}} {
			text, err := pack(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.add(file.name+packed, text); err != nil {
				t.Fatal(err)
			}
		}
		bend(w.segments)
		sums, _ := json.Marshal(w.segments)
		if err := w.add(sumsFile, sums); err != nil {
			t.Fatal(err)
		}
		f.Write(seal(w.whole.Sum(nil)))
		f.Close()
		if _, stderr, code := call(t, "bundle", "verify", "bad.tar"); code != 1 || !strings.Contains(stderr, "lies where it cannot") {
			t.Errorf("%s: exit status %d: %s", name, code, stderr)
		}
	}
}

// What a bundle says of itself does not steer the terminal.
func TestBundleSaysNoEscapes(t *testing.T) {
	dir := home(t)
	at := filepath.Join(dir, "foul.tar")
	f, err := os.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	index, err := json.Marshal(bundleIndex{Schema: bundleSchema, Runs: []string{"\x1b]0;mine\x07one", "\u202etwo"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeTarball(f, []bundled{{name: bundleFile, text: index}}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, stderr, code := call(t, "bundle", "import", at); code != 0 || strings.ContainsAny(stderr, "\x1b\x07\u202e") || !strings.Contains(stderr, "one") {
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
	if _, stderr, code := call(t, "replay", "runs/later", "--out", "again"); code != 0 || !strings.Contains(stderr, says) {
		t.Errorf("replay of what was imported twice: exit status %d: %s", code, stderr)
	}
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
	if code != 0 || !strings.Contains(stderr, "9 files taken in, 0 there already; 82 replies left out") {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "later")
	if n := j.calls.Load(); n < 64 || strings.Contains(read(t, "later/records.jsonl"), `"origin"`) {
		t.Errorf("%d calls", n)
	}
}

// TestBundleOfBefore: a bundle of a gavel that knew no origins is taken in, and
// its run made again.
func TestBundleOfBefore(t *testing.T) {
	at, err := filepath.Abs("testdata/bundle-schema1.tar")
	if err != nil {
		t.Fatal(err)
	}
	home(t)
	if _, stderr, code := call(t, "bundle", "import", at); code != 0 || !strings.Contains(stderr, "4 files taken in, 0 there already; 4 replies taken in") {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	if _, stderr, code := call(t, "replay", "runs/old", "--out", "again"); code != 0 || !strings.Contains(stderr, "the same, byte for byte") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// TestBundleBomb: a small bundle that unpacks to a great deal is refused before
// anything is written, and never held in memory.
func TestBundleBomb(t *testing.T) {
	home(t)
	const piece = 64 << 20
	zeros, err := pack(bundled{text: make([]byte, piece)})
	if err != nil {
		t.Fatal(err)
	}
	index, err := pack(bundled{text: []byte(`{"schema":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	bomb := func(name string, pieces int, files ...string) string {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := &tarballWriter{out: f, whole: sha256.New(), part: sha256.New()}
		err = w.add(bundleFile+packed, index)
		for _, file := range files {
			err = errors.Join(err, w.add(file+packed, bytes.Repeat(zeros, pieces))) // frames that follow each other are one text
		}
		sums, _ := json.Marshal(w.segments)
		err = errors.Join(err, w.add(sumsFile, sums))
		if _, werr := f.Write(seal(w.whole.Sum(nil))); err != nil || werr != nil {
			t.Fatal(err, werr)
		}
		return name
	}
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{bomb("whole.tar", 22, "prompts/a", "prompts/b", "prompts/c")}, "whole.tar unpacks to more than 4096 MiB: nothing was taken in"},
		{[]string{bomb("limit.tar", 8, "prompts/a"), "--max-mib", "100"}, "limit.tar unpacks to more than 100 MiB: nothing was taken in; if it is to be trusted, allow more with --max-mib"},
		{[]string{bomb("line.tar", 4, repliesFile)}, "replies.jsonl.zst: line 1: longer than 16 MiB"},
		{[]string{"limit.tar", "--max-mib", "0"}, "--max-mib 0: it must be at least 1"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, stderr, code := call(t, append([]string{"bundle", "import", "--cache", "replies"}, tc.args...)...)
		runtime.ReadMemStats(&after)
		if code == 0 || !strings.Contains(stderr, tc.says) {
			t.Errorf("%v: exit status %d: %s", tc.args, code, stderr)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 128 {
			t.Errorf("%v: %d MiB were allocated", tc.args, took)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("something was taken in")
	}
}
