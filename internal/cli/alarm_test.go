package cli

import (
	"net/http"
	"strings"
	"testing"

	"gavel/judging"
)

// A run of a judge that always says the same tells so early, and ends there only where it was told to.
func TestAlarm(t *testing.T) {
	home(t)
	const says = `alarm: 20 of 20 replies have no verdict`
	args := []string{"run", "pairwise", "--backend", "sim", "--model", "silent", "--dataset", "sample", "--concurrency", "1"}
	_, stderr, code := call(t, append(args, "--out", "whole")...)
	if code != 0 || strings.Count(stderr, says) != 1 {
		t.Errorf("without the flag: exit status %d\n%s", code, stderr)
	}
	_, stderr, code = call(t, append(args, "--out", "stopped", "--stop-on-alarm")...)
	m, err := judging.ReadManifest("stopped")
	if err != nil || code != 3 || m.Status != judging.Incomplete || !strings.Contains(stderr, says) || !strings.Contains(stderr, "judgments are left") {
		t.Errorf("with the flag: exit status %d, %v\n%s", code, err, stderr)
	}
	mustCall(t, append(args, "--out", "stopped")...)
	if _, stderr, code = call(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--out", "right", "--stop-on-alarm"); code != 0 || strings.Contains(stderr, "alarm") {
		t.Errorf("a good judge: exit status %d\n%s", code, stderr)
	}
}

// A judge whose words are read for the scores, though not as published, gives verdicts: nothing said while it is asked
// contradicts the end.
func TestNoAlarmOfWhatIsRead(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(int64, string) (int, string) { return http.StatusOK, "The answer is **B**" })
	stdout, stderr, code := call(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "12",
		"--concurrency", "1")
	if code != 0 || strings.Contains(stderr, "no-verdict") || strings.Contains(stderr, "have no verdict") ||
		!strings.Contains(stderr, "20 of 20 verdicts are") {
		t.Errorf("exit status %d\n%s\n%s", code, stderr, stdout)
	}
}
