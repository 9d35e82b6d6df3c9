package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/datasets"
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

// TestJudgesMeetOnTheSameItems: on a leaderboard are the judges of the same items by id, text and label, whatever file
// these come from and whatever each judge has answered itself; where one judged fewer, all are scored on these.
func TestJudgesMeetOnTheSameItems(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(lines []string) []string // of the second run's items
		whole  int                           // judges on the leaderboard of the first run
		judges int                           // and on that of the second
		n      int                           // items of that
	}{
		{name: "the same", change: slices.Clone[[]string], whole: 2, judges: 2, n: 32},
		{name: "another order", whole: 2, judges: 2, n: 32, change: func(lines []string) []string {
			slices.Reverse(lines)
			return lines
		}},
		{name: "own answers", whole: 2, judges: 2, n: 32, change: func(lines []string) []string {
			for i, line := range lines {
				lines[i] = strings.TrimSuffix(line, "}") + fmt.Sprintf(`,"own_answer":{"text":"mine %d"}}`, i)
			}
			return lines
		}},
		{name: "one left out by a stage", whole: 2, judges: 2, n: 31, change: func(lines []string) []string {
			return lines[1:]
		}},
		{name: "a part", whole: 1, judges: 2, n: 8, change: func(lines []string) []string { return lines[:8] }},
		{name: "other texts", whole: 1, judges: 1, n: 32, change: func(lines []string) []string {
			for i, line := range lines {
				lines[i] = strings.Replace(line, `"question": "`, `"question": "Now: `, 1)
			}
			return lines
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			makePairs(t, "accuracy=0.9,seed=1", dir, "a")
			makePairs(t, "accuracy=0.9,seed=2", dir, "b")
			withItems(t, filepath.Join(dir, "b"), c.change)
			s := newSite(t, dir, patient)
			board := func(dataset string) (v leaderboardView) {
				for {
					s.data("/api/v1/leaderboard?dataset="+dataset, &v)
					if v.Scoring == 0 {
						return v
					}
					s.background.Wait()
					v = leaderboardView{}
				}
			}
			if v := board("sample"); len(v.Board.Rows) != c.whole {
				t.Errorf("%d judges on the leaderboard of the first run", len(v.Board.Rows))
			}
			v := board("other")
			if len(v.Board.Rows) != c.judges || v.Items != c.n {
				t.Errorf("%d judges of %d items", len(v.Board.Rows), v.Items)
			}
			for _, row := range v.Board.Rows {
				if row.Headline.N != c.n {
					t.Errorf("%s is scored on %d items", row.Name, row.Headline.N)
				}
			}
			if c.judges == 2 {
				says(t, s.get("/runs/b"), "of 2 judges here")
				says(t, s.get(s.ask("GET", "/hardest?dataset=other", "").Header().Get("Location")), fmt.Sprintf("%d pairs", c.n))
			}
		})
	}
}

// TestHardestOfPartsFollows: of judges who each lack another item, the page waits until they are scored on the same ones.
func TestHardestOfPartsFollows(t *testing.T) {
	dir := t.TempDir()
	for i, run := range []string{"a", "b"} {
		makePairs(t, fmt.Sprintf("accuracy=0.9,seed=%d", i), dir, run)
		withItems(t, filepath.Join(dir, run), func(lines []string) []string { return slices.Delete(lines, i, i+1) })
		changeManifest(t, filepath.Join(dir, run), func(m *judging.Manifest) { m.Spec.Dataset.IDs = run })
	}
	s := newSite(t, dir, func(o *Options) { o.pageWait = -1 })
	says(t, s.get("/runs/a/items?by=judges"), "The judges are being scored")
	for range 3 {
		s.background.Wait()
		s.get("/runs/a/items?by=judges")
	}
	says(t, s.get("/runs/a/items?by=judges"), "30 pairs")
}

