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
	"gavel/scoring"
)

// boardRowsOf are the rows of a page's leaderboard in words, the heads first.
func boardRowsOf(t testing.TB, page string) (rows []string) {
	t.Helper()
	for _, tr := range elements(byID(t, page, "leaderboard"), "tr") {
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

// Four judges of one dataset, one of them over a copy of it under another name; a part of a run is on no leaderboard.
func TestLeaderboard(t *testing.T) {
	dir := judges(t)
	copyRun(t, filepath.Join(dir, "other"), filepath.Join(dir, "known"), "another-name")
	changeManifest(t, filepath.Join(dir, "known"), func(m *judging.Manifest) {
		m.Spec.Model.Name = "lab/published-8b"
		m.Imported = "file.jsonl"
	})
	shard(t, filepath.Join(dir, "part"), "accuracy=1") // of a run with the best number of all
	s := newSite(t, dir, patient)
	page := s.get("/")
	says(t, page, "judge best: right in both orders on 91 and 88 % of 32 pairs.", "They cannot be told apart.",
		"Do not use", "reference: its replies or verdicts were published", "picks the first response")
	rows := boardRowsOf(t, page)
	want := [][]string{
		{"Judge", "Rank", "Good for", "Right where both orders agree", "Picks the first response"},
		{"sim:accuracy=0.95,seed=1", "simulated", "1–3", "usable", "9176–97"},
		{"published-8b", "reference · stored replies", "1–3", "88"},
		{"sim:accuracy=0.9,seed=2", "1–3", "88"},
		{"sim:silent", "4–5", "unusable", "–"},
		{"sim:first", "4–5", "unusable", "00–10", "100 %"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	for i, words := range want {
		for _, w := range words {
			if !strings.Contains(rows[i], w) {
				t.Errorf("row %d does not say %q: %s", i, w, rows[i])
			}
		}
	}
	links := 0
	for _, a := range elements(byID(t, page, "leaderboard"), "a") {
		s.get(attr(a, "href"))
		links++
	}
	if links != 5 {
		t.Errorf("%d links to runs", links)
	}
	says(t, s.get("/?protocol=answer"), "sim:accuracy=0.6,seed=1", "answers")
	if w := s.ask("GET", "/?protocol=nonsense", ""); w.Code != 404 {
		t.Errorf("a question that nobody was asked: %d", w.Code)
	}
	var data leaderboardView
	s.data("/api/v1/leaderboard?dataset=sample&goal=better", &data)
	if b := data.Board; b == nil || len(b.Rows) != 5 || b.Rows[0].First != 1 || b.Rows[0].Last != 3 || data.Items != 32 ||
		!strings.Contains(b.Says, "judge best") {
		t.Errorf("the API: %+v", data)
	}
}

// Judges meet by their items, not by the name of the dataset: other texts under one name are another leaderboard.
func TestRunsMeetByItems(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		makeRun(t, filepath.Join(dir, name), making{protocol: "pairwise", dataset: "sample", sim: "accuracy=0.9,seed=" + map[string]string{"a": "1", "b": "2"}[name]})
	}
	changeManifest(t, filepath.Join(dir, "b"), func(m *judging.Manifest) {
		m.Files[judging.ItemsFile] = strings.Repeat("0", 64)
	})
	s := newSite(t, dir, patient)
	page := s.get("/")
	says(t, page, "sample (000000000000)")
	if rows := boardRowsOf(t, page); len(rows) != 2 {
		t.Errorf("one leaderboard of two kinds of items:\n%s", strings.Join(rows, "\n"))
	}
	// Of a run in progress there is no hash of its items yet: the file of its dataset stands for them.
	changeManifest(t, filepath.Join(dir, "b"), func(m *judging.Manifest) { m.Files = nil })
	s.runs.Forget()
	if rows := boardRowsOf(t, s.get("/")); len(rows) != 3 {
		t.Errorf("the same items:\n%s", strings.Join(rows, "\n"))
	}
}

// Nothing but the ranks waits for judges to be compared, and too many of them are not.
func TestRanksFollow(t *testing.T) {
	dir := judges(t)
	s := newSite(t, dir, func(o *Options) { o.pageWait = time.Nanosecond })
	page := s.get("/")
	says(t, page, "Which judges can be told apart is being tested", "has the highest score", "It is not tested yet")
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
	says(t, page, "of more than 100 judges it is not tested which can be told apart", "All 104 judges")
	if rows := boardRowsOf(t, page); len(rows) != 1+boardRows {
		t.Errorf("%d rows", len(rows))
	}
	if rows := boardRowsOf(t, s.get("/?show=all")); len(rows) != 105 {
		t.Errorf("%d rows of all", len(rows))
	}
}

// A complete run stands for its judge, however many others there are.
func TestOneRunStandsForItsJudge(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "a"), making{protocol: "pairwise", dataset: "sample", sim: "accuracy=0.9,seed=2"})
	copyRun(t, filepath.Join(dir, "a"), filepath.Join(dir, "b"), "sample")
	changeManifest(t, filepath.Join(dir, "a"), func(m *judging.Manifest) { m.Status = judging.Incomplete })
	page := newSite(t, dir, nil).get("/")
	links := elements(byID(t, page, "leaderboard"), "a")
	if len(links) != 1 || attr(links[0], "href") != "/runs/b" {
		t.Errorf("not the complete run stands for its judge: %d links", len(links))
	}
}

// TestPagesFinishByThemselves: a page waits for its answer; where that takes longer, it has itself loaded again, without
// scripts too, until the answer is there.
func TestPagesFinishByThemselves(t *testing.T) {
	for name, tc := range map[string]struct{ path, answer, pending string }{
		"ranks":               {"/", "judge best", "Which judges can be told apart is being tested"},
		"copied run":          {"/", "sim:accuracy=0.95,seed=1", "Runs that are being scored: 1."},
		"hardest, copied run": {"/hardest", "sim:accuracy=0.95,seed=1", "Runs that are being scored: 1."},
		"sway":                {"/runs/leaning", "What sways it", "What sways the judge is being worked out"},
		"labels":              {"/", "Which judge agrees with your labels", "Which judge agrees with the labels is being worked out"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := judges(t)
			labels := ""
			switch name {
			case "copied run", "hardest, copied run": // its files are younger than its results
				must(t, os.Remove(filepath.Join(dir, "good", judging.ResultsFile)))
			case "sway":
				makeRun(t, filepath.Join(dir, "leaning"), making{protocol: "pairwise", dataset: "sample", sim: "accuracy=0.7,first=0.3"})
			case "labels":
				labels = filepath.Join(dir, "labels.jsonl")
				write(t, labels, `{"item":"sample-knowledge-01","labeller":"me","label":"A"}`+"\n")
				must(t, os.RemoveAll(filepath.Join(dir, "suite"))) // of other data
			}
			for _, wait := range []time.Duration{time.Nanosecond, time.Minute} {
				s := newSite(t, dir, func(o *Options) { o.pageWait, o.Labels = wait, labels })
				page := s.get(tc.path)
				if wait < time.Second {
					says(t, page, tc.pending)
					if head, _, _ := strings.Cut(page, "<body"); !strings.Contains(head, reloads) ||
						!strings.Contains(page, "data-reload=") || strings.Contains(page, "oad the page again") {
						t.Error("it is not loaded again by itself")
					}
				}
				for wait < time.Second && strings.Contains(page, reloads) {
					s.background.Wait()
					s.memo.Wait()
					page = s.get(tc.path)
				}
				says(t, page, tc.answer)
				if strings.Contains(page, reloads) || strings.Contains(page, "data-reload") {
					t.Error("a finished page is loaded again")
				}
			}
		})
	}
}

// A run that was interrupted before its first whole pair has no number to be sorted by.
func TestLeaderboardWithoutAnItem(t *testing.T) {
	dir := judges(t)
	begun := filepath.Join(dir, "begun")
	makeRun(t, begun, making{protocol: "pairwise", dataset: "sample", sim: "right"})
	all, err := os.ReadFile(filepath.Join(begun, judging.RecordsFile))
	must(t, err)
	first, _, _ := strings.Cut(string(all), "\n")
	write(t, filepath.Join(begun, judging.RecordsFile), first+"\n")
	changeManifest(t, begun, func(m *judging.Manifest) { m.Status = judging.Interrupted })
	run, err := scoring.Load(begun, judging.Reading{})
	must(t, err)
	must(t, judging.WriteJSON(filepath.Join(begun, judging.ResultsFile), run.Score(scoring.DefaultOptions.Bootstrap)))
	s := newSite(t, dir, patient)
	for _, target := range []string{"/", "/?dataset=sample", "/runs?sort=-headline"} {
		says(t, s.get(target), "sim:accuracy=0.95,seed=1")
	}
	empty := newSite(t, t.TempDir(), nil)
	says(t, empty.get("/"), "No runs yet", "gavel doctor")
}
