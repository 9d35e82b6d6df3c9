package cli

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gavel/internal/server/jobs"
	"gavel/internal/trials"
	"gavel/judging"
)

// victim is a command that is killed.
type victim struct {
	line  string                // with OUT for what it makes
	ready func(out string) bool // whether a second try has nothing left to do; nil where it never has
}

// make starts the command that makes out.
func (v victim) make(t *testing.T, out string) *exec.Cmd {
	return process(t, strings.Fields(strings.ReplaceAll(v.line, "OUT", out))...)
}

// killedAtAnyTime makes something undisturbed, and then again and again: killed after a part of the time that it takes,
// and the same command once more. What is there then is the same, nothing is left beside it, and at no time did a run say
// that it is complete that was not.
func (v victim) killedAtAnyTime(t *testing.T, kills int) {
	began := time.Now()
	if out, err := v.make(t, "undisturbed").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	want := madeBy(t, "undisturbed")
	os.RemoveAll("undisturbed")
	rng := rand.New(rand.NewPCG(uint64(kills), 1))
	for i := range kills {
		const out = "killed"
		cmd := v.make(t, out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(took)))
		cmd.Process.Kill()
		cmd.Wait()
		completeAreWhole(t, out)
		if v.ready == nil || !v.ready(out) {
			if output, err := v.make(t, out).CombinedOutput(); err != nil {
				t.Fatalf("trial %d: %v\n%s", i, err, output)
			}
		}
		if got := madeBy(t, out); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want as in one that was not disturbed: %v", out, got, want)
		}
		os.RemoveAll(out)
	}
	if out, err := process(t, "--version").CombinedOutput(); err != nil { // sweeps what the last one left
		t.Fatalf("%v\n%s", err, out)
	}
	noLitter(t)
}

// madeBy is all that counts of what is at a place: a file, or results, items and the number of records of runs.
func madeBy(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		switch d.Name() {
		case "run.json":
			m, err := judging.ReadManifest(filepath.Dir(name))
			if err != nil {
				return err
			}
			files[rel] = m.ID + " " + m.Status
		case "records.jsonl":
			var completed judging.Completed
			for _, r := range records(t, filepath.Dir(name)) {
				if completed.Has(r.Item, r.Presentation, r.Repetition) {
					t.Errorf("%s: %s is there twice", name, r.Item)
				}
				completed.Add(r)
			}
			files[rel] = fmt.Sprint(len(records(t, filepath.Dir(name))), " records")
		case "suite.json":
		default:
			files[rel] = read(t, name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("nothing is in %s", dir)
	}
	return files
}

// completeAreWhole wants each run that says it is complete to have all of its records.
func completeAreWhole(t *testing.T, dir string) {
	t.Helper()
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "run.json" {
			return nil
		}
		if m, err := judging.ReadManifest(filepath.Dir(name)); err != nil || m.Status == judging.Complete && len(records(t, filepath.Dir(name))) != m.Judgments {
			t.Errorf("%s says that it is complete: %+v, %v", name, m, err)
		}
		return nil
	})
}

// half are the names of what is half done.
var half = regexp.MustCompile(`^\..+-(?:[0-9]+|part)$|^\.deleted-|^gavel-(?:bundle|plan|demo)-`)

// noLitter wants nothing half done to be left in the folder of the test, that for passing files included.
func noLitter(t *testing.T) {
	t.Helper()
	filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && half.MatchString(d.Name()) {
			t.Errorf("%s is left", name)
		}
		return nil
	})
}

