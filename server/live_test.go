package server

import (
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
		o.Now = func() time.Time { return begun.Add(time.Duration(later.Load())) }
	})
	look := func() (p Progress) {
		t.Helper()
		s.data("/api/v1/runs/a/status", &p)
		s.running.work.Wait()
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
	says(t, page, p.Diagnosis.Text, "right in both orders", "the first is judged better", "40 of 64", "From 40 judgments so far")
	if strings.Count(textOf(parse(t, page)), " of 64") != 1 {
		t.Error("how far it is stands there twice")
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
	g.status(judging.Interrupted)
	if p := look(); p.Scored != 0 || p.Diagnosis != nil {
		t.Error("a run that has ended has its numbers elsewhere")
	}
}

// What was remembered tells nothing of the pace; what took three times as long as usual is slow.
func TestPace(t *testing.T) {
	x := &index{run: "a/b"}
	ago := func(d time.Duration) int64 { return begun.Add(-d).UnixMilli() }
	for i, took := range []uint32{1000, 0, 1200, 9000, 1100, 4000, 900, 5000, 3000} {
		x.ids.Add(string(rune('a' + i)))
		x.judgments = append(x.judgments, judgment{item: int32(i), took: took, tokens: 30, at: ago(time.Duration(60-i) * time.Second)})
	}
	var p Progress
	x.pace(&p, begun)
	if p.Usual != 3000 || p.Tokens != 30*8/60. || len(p.Slow) != 1 || p.Slow[0].Item != "d" || p.Slow[0].Milliseconds != 9000 || p.Slow[0].Link != "/runs/a%2Fb/items/d" {
		t.Errorf("usual %g ms, %g tokens a second, slow %+v", p.Usual, p.Tokens, p.Slow)
	}
	for range 20 {
		x.judgments = append(x.judgments, judgment{took: 800, at: ago(time.Hour)})
	}
	p = Progress{}
	x.pace(&p, begun)
	if len(p.Slow) != 3 || p.Slow[0].Milliseconds != 9000 || p.Slow[2].Milliseconds != 4000 || p.Usual != 800 {
		t.Errorf("the slowest: %+v, usual %g", p.Slow, p.Usual)
	}
	p = Progress{}
	if (&index{}).pace(&p, begun); p.Usual != 0 || p.Tokens != 0 || len(p.Slow) != 0 {
		t.Errorf("of nothing: %+v", p)
	}
}
