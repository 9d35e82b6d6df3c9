package server

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// sampleRuns are runs of all protocols but self-reference, whose stages are the
// command's business and tested there.
func sampleRuns(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, setup := range map[string]runSetup{
		"pairs-a":     {protocol: "pairwise", dataset: "sample", sim: "accuracy=0.8,first=0.3,seed=1"},
		"pairs-b":     {protocol: "reversed", dataset: "sample", sim: "accuracy=0.9,seed=2"},
		"deep/answer": {protocol: "answer", dataset: "sample-choice", sim: "accuracy=0.6,seed=1"},
		"numbers":     {protocol: "answer", dataset: "sample-number", sim: "accuracy=0.6,seed=1"},
		"options":     {protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.7,first=0.2,seed=1"},
		"again":       {protocol: "pairwise", dataset: "sample", sim: "coin", repetitions: 2},
	} {
		makeRun(t, filepath.Join(dir, filepath.FromSlash(name)), setup)
	}
	return dir
}

// crawl follows the links of a site from some addresses, and gives the addresses of each page, at most so many.
func (s *site) crawl(limit int, from ...string) map[string][]string {
	s.t.Helper()
	pages := http.NewServeMux()
	for _, pattern := range Pages() {
		pages.HandleFunc(pattern, http.NotFound)
	}
	links, visited := map[string][]string{}, map[string]bool{}
	for ; len(from) > 0; from = from[1:] {
		target, _, _ := strings.Cut(from[0], "#")
		if !strings.HasPrefix(target, "/") || visited[target] {
			continue
		}
		visited[target] = true
		_, pattern := pages.Handler(httptest.NewRequest("GET", target, nil))
		if pattern == "" || len(links[pattern]) == limit {
			continue
		}
		links[pattern] = append(links[pattern], target)
		for _, a := range elements(parse(s.t, s.get(target)), "a") {
			from = append(from, attr(a, "href"))
		}
	}
	return links
}

// TestEveryPageIsReached: a page that is registered is linked, has one title and one heading of the first level.
func TestEveryPageIsReached(t *testing.T) {
	dir := sampleRuns(t)
	suiteOf(t, dir, "suite")
	s := newSite(t, dir, func(o *Options) {
		o.Runner = &fakeRunner{}
		o.Desk = desk(t, filepath.Join(dir, "pairs-a"))
		o.Labels = o.Desk.Path
	})
	// Few are led to the last two: who labels, and who reads an item that is named like the folder above.
	links := s.crawl(3, "/", "/labels/ann", "/runs/pairs-a/item?id=sample-math-01")
	for _, pattern := range Pages() {
		if links[pattern] == nil {
			t.Errorf("no link leads to %s", pattern)
		}
		for _, target := range links[pattern] {
			page := parse(t, s.get(target))
			checkControls(t, target, page)
			if n := len(elements(page, "h1")); n != 1 || textOf(elements(page, "title")[0]) == " · gavel" {
				t.Errorf("%s of %s: %d headings, title %q", target, pattern, n, textOf(elements(page, "title")[0]))
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
		if got := groupThousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// checkControls wants what holds for every page: no two elements of one name, something to copy for each button that copies, and
// nothing shown without a script that needs one.
func checkControls(t *testing.T, target string, page *html.Node) {
	t.Helper()
	ids := map[string]int{}
	for _, e := range elements(page, "") {
		ids[attr(e, "id")]++
	}
	for _, e := range elements(page, "") {
		if id := attr(e, "id"); id != "" && ids[id] > 1 {
			t.Errorf("%s: two elements are %q", target, id)
		}
		if to := attr(e, "data-copies"); to != "" && ids[to] == 0 {
			t.Errorf("%s: nothing to copy is called %q", target, to)
		}
		hidden := slices.ContainsFunc(e.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
		if strings.Contains(attr(e, "class"), "script-only") && !hidden {
			t.Errorf("%s: without a script there is %s", target, outer(e))
		}
	}
}