// TestKilledAtAnyTime: commands that make something, killed with -9. Each begins in an empty folder for passing files.
func TestKilledAtAnyTime(t *testing.T) {
	if _, err := binary(); err != nil { // it stays where it is
		t.Fatal(err)
	}
	dir := filepath.Join(home(t), "passing")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	row := `{"question_id": %d, "question": "?", "options": ["x", "y"], "answer": "A", "answer_index": 0, "src": "ours", ` +
		`"category": "math", "pred": "A", "generated_text": "` + strings.Repeat("thus ", 200) + `The answer is (A)."},`
	write(t, "outputs.json", "["+strings.TrimSuffix(repeated(800, row), ",")+"]")
	for _, out := range []string{"undisturbed", "killed"} {
		write(t, out+".yaml", "out: "+out+"\ndefaults: {backend: sim}\njudges: [{model: coin}, {model: right}]\n"+
			"conditions: [{protocol: pairwise, dataset: sample}, {protocol: multi-option, dataset: sample-options}]\n")
	}
	j := newJudge(t, false, prefersLonger)
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--repeat", "10", "--cache", "c", "--out", "r")
	mustCall(t, "bundle", "export", "r", "--out", "b.tar")
	whole := func(out string) bool {
		_, _, code := call(t, "bundle", "import", out, "--runs", t.TempDir())
		return code == exitOK
	}
	for name, v := range map[string]victim{
		"run":           {line: "run pairwise --backend sim --model coin --dataset sample --repeat 10 --out OUT"},
		"import":        {line: "import mmlu-pro outputs.json --out OUT"},
		"suite":         {line: "suite run OUT.yaml"},
		"bundle export": {line: "bundle export r --out OUT", ready: whole},
		"bundle import": {line: "bundle import b.tar --runs OUT"},
	} {
		t.Run(name, func(t *testing.T) { v.killedAtAnyTime(t, trials.TrialCount(2)) })
	}
}

// TestServeDay is a day of a server, compressed: readers look at pages while runs are started, twenty an hour. Nothing is
// lost, nobody gets an error, and memory does not grow. By day it is a quarter of an hour under twenty readers.
func TestServeDay(t *testing.T) {
	home(t)
	quarters := trials.TrialCount(1) // of an hour; GAVEL_TRIALS=96 is a day
	readers := min(20*quarters, 200)
	s := serve(t, "--no-cache")
	stop := make(chan struct{})
	var all sync.WaitGroup
	var newest atomic.Value
	newest.Store("none")
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
	for i := range readers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 2))
			for {
				run := newest.Load().(string)
				paths := []string{"/", "/jobs", "/start", "/suites", "/runs/" + run, "/runs/" + run + "/items", "/api/v1/runs", "/api/v1/runs/" + run}[rng.IntN(8)]
				if resp, err := client.Get(s.url + paths); err != nil {
					t.Errorf("%s: %v", paths, err)
				} else {
					io.Copy(io.Discard, resp.Body)
					if resp.Body.Close(); resp.StatusCode >= 500 {
						t.Errorf("%s: %s", paths, resp.Status)
					}
				}
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rng.IntN(50*readers)) * time.Millisecond): // 40 pages a second of all
				}
			}
		})
	}
	var memory []uint64 // that was in use after each start
	starts := 5 * quarters
	for i := range starts {
		if v := s.until(s.start(jobRequest("sim", "model", "coin", "limit", "3", "max-tokens", fmt.Sprint(100+i))).ID, ended); v.Job.State != jobs.Complete {
			t.Errorf("start %d: %+v", i, v.Job)
		} else {
			newest.Store(v.Job.Run())
		}
		in := uint64(math.MaxUint64)
		for range 5 { // three minutes of the day
			time.Sleep(20 * time.Millisecond)
			in = min(in, heap())
		}
		memory = append(memory, in)
	}
	close(stop)
	all.Wait()
	client.CloseIdleConnections()
	if runs, _ := filepath.Glob("runs/*/results.json"); len(runs) != starts {
		t.Errorf("%d runs of %d starts", len(runs), starts)
	}
	completeAreWhole(t, "runs")
	// What pages in the making hold comes and goes: the least of a quarter of the starts is what stays. A run in the list
	// takes some KiB.
	early, late := slices.Min(memory[starts/4:starts/2]), slices.Min(memory[starts-starts/4:])
	if late > early+3<<20+uint64(starts/2)*24<<10 {
		t.Errorf("%d KiB are in use in the second quarter of the starts, %d in the last", early>>10, late>>10)
	}
	t.Logf("%d starts: %d KiB in the second quarter, %d in the last", starts, early>>10, late>>10)
}

// heap returns the number of bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
