package server

import (
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
	d, err := labels.OpenDesk(set, labels.DeskOptions{DatasetName: "sample", Path: filepath.Join(t.TempDir(), "l.jsonl"), Now: time.Now})
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

// TestTheLabelPageAsksForAScore: of a single response, on the scale of the dataset, without the scores of others.
func TestTheLabelPageAsksForAScore(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/a", 0o755))
	line := `{"id":"r1","question":"Why?","response":"Because.","scores":{"bob":3.25},"scale":[1,5]}` + "\n"
	must(t, os.WriteFile(filepath.Join(dir, "a", judging.ItemsFile), []byte(line), 0o644))
	d := desk(t, dir+"/a")
	s := newSite(t, dir, func(o *Options) { o.Desk, o.Labels = d, d.Path })
	page := s.get("/labels/ann")
	mustContain(t, page, "Which score does this response deserve? From 1 to 5.", "Because.")
	for _, attribute := range []string{`min="1" max="5"`, ">Score</label>"} {
		assert.Assert(t, strings.Contains(page, attribute), attribute)
	}
	for _, no := range []string{"3.25", "is better", "is the best", "Neither"} {
		assert.Assert(t, !strings.Contains(page, no), no)
	}
	answer := form(t, page, "number")
	answer.Set("number", "4")
	code, _, _ := s.post("/labels/ann", answer)
	assert.Equal(t, code, http.StatusSeeOther)
	file, err := labels.Read(d.Path)
	must(t, err)
	assert.Equal(t, file.Labels[0].Label, "4")
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
