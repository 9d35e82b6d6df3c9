package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"gavel/judging"
	"gavel/scoring"
)

// TestRuns: the runs of a folder are listed by question, the best first, in 80 columns, and as JSON; what cannot be read
// comes last and says why.
func TestRuns(t *testing.T) {
	home(t)
	t.Setenv("COLUMNS", "80")
	if out, stderr, code := call(t, "runs"); code != 0 || out != "" || !strings.Contains(stderr, "no runs in runs yet") {
		t.Errorf("without runs: %d %q %q", code, out, stderr)
	}
	for _, args := range []string{
		"pairwise --model coin --dataset sample", "pairwise --model right --dataset sample",
		"answer --model right --dataset sample-choice",
	} {
		mustCall(t, append([]string{"run"}, strings.Fields(args+" --backend sim")...)...)
	}
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.8", "--dataset", "sample", "--out", "runs/half")
	m, err := judging.ReadManifest("runs/half")
	if err != nil {
		t.Fatal(err)
	}
	m.Status = judging.Interrupted
	if err := judging.WriteJSON("runs/half/run.json", m); err != nil {
		t.Fatal(err)
	}
	records := strings.SplitAfter(read(t, "runs/half/records.jsonl"), "\n")
	write(t, "runs/half/records.jsonl", strings.Join(records[:32], ""))
	if err := os.MkdirAll("runs/bad", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "runs/bad/run.json", "{")
	out := mustCall(t, "runs")
	last := -1
	for _, want := range []string{
		"pairwise · sample · 32 pairs · score: right in both orders\n", "●●● strong ", " 100 %  sim:right ",
		"sim:accurac", "interrupted at 50 %", "\n    runs/half\n", "sim:coin", "cannot be read\n  runs/bad: ",
	} {
		at := strings.Index(out, want)
		if at <= last {
			t.Errorf("%q stands at %d, after %d:\n%s", want, at, last, out)
		}
		last = at
	}
	if !strings.Contains(out, "answer · sample-choice") {
		t.Errorf("no answers in\n%s", out)
	}
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("too long for 80 columns: %s", line)
		}
	}
	if err := os.RemoveAll("runs/bad"); err != nil {
		t.Fatal(err)
	}
	scored := mustCall(t, "score", "runs")
	rest := scored
	for _, want := range []string{"pairwise · sample · 32 pairs · score: right in both orders\n", " sim:right", " sim:coin", "answer · sample-choice", "\nmore: "} {
		_, after, found := strings.Cut(rest, want)
		if rest = after; !found || strings.Contains(scored, " now") {
			t.Fatalf("scores of several protocols have no %q in its place:\n%s", want, scored)
		}
	}
	write(t, "runs/bad/run.json", "{")
	var listed struct{ Runs []listedRun }
	if err := json.Unmarshal([]byte(mustCall(t, "ls", "--json", "--runs", "runs")), &listed); err != nil || len(listed.Runs) != 5 {
		t.Fatalf("%d runs in JSON: %v", len(listed.Runs), err)
	}
	for _, r := range listed.Runs {
		switch {
		case r.Run == filepath.Join("runs", "bad"):
			if r.Status != unreadableRun || r.Error == "" {
				t.Errorf("the damaged run: %+v", r)
			}
		case r.Run == filepath.Join("runs", "half"):
			if r.Judgments != 32 || r.Expected != 64 {
				t.Errorf("half a run: %+v", r)
			}
		case r.Model == "sim:right" && r.Protocol == "pairwise":
			if r.Level != scoring.Strong || r.Headline == nil || *r.Headline.Value != 100 || r.Coverage == nil ||
				*r.Coverage.Value != 100 || *r.RightWhereAlike.Value != 100 {
				t.Errorf("a judge that is right: %+v", r)
			}
		}
	}
	if alone := mustCall(t, "runs", "runs/half"); !strings.Contains(alone, "\n    runs/half\n") || strings.Contains(alone, "sim:coin") {
		t.Errorf("one run: %s", alone)
	}
	for args, want := range map[string]string{
		"runs nosuch":           "the folder of runs: nosuch: no such file or directory",
		"runs a b":              "expected one DIR, not 2",
		"runs runs --runs runs": "DIR and --runs are the same",
		"ls --rnus x":           "unknown flag --rnus, did you mean --runs?",
	} {
		ends(t, anyFailure, want, strings.Fields(args)...)
	}
}

// TestRunsFit: a line of a long name and of a run that was interrupted a while ago fits 80 columns.
func TestRunsFit(t *testing.T) {
	e := &env{columns: 80}
	for _, line := range e.aligned([][]string{
		{"good for", "score", "kept", "judge", ""},
		{"··· unknown", "100 [90, 100]", "100 %", "sim:accuracy=0.8", "interrupted at 50 % · 11 minutes ago"},
	}) {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
