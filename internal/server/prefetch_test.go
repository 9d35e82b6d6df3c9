package server

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gavel/internal/server/jobs"
	"gavel/judging"
	"gavel/scoring"
)

// datedRuns makes runs "0", "1", … of which each began an hour after the one
// before it.
func datedRuns(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		at := filepath.Join(dir, fmt.Sprint(i))
		m := makeRun(t, at, making{protocol: "pairwise", dataset: "sample", sim: "right"})
		m.Started = begun.Add(time.Duration(i) * time.Hour)
		must(t, judging.WriteJSON(filepath.Join(at, judging.ManifestFile), m))
	}
}

// prefetchAll prefetches to the end, and gives what was read.
func (s *site) prefetchAll() []string {
	s.prefetchNewest()
	return s.read()
}

// read waits for what is being prefetched, and gives the runs whose numbers are there, which are made when they are read.
func (s *site) read() (read []string) {
	s.prefetch.wait()
	entries, err := os.ReadDir(s.dir)
	must(s.t, err)
	for _, e := range entries {
		if n, scored := s.scores.Get(e.Name()); scored && n.V.rep != nil {
			read = append(read, e.Name())
		}
	}
	return read
}

// The newest runs are read before anybody asks for them, and no others.
func TestNewestRunsArePrefetched(t *testing.T) {
	dir := t.TempDir()
	datedRuns(t, dir, 5)
	s := newSite(t, dir, nil)
	s.get("/")
	if read := s.read(); fmt.Sprint(read) != "[2 3 4]" {
		t.Errorf("prefetched: %v", read)
	}
	records := filepath.Join(dir, "4", judging.RecordsFile)
	info, err := os.Stat(records)
	must(t, err)
	text, err := os.ReadFile(records)
	must(t, err)
	write(t, records, strings.ReplaceAll(string(text), "[[A>B]]", "[[B>A]]"))
	must(t, os.Chtimes(records, info.ModTime(), info.ModTime()))
	var list ItemsView
	if s.data("/api/v1/runs/4/items?show=wrong", &list); list.Matches != 0 {
		t.Error("what was prefetched was read again")
	}
	write(t, records, "")
	s.prefetchAll()
	var page runView
	if s.data("/api/v1/runs/4", &page); page.Counts.Records != 0 {
		t.Errorf("the records are gone, %d are counted", page.Counts.Records)
	}
}

// Runs that wrote no numbers, as imports of earlier versions did, have them in the list without having been opened.
func TestRunsWithoutResultsAreSummedUp(t *testing.T) {
	dir := t.TempDir()
	datedRuns(t, dir, 5)
	for i := range 5 {
		must(t, os.Remove(filepath.Join(dir, fmt.Sprint(i), judging.ResultsFile)))
	}
	s := newSite(t, dir, nil)
	for _, want := range []int{0, 5} {
		var v runsView
		s.data("/api/v1/runs", &v)
		with := 0
		for _, r := range v.Runs {
			with += int(scoring.One(r.Headline != nil && r.Diagnosis != nil))
		}
		if with != want && want > 0 {
			t.Errorf("%d of %d runs have a headline", with, len(v.Runs))
		}
		s.prefetch.wait()
	}
	if whole := s.read(); len(whole) > prefetchRuns {
		t.Errorf("%v are kept whole", whole)
	}
}

