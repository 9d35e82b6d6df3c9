package server

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"gavel/judging"
)

// A folder of shards alone, copied so that their results are older than their records, has a first page.
func TestFirstPageOfShardsAlone(t *testing.T) {
	dir := t.TempDir()
	shard(t, filepath.Join(dir, "a_shard-1-of-2"), "right")
	must(t, os.Remove(filepath.Join(dir, "a_shard-1-of-2", judging.ResultsFile)))
	s := newSite(t, dir, nil)
	if w := s.ask("GET", "/", ""); w.Code != 200 {
		t.Errorf("first page: %d\n%.1500s", w.Code, s.log)
	}
	if w := s.ask("GET", "/api/v1/leaderboard", ""); w.Code != 200 {
		t.Errorf("first page: %d\n", w.Code)
	}
}

// The score so far is of the run that is there, not of one that had its name before.
func TestScoreSoFarIsOfThisRun(t *testing.T) {
	dir := t.TempDir()
	g := newGrowing(t, filepath.Join(dir, "a"))
	g.append(g.lines[:40]...)
	var later atomic.Int64
	s := newSite(t, dir, func(o *Options) {
		o.Now = func() time.Time { return begun.Add(time.Duration(later.Load())) }
	})
	var p Progress
	s.data("/api/v1/runs/a/status", &p)
	s.background.Wait()
	s.data("/api/v1/runs/a/status", &p)
	if p.Scored != 40 {
		t.Fatal(p.Scored)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "a")))
	s.runs.Drop("a")
	m := makeRun(t, filepath.Join(dir, "a"), making{protocol: "pairwise", dataset: "sample", sim: "right", stop: 4})
	for range 3 {
		p = Progress{}
		s.data("/api/v1/runs/a/status", &p)
		s.background.Wait()
		later.Add(int64(time.Second / 2))
	}
	if p.Scored > p.Done {
		t.Errorf("run %.8s has %d judgments, and %d are diagnosed: %+v", m.ID, p.Done, p.Scored, p.Diagnosis)
	}
}
