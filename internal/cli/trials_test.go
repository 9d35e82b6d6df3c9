package cli

import (
	"fmt"
	"io"
	"io/fs"
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
	args  func(out string) []string // that make out
	ready func(out string) bool     // whether a second try has nothing left to do; nil where it never has
}

// killedAtAnyTime makes something undisturbed, and then again and again: killed after a part of the time that it takes,
// and the same command once more. What is there then is the same, nothing is left beside it, and at no time did a run say
// that it is complete that was not.
func killedAtAnyTime(t *testing.T, v victim, kills int) {
	t.Helper()
	began := time.Now()
	if out, err := process(t, v.args("undisturbed")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	want := madeBy(t, "undisturbed")
	rng := rand.New(rand.NewPCG(uint64(kills), 1))
	inTime := 0
	for i := range kills {
		out := fmt.Sprint("killed", i)
		cmd := process(t, v.args(out)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(took)))
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			inTime++
		}
		completeAreWhole(t, out)
		if v.ready == nil || !v.ready(out) {
			if said, err := process(t, v.args(out)...).CombinedOutput(); err != nil {
				t.Fatalf("trial %d: %v\n%s", i, err, said)
			}
		}
		wantMade(t, out, want)
		os.RemoveAll(out)
	}
	mustCall(t, "models", "--help") // nothing of the last one is left by whatever is next
	if out, err := process(t, "--version").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	noLitter(t)
	t.Logf("%d of %d were killed before they ended by themselves", inTime, kills)
}

// madeBy is all that counts of what is at a place: a file, or results, items and the number of records of runs.
func madeBy(t *testing.T, at string) map[string]string {
	t.Helper()
	made := map[string]string{}
	if err := filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, _ := filepath.Rel(at, name)
		switch d.Name() {
		case "run.json":
			m, err := judging.ReadManifest(filepath.Dir(name))
			if err != nil {
				return err
			}
			made[rel] = m.ID + " " + m.Status
		case "records.jsonl":
			var seen judging.Completed
			for _, r := range records(t, filepath.Dir(name)) {
				if seen.Has(r.Item, r.Presentation, r.Repetition) {
					t.Errorf("%s: %s is there twice", name, r.Item)
				}
				seen.Add(r)
			}
			made[rel] = fmt.Sprint(len(records(t, filepath.Dir(name))), " records")
		case "suite.json":
		default:
			made[rel] = read(t, name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(made) == 0 {
		t.Fatalf("nothing is in %s", at)
	}
	return made
}

func wantMade(t *testing.T, out string, want map[string]string) {
	t.Helper()
	got := madeBy(t, out)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s is not as in one that was not disturbed", out, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", out, len(got), len(want))
	}
}