// A server prefetches when it begins, too.
func TestServersBeginByPrefetching(t *testing.T) {
	dir := t.TempDir()
	datedRuns(t, dir, 1)
	s := newSite(t, dir, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	for there := false; !there; time.Sleep(time.Millisecond) { // the test's own time limit ends it
		_, there = s.scores.Get("0")
	}
	end()
	must(t, <-served)
}

func TestNothingIsPrefetched(t *testing.T) {
	for name, c := range map[string]func(t *testing.T, dir string) *site{
		"while a run is being made": func(t *testing.T, dir string) *site {
			return newSite(t, dir, func(o *Options) { o.Runner = &fakeRunner{jobs: []jobs.Job{{ID: "job1", Started: begun}}} })
		},
		"of a very large run": func(t *testing.T, dir string) *site {
			must(t, os.Truncate(filepath.Join(dir, "0", judging.RecordsFile), prefetchBytes+1)) // a hole: it takes no room
			return newSite(t, dir, nil)
		},
		"once the server is closed": func(t *testing.T, dir string) *site {
			s := newSite(t, dir, nil)
			must(t, s.Close())
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			datedRuns(t, dir, 1)
			s := c(t, dir)
			read := s.prefetchAll()
			if _, tried := s.prefetch.failed.Get("0"); len(read) > 0 || tried {
				t.Errorf("prefetched: %v, and tried: %v", read, tried)
			}
		})
	}
}

// A run that cannot be read is tried once, and its page says what is wrong.
func TestDamagedRunIsPrefetchedOnce(t *testing.T) {
	dir := t.TempDir()
	datedRuns(t, dir, 1)
	records := filepath.Join(dir, "0", judging.RecordsFile)
	must(t, os.Remove(records))
	must(t, os.Mkdir(records, 0o755))
	s := newSite(t, dir, nil)
	s.prefetchAll()
	if was, tried := s.prefetch.failed.Get("0"); !tried || was != s.runs.Stamps("0") {
		t.Error("it is not known that it was tried")
	}
	if w := s.ask("GET", "/runs/0", ""); w.Code != 422 || !strings.Contains(w.Body.String(), "not a regular file") {
		t.Errorf("its page: %d", w.Code)
	}
	must(t, os.Remove(records))
	makeRun(t, filepath.Join(dir, "0"), making{protocol: "pairwise", dataset: "sample", sim: "right"})
	if read := s.prefetchAll(); fmt.Sprint(read) != "[0]" {
		t.Errorf("after it was mended: %v", read)
	}
	again := newSite(t, dir, nil)
	again.prefetch.failed.Put("0", again.runs.Stamps("0"))
	if read := again.prefetchAll(); len(read) > 0 {
		t.Errorf("what was tried as it stands was tried again: %v", read)
	}
}

// An index is brought up to date when any file of the run is another one; of
// records even one of the same size and time.
func TestFilesThatAreReplaced(t *testing.T) {
	for name, c := range map[string]struct {
		file, old, new string
		page, says     string
	}{
		"records": {judging.RecordsFile, "[[A>B]]", "[[B>A]]", "/api/v1/runs/0/items?show=last", `"matches": 32`}, // of the same size
		"items":   {judging.ItemsFile, `"source": "Knowledge"`, `"source": "Hearsay"`, "/api/v1/runs/0/items?group=Hearsay", `"matches": 8`},
		"run":     {judging.ManifestFile, `"status": "complete"`, `"status": "interrupted"`, "/api/v1/runs/0/items", "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			makeRun(t, filepath.Join(dir, "0"), making{protocol: "pairwise", dataset: "sample", sim: "first"})
			s := newSite(t, dir, nil)
			if strings.Contains(s.get(c.page), c.says) {
				t.Fatalf("%q stands there before", c.says)
			}
			path := filepath.Join(dir, "0", c.file)
			info, err := os.Stat(path)
			must(t, err)
			text, err := os.ReadFile(path)
			must(t, err)
			changed := strings.ReplaceAll(string(text), c.old, c.new)
			if changed == string(text) {
				t.Fatalf("%s has nothing to replace", c.file)
			}
			write(t, path+".new", changed)
			must(t, os.Chtimes(path+".new", info.ModTime(), info.ModTime()))
			must(t, os.Rename(path+".new", path))
			if !strings.Contains(s.get(c.page), c.says) {
				t.Errorf("%q is not said after the file was replaced", c.says)
			}
		})
	}
}
