package cli

import (
	"fmt"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// TestUntil: the run ends when the question is answered, the exit status says how, results say what ended it; without the
// question the same run goes on to what it would have come to.
func TestUntil(t *testing.T) {
	home(t)
	s := newRacers(t, map[string]float64{"good": 0.9})
	file := s.aRace(t, "x", 300, "good")
	args := func(out string, more ...string) []string {
		return append([]string{"run", "pairwise", "--model", "good", "--base-url", s.URL, "--dataset", strings.Replace(file, ".yaml", ".jsonl", 1), "--prompt", "direct", "--attempts", "1", "--concurrency", "3", "--no-cache", "--out", out}, more...)
	}
	mustCall(t, args("whole")...)
	for _, c := range []struct {
		question, says string
		code, most     int // calls
	}{
		{"strict>=60", "surely so, after", exitOK, 150}, {"strict<=60", "surely not so, after", exitRefuted, 150},
		{"strict>=99", "surely not so", exitRefuted, 300}, {"strict>=90", "not decided after 300 of 300 items", exitUndecided, 600},
	} {
		s.forget()
		out := fmt.Sprintf("r%d", len(c.question)+c.code+c.most)
		stdout, stderr, code := call(t, args(out, "--until", c.question, "--json")...)
		n, _ := s.calls()
		if code != c.code || !strings.Contains(stderr, c.says) || n > c.most {
			t.Errorf("%s: exit %d after %d calls, want %d and at most %d\n%s", c.question, code, n, c.code, c.most, stderr)
		}
		var got report.Scores
		parse(t, stdout, &got)
		if stopped := got.Runs[0].Stopped; (c.code == exitUndecided) != (stopped == nil) || stopped != nil && (stopped.Rule != "until "+c.question || stopped.Alpha > 0.0501 || stopped.Looks != stopped.Items || stopped.Items > n/2 || got.Runs[0].Results[0].Interval != "beta-binomial-sequence") {
			t.Errorf("%s: %+v, %+v", c.question, stopped, got.Runs[0].Results[0])
		}
		s.forget()
		ends(t, c.code, c.says, args(out, "--until", c.question)...)
		if n, _ := s.calls(); n > 0 {
			t.Errorf("%s again: %d calls", c.question, n)
		}
		for _, command := range []string{"sway", "agree"} { // their intervals are not those of a run that is looked at
			if said := mustCall(t, command, out); strings.Contains(said, scoring.LookedAt) != (c.code != exitUndecided) {
				t.Errorf("%s: gavel %s says\n%s", c.question, command, said)
			}
		}
		mustCall(t, args(out)...)
		if read(t, out+"/results.json") != read(t, "whole/results.json") {
			t.Errorf("%s: gone on with, the run comes to something else", c.question)
		}
		if m, err := judging.ReadManifest(out); err != nil || m.Stopped != nil || m.DrawnBy != nil || m.Status != judging.Complete {
			t.Errorf("%v %+v", err, m)
		}
	}
	ends(t, exitUsage, `cannot use the metric "f1"`, args("r", "--until", "f1>=60")...)
}

// TestUntilInSuite: a suite's runs end by their question; the suite is no gate, and asks nothing twice.
func TestUntilInSuite(t *testing.T) {
	home(t)
	s := newRacers(t, map[string]float64{"good": 0.9, "coin": 0.5})
	file := s.aRace(t, "x", 200, "good", "coin")
	write(t, file, strings.Replace(read(t, file), "{protocol: pairwise}", "{protocol: pairwise, until: strict>=70}", 1))
	out := mustCall(t, "suite", "run", file, "--full")
	n, _ := s.calls()
	if n > 400 || !strings.Contains(out, "e-value") || !strings.Contains(out, "(stopped)") {
		t.Errorf("%d calls\n%s", n, out)
	}
	mustCall(t, "suite", "run", file)
	if again, _ := s.calls(); again != n {
		t.Errorf("%d calls for a suite whose questions are answered", again-n)
	}
}
