package cli

import (
	"os/exec"
	"testing"
	"time"
)

// TestFewFilesMayBeOpen: the idle connections of a run took all that "ulimit -n 40" allows, and its results could not be
// written.
func TestFewFilesMayBeOpen(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	home(t)
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		time.Sleep(100 * time.Millisecond) // so that as many are open as may be
		return prefersLonger(n, user)
	})
	cmd := process(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "64", "--out", "r")
	cmd.Args = append([]string{sh, "-c", `ulimit -n 40; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sh
	if out, err := cmd.CombinedOutput(); err != nil || j.calls.Load() != 64 || !done("r/results.json") {
		t.Errorf("%v after %d calls\n%s", err, j.calls.Load(), out)
	}
}
