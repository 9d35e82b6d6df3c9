package server

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/server/failure"
	"gavel/judging"
)

// A judgment is asked for again with an edited prompt; both readings are shown, and the run stays as it is.
func TestAskAgainEdited(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, dir+"/a", making{protocol: "pairwise", dataset: "sample", sim: "first"})
	records, err := os.ReadFile(filepath.Join(dir, "a", judging.RecordsFile))
	must(t, err)
	fake := &fakeRunner{}
	s := newSite(t, dir, func(o *Options) { o.Runner = fake })
	var item string
	must(t, judging.ReadRecords(filepath.Join(dir, "a", judging.RecordsFile), func(r *judging.Record) error { item = r.Item; return nil }))
	page := s.get(itemURL("a", item, ""))
	link := "/runs/a/ask" + query("item", item, "showing", "1", "repeat", "0")
	if !strings.Contains(page, strings.ReplaceAll(link, "&", "&amp;")) {
		t.Fatalf("the item's page has no link %s", link)
	}
	says(t, s.get(link), "it is stored nowhere and counts in no result", "Judgment 2 of 2")
	form := url.Values{"system": {"Be <i>brief</i>."}, "user": {"Which?\r\nNow choose."}}
	code, page, _ := s.post(link, form)
	says(t, page, "Scratch judgment counts nowhere", "now, robust✓ B is the better", "now, paper✓ B is the better", "You said: Which? Now choose.", "I find <b>one</b> good")
	if code != 200 || strings.Contains(page, "<i>brief") {
		t.Errorf("%d: %s", code, page)
	}
	if got := textOf(byID(t, page, "user")); !strings.Contains(got, "Which?\nNow choose.") {
		t.Errorf("the form forgot the prompt: %q", got)
	}
	if now, err := os.ReadFile(filepath.Join(dir, "a", judging.RecordsFile)); err != nil || string(now) != string(records) {
		t.Errorf("the run was changed: %v", err)
	}
	for target, want := range map[string]int{
		"/runs/a/ask?item=none&showing=0&repeat=0": 404, "/runs/none/ask?item=x&showing=0&repeat=0": 404,
		"/runs/a/ask" + query("item", item, "showing", "7", "repeat", "0"): 404,
	} {
		if code, _, _ := s.post(target, form); code != want {
			t.Errorf("%s: %d, want %d", target, code, want)
		}
	}
	if code, page, _ := s.post(link, url.Values{"user": {" "}}); code != 400 || !strings.Contains(page, "the prompt is empty") {
		t.Errorf("an empty prompt: %d", code)
	}
	fake.fails = failure.New(http.StatusBadGateway, "no server answers at http://dead")
	if code, page, _ := s.post(link, form); code != 502 || !strings.Contains(page, "no server answers at http://dead") || !strings.Contains(page, "Now choose.") {
		t.Errorf("a dead endpoint: %d", code)
	}
	w := s.ask("POST", link, form.Encode(), header("Content-Type", "application/x-www-form-urlencoded"), header("Sec-Fetch-Site", "cross-site"))
	if w.Code != 403 {
		t.Errorf("from another site: %d", w.Code)
	}
	shows := newSite(t, dir, nil)
	if page := shows.get(itemURL("a", item, "")); strings.Contains(page, "/ask?") {
		t.Error("a server that starts nothing offers to ask")
	}
	if w := shows.ask("GET", link, ""); w.Code != 501 {
		t.Errorf("a server that starts nothing: %d", w.Code)
	}
}
