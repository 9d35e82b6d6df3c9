package cli

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gavel/judging"
)

// TestCanariesNoLongerVouchForAServer: --canaries passed a server that mixes conversations up from its start. A command or a
// suite that has it goes on, is told once that it does nothing, and makes the run that it makes without.
func TestCanariesNoLongerVouchForAServer(t *testing.T) {
	home(t)
	before := "The second says more. [[B>A]]"
	j := newJudge(t, false, func(call int64, user string) (int, string) { // answers the conversation before
		said := before
		if _, after, ok := strings.Cut(user, "The word of this conversation is "); ok {
			before, _, _ = strings.Cut(after, ".")
		} else {
			_, before = prefersLonger(call, user)
		}
		return http.StatusOK, said
	})
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--no-cache"}
	mustCall(t, append(args, "--out", "plain")...)
	plain := j.calls.Load()
	before = "The second says more. [[B>A]]"
	_, stderr, code := call(t, append(args, "--out", "guarded", "--canaries", "8")...)
	const said = `--canaries was taken out and does nothing: "gavel doctor" tests whether the server mixes conversations up`
	if code != exitOK || strings.Count(stderr, said) != 1 {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	if n := j.calls.Load() - plain; n != plain {
		t.Errorf("%d calls with the flag, %d without", n, plain)
	}
	if read(t, "plain/results.json") != read(t, "guarded/results.json") {
		t.Error("the flag changes the results")
	}
	if stdout, _, _ := call(t, "run", "pairwise", "--help"); strings.Contains(stdout, "canaries") {
		t.Error("the help still offers it")
	}
	if stdout, _, _ := call(t, "run", "pairwise", "--", completing); strings.Contains(stdout, "canaries") {
		t.Error("completion still offers it")
	}
	suite := "name: both\ndefaults: {dataset: sample, limit: 4, canaries: 8}\njudges: [{backend: sim, model: coin}]\n" +
		"conditions: [{protocol: pairwise}, {protocol: reversed}]\n"
	if err := os.WriteFile("suite.yaml", []byte(suite), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "suite", "run", "suite.yaml"); code != exitOK || strings.Count(stderr, said) != 1 {
		t.Errorf("a suite: exit status %d\n%s", code, stderr)
	}
}

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
