package site

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answers is a handler with these pages, by address.
func answers(pages map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.RequestURI()]
		if w.Header().Set("Content-Type", "text/html; charset=utf-8"); strings.HasPrefix(r.URL.Path, "/assets/") {
			w.Header().Set("Content-Type", "text/css")
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			page = "<p>not found</p>"
		}
		fmt.Fprint(w, page)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	must(t, err)
	return string(text)
}

func TestPagesBecomeFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	pages := map[string]string{
		"/":                                   `<head></head><main><a href="/runs/a%2FB">a/B</a> <a href="/?sort=name">sorted</a> <a href="/?metric=x">x</a> <a class=k href="/start">start</a> <a href="https://example.org/">out</a> <a href="#here">here</a><form action="/x"><b>form</b></form><input form="ticked"><button formaction="/y">do</button><p data-events="/runs/a/events" data-n="1">p</p></main>`,
		"/?metric=x":                          `<a href="/">home</a><script>if (a < b) "<a href='/x'>"</script>`,
		"/runs/a%2FB":                         `<link href="/assets/s-1.css"><svg viewBox="0 0 1 1"></svg><a href="/runs/a%2FB/items?show=wrong#top">wrong</a><a href="/runs/none">gone</a>`,
		"/assets/s-1.css":                     `p{}`,
		"/runs/a%2FB/items?show=wrong":        `<a href="/runs/a%2FB/items/1?show=wrong">1</a><a href="/runs/a%2FB/items/2?show=wrong">2</a><a href="?page=2&show=wrong">next</a><a href="?page=9&show=wrong">far</a><a href="?q=x">search</a>`,
		"/runs/a%2FB/items?page=2&show=wrong": `<main><a href="/runs/a%2FB/items/3">3</a></main>`,
		"/runs/a%2FB/items/1":                 `one <a href="/runs/a%2FB/items?show=wrong">back</a>`, "/runs/a%2FB/items/2": `two`,
	}
	// Two items, and yet two pages of their list: the second holds what is past the bound.
	w, err := Write(t.Context(), Request{Handler: answers(pages), Dir: dir, Items: 51})
	must(t, err)
	home := read(t, dir, "index.html")
	run := "runs/" + slug("a/B") + "/"
	for _, want := range []string{
		`<meta name="generator" content="gavel">`, `<a href="` + run + `index.html">a/B</a>`, `<a>sorted</a>`, `<a href="leaderboard-metric-x.html">x</a>`,
		`<a class="k">start</a>`, `<a href="https://example.org/">out</a>`, `<a href="#here">here</a>`, `<p data-n="1">p</p>`,
	} {
		if !strings.Contains(home, want) {
			t.Errorf("no %s in\n%s", want, home)
		}
	}
	if strings.Contains(home, "form") || strings.Contains(home, "button") || strings.Contains(home, "input") {
		t.Errorf("forms are left:\n%s", home)
	}
	if page := read(t, dir, run+"index.html"); page != `<link href="../../assets/s-1.css"><svg viewBox="0 0 1 1"></svg><a href="items-show-wrong.html#top">wrong</a><a href="../none/index.html">gone</a>` {
		t.Errorf("%s", page)
	}
	if page := read(t, dir, run+"items-show-wrong.html"); page != `<a href="items/1.html">1</a><a href="items/2.html">2</a><a href="items-page-2-show-wrong.html">next</a><a>far</a><a>search</a>` {
		t.Errorf("%s", page)
	}
	if page := read(t, dir, "leaderboard-metric-x.html"); !strings.Contains(page, `"<a href='/x'>"`) {
		t.Errorf("a script is not as it was: %s", page)
	}
	if w.Pages != 9 || w.Files != 10 {
		t.Errorf("%+v", w)
	}
	// Past the bound items are only listed.
	_, err = Write(t.Context(), Request{Handler: answers(pages), Dir: dir, Items: 1})
	must(t, err)
	if page := read(t, dir, run+"items-show-wrong.html"); !strings.Contains(page, `<a>2</a>`) || !strings.Contains(page, `<a>next</a>`) {
		t.Errorf("%s", page)
	}
	for _, gone := range []string{run + "items/2.html", run + "items-page-2-show-wrong.html"} {
		if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%s of the earlier site is left", gone)
		}
	}
}