// completeAreWhole wants each run that says it is complete to have all of its records.
func completeAreWhole(t *testing.T, at string) {
	t.Helper()
	filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
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

// ownTemp has passing files made in the folder of the test.
func ownTemp(t *testing.T) {
	if _, err := binary(); err != nil { // it stays where it is
		t.Fatal(err)
	}
	dir := filepath.Join(home(t), "passing")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
}

// simulatedRun is a run that asks nobody.
var simulatedRun = []string{"pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--repeat", "10"}

// TestKilledAtAnyTime: killed with -9 whenever, whatever gavel does comes to the same by the same command.
func TestKilledAtAnyTime(t *testing.T) {
	const each = 2
	t.Run("run", func(t *testing.T) {
		ownTemp(t)
		killedAtAnyTime(t, victim{args: func(out string) []string { return append(append([]string{"run"}, simulatedRun...), "--out", out) }}, trials.Times(each))
	})
	t.Run("import", func(t *testing.T) {
		ownTemp(t)
		row := `{"question_id": %d, "question": "?", "options": ["x", "y"], "answer": "A", "answer_index": 0, "src": "ours", ` +
			`"category": "math", "pred": "A", "generated_text": "` + strings.Repeat("thus ", 200) + `The answer is (A)."},`
		write(t, "outputs.json", "["+strings.TrimSuffix(repeated(800, row), ",")+"]")
		killedAtAnyTime(t, victim{args: func(out string) []string { return []string{"import", "mmlu-pro", "outputs.json", "--out", out} }}, trials.Times(each))
	})
	t.Run("suite", func(t *testing.T) {
		ownTemp(t)
		killedAtAnyTime(t, victim{args: func(out string) []string {
			return []string{"suite", "run", write(t, "suite.yaml", "out: "+out+"\ndefaults: {backend: sim}\njudges: [{model: coin}, {model: right}]\nconditions: [{protocol: pairwise, dataset: sample}, {protocol: multi-option, dataset: sample-options}]\n")}
		}}, trials.Times(each))
	})
	t.Run("bundle", func(t *testing.T) {
		ownTemp(t)
		j := newJudge(t, false, prefersLonger)
		mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--repeat", "10", "--cache", "c", "--out", "r")
		whole := func(out string) bool {
			_, _, code := call(t, "bundle", "import", out, "--runs", t.TempDir())
			return code == exitOK
		}
		killedAtAnyTime(t, victim{args: func(out string) []string { return []string{"bundle", "export", "r", "--cache", "c", "--out", out} }, ready: whole}, trials.Times(each))
		mustCall(t, "bundle", "export", "r", "--cache", "c", "--out", "b.tar")
		os.Remove("undisturbed")
		killedAtAnyTime(t, victim{args: func(out string) []string {
			return []string{"bundle", "import", "b.tar", "--runs", out}
		}}, trials.Times(each))
	})
}

// TestServeKilled: a server that is killed while it makes a run makes it to its end once it is there again.
func TestServeKilled(t *testing.T) {
	ownTemp(t)
	serveAt := func(runs string) (*exec.Cmd, *serving) {
		if err := os.MkdirAll(runs, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := process(t, "serve", "--addr", "127.0.0.1:0", "--runs", runs, "--no-cache")
		said, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var line [400]byte
		n, _ := said.Read(line[:])
		go io.Copy(io.Discard, said)
		url := regexp.MustCompile(`http://[^/]+`).FindString(string(line[:n]))
		if url == "" {
			t.Fatalf("it does not serve: %s", line[:n])
		}
		return cmd, &serving{t: t, url: url}
	}
	order := jobRequest("sim", "repeat", "20", "model", "coin")
	make := func(s *serving) {
		if v := s.until(s.start(order).ID, ended); v.Job.State != jobs.Complete {
			t.Fatalf("%+v", v.Job)
		}
	}
	cmd, s := serveAt("undisturbed")
	began := time.Now()
	make(s)
	took := time.Since(began)
	cmd.Process.Kill()
	cmd.Wait()
	want := madeBy(t, "undisturbed")
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range trials.Times(2) {
		runs := fmt.Sprint("killed", i)
		cmd, s := serveAt(runs)
		s.start(order)
		time.Sleep(time.Duration(rng.Float64() * float64(took)))
		cmd.Process.Kill()
		cmd.Wait()
		completeAreWhole(t, runs)
		cmd, s = serveAt(runs)
		make(s)
		cmd.Process.Kill()
		cmd.Wait()
		wantMade(t, runs, want)
	}
	noLitter(t)
}

// TestServeDay is a day of a server, compressed: readers look at pages while runs are started, twenty an hour. Nothing is
// lost, nobody gets an error, and memory does not grow. By day it is a quarter of an hour under twenty readers.
func TestServeDay(t *testing.T) {
	home(t)
	quarters := trials.Times(1) // of an hour; GAVEL_TRIALS=96 is a day
	readers := min(20*quarters, 200)
	s := serve(t, "--no-cache")
	stop := make(chan struct{})
	var all sync.WaitGroup
	var pages, refused atomic.Int64
	var newest atomic.Value
	newest.Store("none")
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
	for i := range readers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 2))
			for {
				run := newest.Load().(string)
				at := []string{"/", "/jobs", "/start", "/suites", "/runs/" + run, "/runs/" + run + "/items", "/api/v1/runs", "/api/v1/runs/" + run}[rng.IntN(8)]
				if resp, err := client.Get(s.url + at); err != nil {
					t.Errorf("%s: %v", at, err)
				} else {
					io.Copy(io.Discard, resp.Body)
					if resp.Body.Close(); resp.StatusCode >= 500 {
						refused.Add(1)
						t.Errorf("%s: %s", at, resp.Status)
					}
					pages.Add(1)
				}
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rng.IntN(50*readers)) * time.Millisecond): // 40 pages a second of all
				}
			}
		})
	}
	var least []uint64 // that was in use after each start
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
		least = append(least, in)
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
	early, late := slices.Min(least[starts/4:starts/2]), slices.Min(least[starts-starts/4:])
	if late > early+3<<20+uint64(starts/2)*24<<10 {
		t.Errorf("%d KiB are in use in the second quarter of the starts, %d in the last", early>>10, late>>10)
	}
	t.Logf("%d starts, %d readers, %d pages, %d errors, %.1f MiB in the second quarter, %.1f in the last", starts, readers, pages.Load(), refused.Load(), float64(early)/(1<<20), float64(late)/(1<<20))
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
