package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gavel/internal/eval"
	"gavel/internal/server/failure"
	"gavel/judging"
)

// ok ends the test where something that was only prepared went wrong.
func ok(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestTwoDelete: of several who delete the same one does, and the others are told that it is gone. The cache that a shard
// has goes with it.
func TestTwoDelete(t *testing.T) {
	r := newManager(t, Options{})
	for range 20 {
		for _, run := range []string{"s/a", "s/b", "c"} {
			ok(t, os.MkdirAll("runs/"+run+"/.cache", 0o755), os.WriteFile("runs/"+run+"/run.json", []byte("{}"), 0o644))
		}
		ok(t, os.MkdirAll("runs/s/.cache/replies", 0o755), os.WriteFile("runs/s/suite.json", []byte("{}"), 0o644))
		for what, remove := range map[string]func() error{"suite": func() error { return r.DeleteSuite("s") }, "run": func() error { return r.Delete("c") }} {
			errs := make([]error, 4)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = remove() })
			}
			all.Wait()
			done := 0
			for _, err := range errs {
				switch {
				case err == nil:
					done++
				case failure.Status(err) != http.StatusNotFound && failure.Status(err) != http.StatusConflict:
					t.Errorf("%s: %v", what, err)
				}
			}
			if done != 1 {
				t.Errorf("%s: deleted %d times: %v", what, done, errs)
			}
		}
		if rest, _ := os.ReadDir("runs"); len(rest) > 0 {
			t.Fatalf("left: %v", rest)
		}
	}
}

// TestOrdersAtOnce has plans, suites and runs ordered at the same time; it is the race detector that looks.
func TestOrdersAtOnce(t *testing.T) {
	r := newManager(t, Options{NoCache: true})
	r.MaxActive = 100
	var all sync.WaitGroup
	for i := range 8 {
		run := pairs(i + 1)
		file := JobRequest{"file": {fmt.Sprintf("out: runs/s%d\njudges: [{model: coin, backend: sim}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 2}]\n", i)}}
		for what, order := range map[string]func(context.Context) error{
			"a plan":       func(ctx context.Context) error { _, err := r.Plan(ctx, run); return err },
			"a run":        func(ctx context.Context) error { _, err := r.Start(ctx, run); return err },
			"a suite":      func(ctx context.Context) error { _, err := r.StartSuite(ctx, file); return err },
			"its plan":     func(ctx context.Context) error { _, err := r.PlanSuite(ctx, file); return err },
			"what to have": func(ctx context.Context) error { _, err := r.Offer(ctx, "pairwise"); return err },
		} {
			all.Go(func() {
				if err := order(t.Context()); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
	}
	all.Wait()
	r.Wait()
	for _, j := range r.Jobs() {
		if j.State != Complete {
			t.Errorf("%+v", j)
		}
	}
}

// TestSweepOfAServer: what a killed server and its runs left is gone when the next one starts; other files stay.
func TestSweepOfAServer(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, os.MkdirAll("runs/s/a", 0o755), os.MkdirAll("runs/s/.deleted-xyabcdefgh/deep", 0o755))
	ok(t, os.MkdirAll("runs/.deleted-by-hand", 0o755))
	if err := os.Symlink("runs", "link"); err != nil {
		t.Skip(err)
	}
	stays := []string{"runs/.deleted-by-hand/notes", "runs/s/a/.lock", "runs/s/a/records.jsonl", "runs/.note-1"}
	goes := []string{"runs/s/a/.results.json-17", "runs/s/.suite.json-4", "runs/s/.deleted-xyabcdefgh/records.jsonl", "runs/s/a/.items.jsonl-part"}
	for _, name := range append(stays, goes...) {
		ok(t, os.WriteFile(name, nil, 0o644))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	removeLeftovers(ctx, "link")
	for _, name := range stays {
		_, err := os.Stat(name)
		ok(t, err)
	}
	for _, name := range goes {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestRunsThatAreNamed: a run that a request names is a plain one of the folder.
func TestRunsThatAreNamed(t *testing.T) {
	r := newManager(t, Options{NoCache: true})
	r.RunListShows = func(run string) bool { return !strings.HasPrefix(run, ".") }
	for _, dir := range []string{"runs/a", "runs/.b", "elsewhere", "runs/d"} {
		ok(t, os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/run.json", []byte(`{"schema":1,"id":"x"}`), 0o644))
	}
	if err := errors.Join(os.Symlink("../elsewhere", "runs/c"), os.Symlink("../../elsewhere/run.json", "runs/d/records.jsonl")); err != nil {
		t.Skip(err)
	}
	protocol, err := judging.ProtocolNamed("self-reference")
	ok(t, err)
	reference, _ := eval.FieldNamed(protocol, "reference")
	for name, may := range map[string]bool{"a": true, ".b": false, "c": false, "d": false} {
		if _, err := r.runFolder("agents", name); (err == nil) != may {
			t.Errorf("%s: %v", name, err)
		}
		// a reference is a kind or such a run, in a request and in that which repeats it
		dir, err := r.requestValue(t.Context(), protocol, reference, name)
		if (err == nil) != may || may && dir != filepath.Join(r.runsFolder, name) {
			t.Errorf("reference %s: %s, %v", name, dir, err)
		}
	}
	for value, want := range map[string]string{"gold": "gold", filepath.Join(r.runsFolder, "a"): "a"} {
		previous := eval.NewRequest(protocol)
		previous.Options = judging.Settings{"reference": value}
		previous.Endpoint = eval.SimulatedEndpoint
		request, err := r.toJobRequest(t.Context(), previous)
		if err != nil || request.Get("reference") != want {
			t.Errorf("reference %s: %v, %v", value, request, err)
		}
	}
	if value, err := r.requestValue(t.Context(), protocol, reference, "gold"); value != "gold" || err != nil {
		t.Errorf("%s, %v", value, err)
	}
}