func TestPastTheBoundIsSaid(t *testing.T) {
	dir := t.TempDir()
	_, err := Write(t.Context(), Request{Items: 1, Dir: dir, Handler: answers(map[string]string{"/": `<main><a href="/runs/r/items/1">1</a><a href="/runs/r/items/2">2</a></main>`})})
	must(t, err)
	if page := read(t, dir, "index.html"); !strings.Contains(page, `<a>2</a><p class="muted">This copy has the pages of 1 items of a run; the others are only listed.</p>`) {
		t.Errorf("%s", page)
	}
}

// Nothing of anybody else's is written over or removed.
func TestOtherFoldersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine"), 0o644))
	r := Request{Handler: answers(map[string]string{"/": "one"}), Dir: dir, Items: 1}
	for _, marker := range []string{"", "{", `{"files": ["mine.txt"]}`} {
		if marker != "" {
			must(t, os.WriteFile(filepath.Join(dir, Marker), []byte(marker), 0o644))
		}
		if _, err := Write(t.Context(), r); err == nil || !strings.Contains(err.Error(), "not a site that gavel wrote") {
			t.Errorf("marker %q: %v", marker, err)
		}
	}
	r.Dir = filepath.Join(t.TempDir(), "new", "site")
	_, err := Write(t.Context(), r)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(r.Dir, "CNAME"), []byte("mine"), 0o644))
	outside := filepath.Join(r.Dir, "..", "outside")
	must(t, os.WriteFile(outside, []byte("mine"), 0o644))
	must(t, os.WriteFile(filepath.Join(r.Dir, Marker), []byte(`{"gavel_site": 1, "files": ["../outside", "/etc/none", "old.html"]}`), 0o644))
	must(t, os.WriteFile(filepath.Join(r.Dir, "old.html"), []byte("old"), 0o644))
	_, err = Write(t.Context(), r)
	must(t, err)
	if read(t, r.Dir, "CNAME") != "mine" || read(t, r.Dir, "../outside") != "mine" || read(t, r.Dir, "index.html") != "one" {
		t.Error("a file of somebody else's is another")
	}
	entries, err := os.ReadDir(r.Dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"CNAME", Marker, "index.html"}) {
		t.Errorf("in the folder: %q", names)
	}
}

// A page that the server cannot make ends it, and leaves the earlier site as it was.
func TestAPageThatCannotBeMade(t *testing.T) {
	r := Request{Handler: answers(map[string]string{"/": "one"}), Dir: t.TempDir(), Items: 1}
	_, err := Write(t.Context(), r)
	must(t, err)
	r.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/" {
			w.WriteHeader(503)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<a href="/runs/r">two</a>`)
	})
	if _, err := Write(t.Context(), r); err == nil || !strings.Contains(err.Error(), "/runs/r") {
		t.Errorf("%v", err)
	}
	if read(t, r.Dir, "index.html") != "one" {
		t.Error("half a site is there")
	}
}

func TestNamesOfFiles(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a", "A", "a/b", "a-b", "a b", "..", ".", "", "con", "CON", "com1", "a.", "ä", "<img>", "\x00", strings.Repeat("x", 300), strings.Repeat("x", 301), "a.html", "x.y.z", "e302b0a0-28d5-5a3c-b1af-fedcf5543e72"} {
		s := slug(name)
		if other, twice := seen[s]; twice {
			t.Errorf("%q and %q are both %s", name, other, s)
		}
		seen[s] = name
		if len(s) > 100 || s == "" || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") || url.PathEscape(s) != s {
			t.Errorf("%q is the file %q", name, s)
		}
	}
}
