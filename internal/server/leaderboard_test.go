package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/judging"
)

// boardRowsOf are the rows of a page's leaderboard in words, the heads first.
func boardRowsOf(t testing.TB, page string) (rows []string) {
	t.Helper()
	for _, tr := range elements(byID(t, page, "judges-table"), "tr") {
		var cells []string
		for _, cell := range slices.Concat(elements(tr, "th"), elements(tr, "td")) {
			cells = append(cells, strings.Join(strings.Fields(textOf(cell)), " "))
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	return rows
}

// changeManifest changes a run's manifest.
func changeManifest(t testing.TB, dir string, change func(m *judging.Manifest)) {
	t.Helper()
	m, err := judging.ReadManifest(dir)
	must(t, err)
	change(m)
	must(t, judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m))
}

func patient(o *Options) { o.pageWait = time.Minute }

// Nothing but the ranks waits for judges to be compared, and too many of them are not.
func TestRanksFollow(t *testing.T) {
	dir := judges(t)
	s := newSite(t, dir, func(o *Options) { o.pageWait = -1 })
	page := s.get("/")
	mustContain(t, page, "The differences between judges are being tested", "has the highest score", "No test of the differences")
	if rows := boardRowsOf(t, page); !strings.Contains(rows[1], "| – |") || strings.Contains(page, "b-first") {
		t.Errorf("ranks that nobody knows: %s", rows[1])
	}
	s.backgroundMemo.Wait()
	mustContain(t, s.get("/"), "judge best")
	for i := range maxTestedJudges {
		to := filepath.Join(dir, fmt.Sprint("more", i))
		copyRun(t, filepath.Join(dir, "good"), to, "sample")
		changeManifest(t, to, func(m *judging.Manifest) { m.Spec.Model.Name = fmt.Sprint("model ", i) })
	}
	s.runs.ForgetListing()
	page = s.get("/")
	mustContain(t, page, "of more than 100 judges the differences are not tested", "All 104 judges")
	if rows := boardRowsOf(t, page); len(rows) != 1+maxBoardRows {
		t.Errorf("%d rows", len(rows))
	}
	if rows := boardRowsOf(t, s.get("/?show=all")); len(rows) != 105 {
		t.Errorf("%d rows of all", len(rows))
	}
}

// TestPagesFinishByThemselves: a page waits for its answer; where that takes longer, it has itself loaded again,
// without scripts too, until the answer is there.
func TestPagesFinishByThemselves(t *testing.T) {
	for name, tc := range map[string]struct{ path, answer, pending string }{
		"ranks":               {"/", "judge best", "The differences between judges are being tested"},
		"copied run":          {"/", "sim:accuracy=0.95,seed=1", "Runs that are being scored: 1."},
		"hardest, copied run": {"/runs/other/items?by=judges", "sim:accuracy=0.95,seed=1", "The judges are being scored"},
		"sway":                {"/runs/leaning", "Biases", "The judge's biases are being computed"},
		"labels":              {"/", "Which judge agrees with your labels", "The agreement with the labels is being computed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := judges(t)
			labels := ""
			switch name {
			case "copied run", "hardest, copied run": // its files are younger than its results
				must(t, os.Remove(filepath.Join(dir, "good", judging.ResultsFile)))
			case "sway":
				makePairs(t, "accuracy=0.7,first=0.3", dir, "leaning")
			case "labels":
				labels = filepath.Join(dir, "labels.jsonl")
				write(t, labels, `{"item":"sample-knowledge-01","labeller":"me","label":"A"}`+"\n")
				must(t, os.RemoveAll(filepath.Join(dir, "suite"))) // of other data
			}
			for _, wait := range []time.Duration{-1, time.Minute} {
				s := newSite(t, dir, func(o *Options) { o.pageWait, o.Labels = wait, labels })
				page := s.get(tc.path)
				if wait < time.Second {
					mustContain(t, page, tc.pending)
					if head, _, _ := strings.Cut(page, "<body"); !strings.Contains(head, `http-equiv="refresh"`) ||
						!strings.Contains(page, "data-reload=") || strings.Contains(page, "oad the page again") {
						t.Error("it is not loaded again by itself")
					}
				}
				for wait < time.Second && strings.Contains(page, `http-equiv="refresh"`) {
					s.backgroundMemo.Wait()
					s.memo.Wait()
					page = s.get(tc.path)
				}
				mustContain(t, page, tc.answer)
				if strings.Contains(page, `http-equiv="refresh"`) || strings.Contains(page, "data-reload") {
					t.Error("a finished page is loaded again")
				}
			}
		})
	}
}
