package server

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"gavel/judging"
)

// judges are runs of known simulated judges on two datasets.
func judges(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, setup := range map[string]runSetup{
		"good":         {protocol: "pairwise", dataset: "sample", sim: "accuracy=0.95,seed=1"},
		"other":        {protocol: "pairwise", dataset: "sample", sim: "accuracy=0.9,seed=2"},
		"silent":       {protocol: "pairwise", dataset: "sample", sim: "silent"},
		"suite/first":  {protocol: "pairwise", dataset: "sample", sim: "first"},
		"suite/choice": {protocol: "answer", dataset: "sample-choice", sim: "accuracy=0.6,seed=1"},
	} {
		makeRun(t, filepath.Join(dir, filepath.FromSlash(name)), setup)
	}
	write(t, filepath.Join(dir, "suite", "suite.json"), `{"suite": "s", "judges": ["a"], "conditions": [{"condition": "c"}]}`)
	return dir
}

// copyRun makes another run of one, with another dataset's name.
func copyRun(t testing.TB, from, to, dataset string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
	changeManifest(t, to, func(m *judging.Manifest) { m.Dataset.Name = dataset })
}

// TestTheAPIGivesRunsInParts: 10,000 runs were one answer of 18.7 MB.
func TestTheAPIGivesRunsInParts(t *testing.T) {
	view := runsView{Runs: make([]RunRow, 10*maxAPIRuns)}
	r := httptest.NewRequest("GET", "/api/v1/runs?q=a+b", nil)
	if err := view.paginate(r); err != nil || len(view.Runs) != maxAPIRuns || view.Next != "/api/v1/runs?limit=1000&offset=1000&q=a+b" {
		t.Errorf("%d runs at once, next %q, %v", len(view.Runs), view.Next, err)
	}
}

func TestRunsArePaged(t *testing.T) {
	dir := judges(t)
	for i := range runsPerPage {
		copyRun(t, filepath.Join(dir, "good"), filepath.Join(dir, fmt.Sprintf("copy%03d", i)), "sample")
	}
	s := newSite(t, dir, nil)
	rows := func(page string) int { return len(elements(byID(t, page, "runs"), "time")) }
	if n := rows(s.get("/runs?sort=name")); n != runsPerPage {
		t.Errorf("%d runs on the first page", n)
	}
	if n := rows(s.get("/runs?sort=name&page=2")); n != 5 {
		t.Errorf("%d runs on the second page", n)
	}
}
