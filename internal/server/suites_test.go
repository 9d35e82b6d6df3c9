package server

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// suiteOf makes the runs of a suite: two judges of whom one is better, a third
// that was not begun, and a fourth that is at work.
func suiteOf(t testing.TB, dir, folder string) *scoring.Suite {
	t.Helper()
	suite := &scoring.Suite{
		Name: "four judges", File: "name: four judges # </textarea><script>alert(1)</script>\n", Judges: []string{"good", "coin", "late", "busy"},
		Conditions: []scoring.SuiteCondition{{Name: "pairs", Protocol: "pairwise", Dataset: "sample", Prompt: "sop"}},
	}
	for _, j := range suite.Judges {
		suite.Cells = append(suite.Cells, scoring.SuiteCell{Judge: j, Condition: "pairs", Run: j + "_pairs"})
	}
	at := filepath.Join(dir, filepath.FromSlash(folder))
	makePairs(t, "right", at, "good_pairs")
	makePairs(t, "coin", at, "coin_pairs")
	makeRun(t, filepath.Join(at, "busy_pairs"), making{sim: "coin", stop: 5})
	must(t, judging.WriteJSON(filepath.Join(at, scoring.SuiteFile), suite))
	return suite
}

func TestSuitePages(t *testing.T) {
	dir := t.TempDir()
	suite := suiteOf(t, dir, "deep/suite")
	s := newSite(t, dir, running(&fakeRunner{}))
	says(t, s.get("/suites"), "deep/suite", "good, coin, late, busy", "2 complete", "1 running", "1 not begun")
	page := s.get("/suites/deep%2Fsuite")
	says(t, page, "4 judges × 1 condition", "strict", "Holm's correction", "not begun", "In progress: deep/suite/busy_pairs", "5/64", "Continue")
	harmlessPage(t, "a suite", page)

	var v SuiteView
	s.data("/api/v1/suites/deep%2Fsuite", &v)
	cells := v.Results.Conditions[0].Cells
	if len(v.Runs) != 4 || len(cells) != 4 || cells[0].Answered != 64 || cells[2].Status != report.NotBegun || cells[3].Status != judging.Running || cells[3].Place >= 0 {
		t.Errorf("runs %+v, cells %+v", v.Runs, cells)
	}
	letters := v.Results.Conditions[0].Rankings[0].Runs
	if letters[0].Letters != "a" || letters[1].Letters != "b" {
		t.Errorf("a judge that is right and a coin: %+v", letters)
	}
	if v.Progress == nil || v.Progress.Run != "deep/suite/busy_pairs" || v.Progress.Done != 5 {
		t.Errorf("progress %+v", v.Progress)
	}

	// What nobody changed is not worked out again; what was, is.
	ranking := func() *report.Ranking {
		w, err := s.suiteView(suiteRequest("deep/suite"))
		must(t, err)
		return w.Results
	}
	if first := ranking(); ranking() != first {
		t.Error("the results were worked out again")
	}
	must(t, os.RemoveAll(filepath.Join(dir, "deep", "suite", "coin_pairs")))
	s.data("/api/v1/suites/deep%2Fsuite", &v)
	if c := v.Results.Conditions[0].Cells[1]; c.Status != report.NotBegun || len(v.Results.Conditions[0].Rankings[0].Runs) != 1 {
		t.Errorf("a run that was deleted: %+v", c)
	}
	// A record less, and another name for the same condition.
	records := filepath.Join(dir, "deep", "suite", "good_pairs", judging.RecordsFile)
	text, err := os.ReadFile(records)
	must(t, err)
	must(t, os.WriteFile(records, text[:strings.LastIndexByte(strings.TrimSpace(string(text)), '\n')+1], 0o644))
	s.data("/api/v1/suites/deep%2Fsuite", &v)
	if c := v.Results.Conditions[0].Cells[0]; c.Answered != 63 {
		t.Errorf("a record less: %+v", c)
	}
	suite.Conditions[0].Options = "another"
	must(t, judging.WriteJSON(filepath.Join(dir, "deep", "suite", scoring.SuiteFile), suite))
	s.data("/api/v1/suites/deep%2Fsuite", &v)
	if c := v.Results.Conditions[0]; c.Options != "another" {
		t.Errorf("a suite that was changed: %+v", c)
	}
}

// A run that was ended before its first judgment has no place, one that fell
// silent no progress.
func TestSuiteOfEmptyRuns(t *testing.T) {
	dir := t.TempDir()
	suiteOf(t, dir, "suite")
	busy := filepath.Join(dir, "suite", "busy_pairs")
	s := newSite(t, dir, nil)
	old := begun.Add(-time.Hour)
	must(t, os.Chtimes(filepath.Join(busy, judging.RecordsFile), old, old))
	var v SuiteView
	s.data("/api/v1/suites/suite", &v)
	if v.Progress != nil || !v.Runs[3].Stalled {
		t.Errorf("a run that fell silent: %+v", v.Runs[3])
	}
	changeManifest(t, busy, func(m *judging.Manifest) { m.Status = judging.Interrupted })
	must(t, os.WriteFile(filepath.Join(busy, judging.RecordsFile), nil, 0o644))
	s.data("/api/v1/suites/suite", &v)
	if c := v.Results.Conditions[0].Cells[3]; c.Place >= 0 || c.Status != judging.Interrupted || len(v.Results.Conditions[0].Rankings[0].Runs) != 2 {
		t.Errorf("a run without records: %+v", c)
	}
}

// suiteRequest asks for the page of a suite.
func suiteRequest(folder string) *http.Request {
	r := httptest.NewRequest("GET", "/suites/"+escaped(folder), nil)
	r.SetPathValue("suite", folder)
	return r
}
