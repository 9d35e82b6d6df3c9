package server

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
)

// sampleRuns are runs of all protocols but self-reference, whose stages are the
// command's business and tested there.
func sampleRuns(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, how := range map[string]making{
		"pairs-a":     {protocol: "pairwise", dataset: "sample", sim: "accuracy=0.8,first=0.3,seed=1"},
		"pairs-b":     {protocol: "reversed", dataset: "sample", sim: "accuracy=0.9,seed=2"},
		"deep/answer": {protocol: "answer", dataset: "sample-choice", sim: "accuracy=0.6,seed=1"},
		"numbers":     {protocol: "answer", dataset: "sample-number", sim: "accuracy=0.6,seed=1"},
		"options":     {protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.7,first=0.2,seed=1"},
		"again":       {protocol: "pairwise", dataset: "sample", sim: "coin", repetitions: 2},
	} {
		makeRun(t, filepath.Join(dir, filepath.FromSlash(name)), how)
	}
	return dir
}

// The form sorts by all that an address can, and says by what.
func TestRunsCanBeSortedInTheForm(t *testing.T) {
	s := newSite(t, sampleRuns(t), nil)
	offered := map[string]bool{}
	for _, o := range (runsFilter{}).Orders() {
		offered[strings.TrimPrefix(o.Value, "-")] = true
		page := s.get("/runs?sort=" + o.Value)
		if !strings.Contains(page, `<option value="`+o.Value+`" selected>`) {
			t.Errorf("the form does not say that it is sorted by %s", o.Name)
		}
	}
	if len(offered) != len(orders) {
		t.Errorf("%d orders in the form, %d in addresses", len(offered), len(orders))
	}
}

// crawl follows the links of a site from some addresses, and gives the addresses of each page, at most so many.
func (s *site) crawl(most int, from ...string) map[string][]string {
	s.t.Helper()
	pages := http.NewServeMux()
	for _, pattern := range Pages() {
		pages.HandleFunc(pattern, http.NotFound)
	}
	found, seen := map[string][]string{}, map[string]bool{}
	for ; len(from) > 0; from = from[1:] {
		target, _, _ := strings.Cut(from[0], "#")
		if !strings.HasPrefix(target, "/") || seen[target] {
			continue
		}
		seen[target] = true
		_, pattern := pages.Handler(httptest.NewRequest("GET", target, nil))
		if pattern == "" || len(found[pattern]) == most {
			continue
		}
		found[pattern] = append(found[pattern], target)
		for _, a := range elements(parse(s.t, s.get(target)), "a") {
			from = append(from, attr(a, "href"))
		}
	}
	return found
}

// TestEveryPageIsReached: a page that is registered is linked, has one title and one heading of the first level.
func TestEveryPageIsReached(t *testing.T) {
	dir := sampleRuns(t)
	suiteOf(t, dir, "suite")
	s := newSite(t, dir, func(o *Options) {
		o.Runner = &fakeRunner{}
		o.Desk = desk(t, filepath.Join(dir, "pairs-a"))
		o.Labels = o.Desk.Path()
	})
	// Few are led to the last two: who labels, and who reads an item that is named like the folder above.
	found := s.crawl(3, "/", "/labels/ann", "/runs/pairs-a/item?id=sample-math-01")
	for _, pattern := range Pages() {
		if found[pattern] == nil {
			t.Errorf("no link leads to %s", pattern)
		}
		for _, target := range found[pattern] {
			page := parse(t, s.get(target))
			if n := len(elements(page, "h1")); n != 1 || textOf(elements(page, "title")[0]) == " · gavel" {
				t.Errorf("%s of %s: %d headings, title %q", target, pattern, n, textOf(elements(page, "title")[0]))
			}
		}
	}
}

func TestRunsPage(t *testing.T) {
	s := newSite(t, sampleRuns(t), nil)
	page := s.get("/runs")
	says(t, page, "6 of 6 runs", "pairs-a", "deep/answer", "correct in both orders", "correct in every order")
	says(t, s.get("/runs?protocol=answer"), "2 of 6 runs")
	says(t, s.get("/runs?q=PAIRS+first"), "1 of 6 runs")
	first := func(page string) string {
		rows := elements(elements(byID(t, page, "runs"), "tbody")[0], "tr")
		return strings.TrimSpace(attr(elements(rows[0], "small")[0], "title"))
	}
	if a, b := first(s.get("/runs?sort=name")), first(s.get("/runs?sort=-name")); a != "again" || b != "pairs-b" {
		t.Errorf("by name: %q and %q stand first", a, b)
	}
	s.answers(400, "/runs?sort=size")
}

func TestRunPage(t *testing.T) {
	s := newSite(t, sampleRuns(t), nil)
	for run, words := range map[string][]string{
		"pairs-a":       {"correct in both orders", "which is better", "simulated", "Outcomes", "64 of 64"},
		"deep%2Fanswer": {"Every number", "32 of 32"},
		"options":       {"Grade score"},
		"again":         {"self-agreement", "128 of 128"},
	} {
		says(t, s.get("/runs/"+run), words...)
	}
}

func TestItemPages(t *testing.T) {
	s := newSite(t, sampleRuns(t), nil)
	for run, words := range map[string][]string{
		"pairs-a": {"Judgment 1 of 2: shown A, then B", "Judgment 2 of 2: shown B, then A", "as it was asked", "labelled"},
		"options": {"Judgment 1 of ", "as it was asked"},
		"numbers": {"Correct answer", "as it was asked"},
		"again":   {"time 2"},
	} {
		var list ItemsView
		s.data("/api/v1/runs/"+run+"/items", &list)
		if len(list.Items) == 0 {
			t.Fatalf("%s: no items", run)
		}
		for _, item := range list.Items {
			page := s.get(itemURL(run, item.ID, ""))
			says(t, page, words...)
			if strings.Contains(page, "differs from the one") {
				t.Errorf("%s %s: the prompt was made otherwise", run, item.ID)
			}
			for _, g := range item.Judgments {
				if n := len(elements(byID(t, page, "judgment-"+strconv.Itoa(g.Presentation)+"-"+strconv.Itoa(g.Repetition)), "mark")); n == 0 && g.Outcome == string(judging.Decided) {
					t.Errorf("%s %s: judgment %d: the verdict is not marked", run, item.ID, g.Presentation)
				}
			}
		}
	}
}

// TestNumbersOfPages: thousands are parted by spaces that are narrow and do not break.
func TestNumbersOfPages(t *testing.T) {
	for n, want := range map[int]string{
		0:         "0",
		999:       "999",
		1000:      "1\u202f000",
		1234567:   "1\u202f234\u202f567",
		-999:      "-999",
		-12345678: "-12\u202f345\u202f678",
	} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
