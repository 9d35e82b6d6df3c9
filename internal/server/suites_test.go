package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// suiteOf makes the runs of a suite: two judges of whom one is better, a third
// that was not begun, and a fourth that is at work.
func suiteOf(t testing.TB, dir, folder string) *scoring.SuiteMatrix {
	t.Helper()
	suite := &scoring.SuiteMatrix{
		Name: "four judges", FileText: "name: four judges # </textarea><script>alert(1)</script>\n", Judges: []string{"good", "coin", "late", "busy"},
		Conditions: []scoring.SuiteCondition{{Name: "pairs", Protocol: "pairwise", Dataset: "sample", Prompt: "sop"}},
	}
	for _, j := range suite.Judges {
		suite.Cells = append(suite.Cells, scoring.SuiteCell{Judge: j, Condition: "pairs", Run: j + "_pairs"})
	}
	path := filepath.Join(dir, filepath.FromSlash(folder))
	makePairs(t, "right", path, "good_pairs")
	makePairs(t, "coin", path, "coin_pairs")
	makeRun(t, filepath.Join(path, "busy_pairs"), runSetup{sim: "coin", stop: 5})
	must(t, judging.WriteJSON(filepath.Join(path, scoring.SuiteRunsFile), suite))
	return suite
}

// A run that was ended before its first judgment has no place, one that fell
// silent no progress.
func TestSuiteOfEmptyRuns(t *testing.T) {
	dir := t.TempDir()
	suiteOf(t, dir, "suite")
	busy := filepath.Join(dir, "suite", "busy_pairs")
	s := newSite(t, dir, nil)
	old := testTime.Add(-time.Hour)
	must(t, os.Chtimes(filepath.Join(busy, judging.RecordsFile), old, old))
	var v SuiteView
	s.data("/api/v1/suites/suite", &v)
	if v.Progress != nil || !v.Runs[3].Stalled {
		t.Errorf("a run that fell silent: %+v", v.Runs[3])
	}
	changeManifest(t, busy, func(m *judging.Manifest) { m.Status = judging.Interrupted })
	must(t, os.WriteFile(filepath.Join(busy, judging.RecordsFile), nil, 0o644))
	s.data("/api/v1/suites/suite", &v)
	if c := v.Results.Conditions[0].Runs[3]; c.RankingIndex >= 0 || c.Status != judging.Interrupted || len(v.Results.Conditions[0].Rankings[0].Runs) != 2 {
		t.Errorf("a run without records: %+v", c)
	}
}
