package cli

import (
	"fmt"
	"gavel/internal/trials"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// process starts gavel as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = os.Environ()
	return cmd
}

// TestKill: killed at many moments, the same command goes on; the end is the
// same, and no call but those in flight was asked twice.
func TestKill(t *testing.T) {
	dir := home(t)
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		time.Sleep(2 * time.Millisecond)
		return prefersLonger(n, user)
	})
	const concurrency, kills = 4, 8
	for round := range trials.Times(1) {
		killAndGoOn(t, dir, j, fmt.Sprint("r", round), concurrency, kills)
	}
}

func killAndGoOn(t *testing.T, dir string, j *judge, run string, concurrency, kills int) {
	before, killed := j.calls.Load(), 0
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", fmt.Sprint(concurrency), "--cache", "c-" + run, "--out", run}
	for i := range kills {
		cmd := process(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		target := j.calls.Load() + int64(1+i)
		for j.calls.Load() < target && !done(filepath.Join(dir, run, "results.json")) {
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		killed++
	}
	if out, err := process(t, args...).CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := j.calls.Load() - before; n > int64(64+killed*concurrency) {
		t.Errorf("%d calls for 64 judgments and %d kills of at most %d in flight", n, killed, concurrency)
	}
	if n := strings.Count(read(t, run+"/records.jsonl"), "\n"); n != 64 {
		t.Errorf("%d records for 64 judgments", n)
	}
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--no-cache", "--out", "undisturbed-"+run)
	if read(t, run+"/results.json") != read(t, "undisturbed-"+run+"/results.json") {
		t.Error("results.json differs from that of an undisturbed run")
	}
}

func done(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
