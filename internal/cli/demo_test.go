package cli

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/golden"

	"gavel/judging"
	"gavel/scoring"
)

// TestDemo: the demo to the byte, twice the same, on one screen; its runs say that they are imported.
func TestDemo(t *testing.T) {
	allRounds(t)
	home(t)
	out := mustCall(t, "demo", "--out", "d")
	golden.Assert(t, out, filepath.Join(sourceDir, "testdata", "demo.txt"))
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) > 30 {
		t.Errorf("%d lines, at most 30", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("more than 80 columns: %s", line)
		}
	}
	if mustCall(t, "demo", "--out", "d") != out {
		t.Error("the demo into the same folder differs")
	}
	folders, err := filepath.Glob(filepath.Join("d", "*", judging.ResultsFile))
	if err != nil || len(folders) != 11 {
		t.Fatalf("%d runs (%v)", len(folders), err)
	}
	for _, path := range folders {
		if m := manifest(t, filepath.Dir(path)); m.Simulated || m.Imported == "" {
			t.Errorf("%s: simulated %t, imported %q", path, m.Simulated, m.Imported)
		}
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "gavel")); err == nil {
		t.Error("the demo touched the cache")
	}
}

// TestDemoScoresOnTheSpot: what the demo says of a judge is what gavel score says of its run.
func TestDemoScoresOnTheSpot(t *testing.T) {
	home(t)
	out := mustCall(t, "demo", "--out", "d")
	var scores struct{ Runs []scoring.Report }
	parse(t, mustCall(t, "score", "--json", "d"), &scores)
	if len(scores.Runs) != 11 {
		t.Fatalf("%d runs, want 11", len(scores.Runs))
	}
	for _, r := range scores.Runs {
		strict := r.Overall("strict")
		coverage := r.Overall("coverage")
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^[0-9–]+ +%s\*? +.{3} %s +%.0f \[%.0f, %.0f\] +[0-9]+ +%.0f +[0-9]+$`,
			regexp.QuoteMeta(r.Model), r.Diagnosis.Level, *strict.Value, *strict.Low, *strict.High, *coverage.Value))
		if !row.MatchString(out) {
			t.Errorf("no line %s in\n%s", row, out)
		}
	}
}

// TestDemoServes: the runs of the demo are shown, and gone afterwards.
func TestDemoServes(t *testing.T) {
	home(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := begin(t, "demo", "--serve")
	if code, page := s.ask("GET", "/", nil, nil); code != http.StatusOK || !strings.Contains(page, "Llama-3.1-405B") {
		t.Errorf("%d\n%s", code, page)
	}
	s.end()
	if files, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}
