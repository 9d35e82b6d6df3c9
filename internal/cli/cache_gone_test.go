package cli

import (
	"os"
	"strings"
	"testing"
)

// The folder of the cache vanishes while a run goes: the run ends as it would,
// and does not wait for the cache.
func TestCacheVanishes(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(call int64, _ string) (int, string) {
		if call == 20 {
			os.RemoveAll("replies")
		}
		return 200, "My verdict: [[A>B]]"
	})
	_, stderr, code := call(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--cache", "replies", "--out", "run")
	warning := "warning: cache replies is not used any more, and replies are not remembered: its " // where it was seen half gone, its files
	if code != 0 || strings.Count(stderr, "cache replies") != 1 || !strings.Contains(stderr, warning+"folder is gone") && !strings.Contains(stderr, warning+"files are gone") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	if n := len(records(t, "run")); n != 64 {
		t.Errorf("%d records", n)
	}
}
