package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gavel/judging"
)

// TestSuspectsOfAnEarlierGavel: a folder in which canaries once found foreign replies warns of them, and the same command
// asks for those judgments again, and for no others.
func TestSuspectsOfAnEarlierGavel(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--no-cache", "--out", "old"}
	mustCall(t, args...)
	want, calls := read(t, "old/results.json"), j.calls.Load()
	all := records(t, "old")
	m, err := judging.ReadManifest("old")
	if err != nil {
		t.Fatal(err)
	}
	m.Suspect, m.Status = all[len(all)/2].Ended(), judging.Incomplete
	if err := judging.WriteJSON("old/run.json", m); err != nil {
		t.Fatal(err)
	}
	suspects := int64(0)
	for _, r := range all {
		if !r.Ended().Before(m.Suspect) {
			suspects++
		}
	}
	shows(t, m.Suspect.Format(time.RFC3339)+" on may be of other prompts", "score", "old")
	plan := mustCall(t, append(args, "--dry-run", "--json")...)
	if standing := fmt.Sprintf(`"standing": %d,`, len(all)-int(suspects)); !strings.Contains(plan, standing) {
		t.Errorf("the plan has not %s\n%s", standing, plan)
	}
	mustCall(t, args...)
	if n := j.calls.Load() - calls; n != suspects || n == 0 {
		t.Errorf("%d judgments are asked again, want %d", n, suspects)
	}
	if m, err := judging.ReadManifest("old"); err != nil || !m.Suspect.IsZero() || m.Status != judging.Complete {
		t.Errorf("%+v, %v", m, err)
	}
	if read(t, "old/results.json") != want {
		t.Error("other results")
	}
}
