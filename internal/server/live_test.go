package server

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gavel/judging"
)

// A run that is being made has a score before it ends: worked out beside the requests, and not for each of them.
func TestScoreSoFar(t *testing.T) {
	dir := t.TempDir()
	g := newGrowing(t, filepath.Join(dir, "a"))
	var later atomic.Int64
	s := newSite(t, dir, func(o *Options) {
		o.Now = func() time.Time { return testTime.Add(time.Duration(later.Load())) }
	})
	look := func() (p Progress) {
		t.Helper()
		s.data("/api/v1/runs/a/status", &p)
		s.backgroundMemo.Wait()
		s.data("/api/v1/runs/a/status", &p)
		return p
	}
	if p := look(); p.Diagnosis != nil || p.Scored != 0 {
		t.Errorf("of no judgments: %+v", p.Diagnosis)
	}
	g.append(g.lines[:40]...)
	p := look()
	if p.Scored != 40 || p.Done != 40 || p.Diagnosis == nil || p.Diagnosis.Text == "" {
		t.Fatalf("%d of %d scored: %+v", p.Scored, p.Done, p.Diagnosis)
	}
	page := s.get("/runs/a")
	mustContain(t, page, "correct in both orders on 45 % of 20 pairs", "Prefers the first response", "40 of 64", "From 40 judgments so far")
	if strings.Count(textOf(parse(t, page)), " of 64") != 1 {
		t.Error("how far it is stands there twice")
	}
	event := ""
	s.watch(t.Context(), "a", func(text string) error { event = text; return io.EOF })
	if !strings.Contains(event, "event: score") || !strings.Contains(event, "of 20 pairs") {
		t.Errorf("the page is told %s", event)
	}
	g.append(g.lines[40:50]...)
	if p := look(); p.Scored != 40 || p.Done != 50 {
		t.Errorf("a moment later %d of %d are scored", p.Scored, p.Done)
	}
	later.Store(int64(time.Hour))
	if p := look(); p.Scored != 50 {
		t.Errorf("after a while %d are scored", p.Scored)
	}
	g.append([]byte("{\n")) // what is known stays
	later.Store(int64(2 * time.Hour))
	if p := look(); p.Scored != 50 || p.Diagnosis == nil {
		t.Errorf("of a damaged file: %d", p.Scored)
	}
	must(t, os.RemoveAll(g.dir)) // another run has its name
	s.runs.ForgetRun("a")
	makeRun(t, g.dir, runSetup{sim: "right", stop: 4})
	for range 3 {
		if p := look(); p.Scored > p.Done || p.Done != 4 {
			t.Errorf("of %d judgments %d are diagnosed: %+v", p.Done, p.Scored, p.Diagnosis)
		}
		later.Add(int64(time.Second / 2))
	}
	g.status(judging.Interrupted)
	if p := look(); p.Scored != 0 || p.Diagnosis != nil {
		t.Error("a run that has ended has its numbers elsewhere")
	}
}
