package server

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/judging"
)

// desk is one over the items of a run.
func desk(t *testing.T, run string) *labels.Desk {
	t.Helper()
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	must(t, err)
	t.Cleanup(func() { set.Close() })
	d, err := labels.OpenDesk(set, labels.DeskOptions{Name: "sample", Path: filepath.Join(t.TempDir(), "l.jsonl"), Now: time.Now})
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// form is what the page's form sends with a button.
func form(t *testing.T, page, choice string) url.Values {
	t.Helper()
	out := url.Values{"choice": {choice}}
	for _, e := range elements(parse(t, page), "input") {
		if attr(e, "type") == "hidden" {
			out.Set(attr(e, "name"), attr(e, "value"))
		}
	}
	return out
}

// Items are shown without a word of what a model or a judge says, and labels come to a table of judges.
func TestLabel(t *testing.T) {
	dir := t.TempDir()
	m := makePairs(t, "accuracy=0.9", dir, "a")
	makePairs(t, "first", dir, "b")
	makeRun(t, dir+"/answers", making{protocol: "answer", sim: "coin"}) // which judges no pair
	d, all := desk(t, dir+"/a"), fmt.Sprintf("%d done", m.Spec.Dataset.Items)
	s := newSite(t, dir, func(o *Options) { o.Desk, o.Labels = d, d.Path() })
	says(t, s.get("/labels"), "Label sample, and see which judge agrees with you.", "No judge is held against the labels yet")
	code, _, at := s.post("/labels", url.Values{"as": {"ann lee"}})
	assert.Equal(t, code, http.StatusSeeOther)
	assert.Equal(t, at, "/labels/ann%20lee")
	page := s.get(at)
	says(t, page, "Which response is better?", "0 of "+all, "Response 1", "Response 2", "Neither is better", "Skip")
	for _, no := range []string{m.Spec.Model.Name, "candidate labelled", "A&gt;B", "/runs/a"} {
		assert.Assert(t, !strings.Contains(page, no), "the page says %q", no)
	}
	for i, choice := range []string{"1", "2", "tie", "skip", "1"} {
		code, _, to := s.post(at, form(t, page, choice))
		assert.Equal(t, code, http.StatusSeeOther)
		page = s.get(to)
		says(t, page, fmt.Sprintf("%d of %s", i+1, all))
	}
	last := attr(elements(parse(t, page), "button")[len(elements(parse(t, page), "button"))-1], "value")
	code, _, _ = s.post(at, url.Values{"undo": {last}})
	assert.Equal(t, code, http.StatusSeeOther)
	says(t, s.get(at), "4 of "+all)
	f, err := labels.Read(d.Path())
	must(t, err)
	assert.Equal(t, len(f.Labels), 4)
	page = s.get("/labels")
	says(t, page, "agrees with the labels on", "sim:first", "ann lee 3 of")
	says(t, s.get("/"), "Which judge agrees with your labels?")

	for target, values := range map[string]url.Values{
		at: {"choice": {"7"}, "item": {"0"}}, at + "x%2F..%2F": {"choice": {"1"}}, at + "y": {"choice": {"1"}, "item": {"none"}}, at + "z": {"undo": {"1"}}, "/labels": {"as": {".."}},
	} {
		code, page, _ := s.post(target, values)
		assert.Equal(t, code, http.StatusBadRequest, "%s: %s", target, page)
	}
	w := s.ask("POST", at, form(t, s.get(at), "1").Encode(), asForm, header("Sec-Fetch-Site", "cross-site"))
	assert.Equal(t, w.Code, http.StatusForbidden)
	none := newSite(t, dir, nil)
	assert.Equal(t, none.ask("GET", "/labels", "").Code, http.StatusNotFound)
	assert.Assert(t, !strings.Contains(none.get("/"), `href="/labels"`))
}

// TestTheLabelPageSaysWhatIsNotSaved: where somebody has changed the file of labels, the page says that the label is not in it.
func TestTheLabelPageSaysWhatIsNotSaved(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "accuracy=0.9", dir, "a")
	d := desk(t, dir+"/a")
	s := newSite(t, dir, func(o *Options) { o.Desk, o.Labels = d, d.Path() })
	code, _, _ := s.post("/labels/ann", form(t, s.get("/labels/ann"), "1"))
	assert.Equal(t, code, http.StatusSeeOther)
	must(t, os.Remove(d.Path()))
	must(t, os.WriteFile(d.Path(), []byte("notes\n"), 0o644))
	code, page, _ := s.post("/labels/ann", form(t, s.get("/labels/ann"), "1"))
	assert.Equal(t, code, http.StatusConflict)
	says(t, page, "this label was not saved", "another program has changed the file", "1 of ")
}
