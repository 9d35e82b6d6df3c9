package server

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
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

// form returns the values that the page's form sends with a button.
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

// TestTheLabelPageSaysWhatIsNotSaved: where somebody has changed the file of labels, the page says that the label is not in it.
func TestTheLabelPageSaysWhatIsNotSaved(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "accuracy=0.9", dir, "a")
	d := desk(t, dir+"/a")
	s := newSite(t, dir, func(o *Options) { o.Desk, o.Labels = d, d.Path })
	code, _, _ := s.post("/labels/ann", form(t, s.get("/labels/ann"), "1"))
	assert.Equal(t, code, http.StatusSeeOther)
	must(t, os.Remove(d.Path))
	must(t, os.WriteFile(d.Path, []byte("notes\n"), 0o644))
	code, page, _ := s.post("/labels/ann", form(t, s.get("/labels/ann"), "1"))
	assert.Equal(t, code, http.StatusConflict)
	mustContain(t, page, "this label was not saved", "another program has changed the file", "1 of ")
}
