package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
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

// A suite's file leads nowhere else, whatever it says.
func TestSuiteFilesThatLie(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	makePairs(t, "right", outside, "run")
	good := suiteOf(t, dir, "suite")
	s := newSite(t, dir, nil)
	for name, run := range map[string]string{
		"above": "../x", "absolute": filepath.Join(outside, "run"), "deeper": "a/b", "hidden": ".lock", "empty": "", "backslash": `..\x`, "zero": "a\x00b", "drive": "C:x",
	} {
		bad := *good
		bad.Cells = []scoring.SuiteCell{{Judge: "good", Condition: "pairs", Run: run}}
		must(t, judging.WriteJSON(filepath.Join(dir, "suite", scoring.SuiteFile), bad))
		if w := s.ask("GET", "/api/v1/suites/suite", ""); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "damaged") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	says(t, s.get("/suites"), "damaged")
	must(t, os.Remove(filepath.Join(dir, "suite", scoring.SuiteFile)))
	if err := os.Symlink(filepath.Join(outside, "run"), filepath.Join(dir, "suite", "link")); err != nil {
		t.Skip(err)
	}
	linked := *good
	linked.Cells = []scoring.SuiteCell{{Judge: "good", Condition: "pairs", Run: "link"}}
	must(t, judging.WriteJSON(filepath.Join(dir, "suite", scoring.SuiteFile), linked))
	var v SuiteView
	s.data("/api/v1/suites/suite", &v)
	if v.Results != nil && v.Results.Conditions[0].Cells[0].Place >= 0 {
		t.Errorf("a link out of the folder was read: %+v", v.Results.Conditions[0].Cells)
	}
	if w := s.ask("GET", "/suites/..%2F..", ""); w.Code != http.StatusNotFound {
		t.Errorf("a name that leads out: %d", w.Code)
	}
}

func TestDeleteSuiteNeedsConfirmation(t *testing.T) {
	dir := t.TempDir()
	suiteOf(t, dir, "deep/suite")
	write(t, filepath.Join(dir, "torn", scoring.SuiteFile), "{")
	fake := &fakeRunner{}
	s := newSite(t, dir, running(fake))
	says(t, s.get("/suites/deep%2Fsuite"), "Delete this suite")
	if code, _, _ := s.post("/suites/deep%2Fsuite/delete", url.Values{"confirm": {"suite"}}); code != 400 || len(fake.deleted) != 0 {
		t.Errorf("without: %d, deleted %v", code, fake.deleted)
	}
	if code, _, to := s.post("/suites/deep%2Fsuite/delete", url.Values{"confirm": {"deep/suite"}}); code != 303 || to != "/suites" || len(fake.deleted) != 1 || fake.deleted[0] != "suite deep/suite" {
		t.Errorf("with: %d, deleted %v", code, fake.deleted)
	}
	says(t, s.get("/suites"), "Delete this suite")
	if code, _, _ := s.post("/suites/torn/delete", url.Values{"confirm": {"torn"}}); code != 303 {
		t.Errorf("of a damaged suite: %d", code)
	}
	for _, none := range []string{"none", "deep"} {
		if code, _, _ := s.post("/suites/"+none+"/delete", url.Values{"confirm": {none}}); code != 404 || len(fake.deleted) != 2 {
			t.Errorf("of no suite: %d, deleted %v", code, fake.deleted)
		}
	}
	alone := newSite(t, dir, nil)
	if strings.Contains(alone.get("/suites"), "Delete this suite") {
		t.Error("on a server that only shows a suite can be deleted")
	}
}

// suiteRequest asks for the page of a suite.
func suiteRequest(folder string) *http.Request {
	r := httptest.NewRequest("GET", "/suites/"+escaped(folder), nil)
	r.SetPathValue("suite", folder)
	return r
}

// TestResumeSuiteForm: a suite with runs that are not complete is gone on with from its page.
func TestResumeSuiteForm(t *testing.T) {
	dir := t.TempDir()
	suiteOf(t, dir, "deep/suite")
	fake := &fakeRunner{}
	s := newSite(t, dir, running(fake))
	if page := s.get("/suites/deep%2Fsuite"); !strings.Contains(page, `action="/suites/deep%2Fsuite/resume"`) {
		t.Error("the page of a suite does not offer to continue it")
	}
	code, _, to := s.post("/suites/deep%2Fsuite/resume", nil)
	if code != 303 || to != "/jobs/job2" {
		t.Fatalf("%d to %q", code, to)
	}
	if order := fake.jobs[0].Request; order.Get("folder") != "deep/suite" || !strings.Contains(order.Get("file"), "name: four judges") {
		t.Errorf("ordered %v", order)
	}
	says(t, s.get("/jobs/job2"), "The suite is being prepared: its page follows. planned")
	fake.jobs[0].State, fake.jobs[0].Ended = jobs.Stopped, begun
	if page := s.get("/jobs/job2"); strings.Contains(page, `id="resume"`) {
		t.Error("the job of a suite is gone on with as a run")
	}
	if code, _, _ := s.post("/suites/none/resume", nil); code != http.StatusNotFound {
		t.Errorf("of no suite: %d", code)
	}
	fake.fails = failure.Conflict("it is being made")
	if code, page, _ := s.post("/suites/deep%2Fsuite/resume", nil); code != http.StatusConflict || !strings.Contains(page, "it is being made") {
		t.Errorf("of one that is being made: %d", code)
	}
	if strings.Contains(newSite(t, dir, nil).get("/suites/deep%2Fsuite"), "Continue") {
		t.Error("a server that only shows offers to go on with it")
	}
}