// withItems gives a run other items, of another dataset, and takes away the records of those that are left out.
func withItems(t *testing.T, dir string, change func(lines []string) []string) {
	t.Helper()
	read := func(file string) []string {
		text, err := os.ReadFile(filepath.Join(dir, file))
		must(t, err)
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	write := func(file string, lines []string) {
		must(t, os.Remove(filepath.Join(dir, file))) // which another run may share
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	items := change(read(judging.ItemsFile))
	var ids []string
	for _, line := range items {
		item, err := datasets.JudgeBench.Parse([]byte(line))
		must(t, err)
		ids = append(ids, item.ID)
	}
	write(judging.ItemsFile, items)
	write(judging.RecordsFile, slices.DeleteFunc(read(judging.RecordsFile), func(line string) bool {
		r, err := judging.DecodeRecord([]byte(line))
		must(t, err)
		return !slices.Contains(ids, r.Item)
	}))
	must(t, os.Remove(filepath.Join(dir, judging.ResultsFile)))
	changeManifest(t, dir, func(m *judging.Manifest) {
		m.Dataset.Name = "other"
		m.Spec.Dataset = judging.DatasetSpec{SHA256: "other", Items: len(items)}
		m.Files = nil
	})
}

// Nothing but the ranks waits for judges to be compared, and too many of them are not.
func TestRanksFollow(t *testing.T) {
	dir := judges(t)
	s := newSite(t, dir, func(o *Options) { o.pageWait = -1 })
	page := s.get("/")
	says(t, page, "The differences between judges are being tested", "has the highest score", "No test of the differences")
	if rows := boardRowsOf(t, page); !strings.Contains(rows[1], "| – |") || strings.Contains(page, "b-first") {
		t.Errorf("ranks that nobody knows: %s", rows[1])
	}
	s.background.Wait()
	says(t, s.get("/"), "judge best")
	for i := range rankedRuns {
		to := filepath.Join(dir, fmt.Sprint("more", i))
		copyRun(t, filepath.Join(dir, "good"), to, "sample")
		changeManifest(t, to, func(m *judging.Manifest) { m.Spec.Model.Name = fmt.Sprint("model ", i) })
	}
	s.runs.Forget()
	page = s.get("/")
	says(t, page, "of more than 100 judges the differences are not tested", "All 104 judges")
	if rows := boardRowsOf(t, page); len(rows) != 1+boardRows {
		t.Errorf("%d rows", len(rows))
	}
	if rows := boardRowsOf(t, s.get("/?show=all")); len(rows) != 105 {
		t.Errorf("%d rows of all", len(rows))
	}
}

// TestPagesFinishByThemselves: a page waits for its answer; where that takes longer, it has itself loaded again, without
// scripts too, until the answer is there.
func TestPagesFinishByThemselves(t *testing.T) {
	for name, tc := range map[string]struct{ path, answer, pending string }{
		"ranks":               {"/", "judge best", "The differences between judges are being tested"},
		"copied run":          {"/", "sim:accuracy=0.95,seed=1", "Runs that are being scored: 1."},
		"hardest, copied run": {"/runs/other/items?by=judges", "sim:accuracy=0.95,seed=1", "The judges are being scored"},
		"sway":                {"/runs/leaning", "Biases", "What sways the judge is being worked out"},
		"labels":              {"/", "Which judge agrees with your labels", "Which judge agrees with the labels is being worked out"},
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
					says(t, page, tc.pending)
					if head, _, _ := strings.Cut(page, "<body"); !strings.Contains(head, `http-equiv="refresh"`) ||
						!strings.Contains(page, "data-reload=") || strings.Contains(page, "oad the page again") {
						t.Error("it is not loaded again by itself")
					}
				}
				for wait < time.Second && strings.Contains(page, `http-equiv="refresh"`) {
					s.background.Wait()
					s.memo.Wait()
					page = s.get(tc.path)
				}
				says(t, page, tc.answer)
				if strings.Contains(page, `http-equiv="refresh"`) || strings.Contains(page, "data-reload") {
					t.Error("a finished page is loaded again")
				}
			}
		})
	}
}
