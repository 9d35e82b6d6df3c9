package server

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"

	"gavel/internal/server/kept"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
)

// prefetcher reads the newest runs before anybody looks at them, when the server begins and when the list of runs was looked
// at: of a large run every record has to be read once, and who opens it should not have to wait for that. What it reads
// is kept where requests look for it; one who asks meanwhile waits for the rest, and reads nothing twice.
type prefetcher struct {
	s       *Server
	failed  *kept.LRU[string, store.Stamps] // runs that could not be read, as they were
	reading sync.Mutex                      // held by who reads
}

const (
	prefetchRuns  = 3         // far fewer than are kept: those that people look at stay
	prefetchBytes = 512 << 20 // of records; a larger run is read when it is looked at
)

func newPrefetcher(s *Server) *prefetcher {
	return &prefetcher{s: s, failed: kept.NewLRU[string, store.Stamps](1024)}
}

// begin reads the newest of the runs that are not read yet, in the background,
// one after the other; runs that this server makes come first.
func (a *prefetcher) begin(listed []store.Found) {
	if !a.reading.TryLock() {
		return
	}
	go func() {
		defer a.reading.Unlock()
		for _, run := range newest(listed) {
			if a.s.runs.Closing.Err() != nil || len(a.s.activeJobs()) > 0 {
				return
			}
			a.read(run)
		}
		for _, run := range listed {
			if a.s.runs.Closing.Err() != nil {
				return
			}
			a.sumUp(run)
		}
	}()
}

// wait waits for what is being read. The store's end ends that, and nothing is read after it.
func (a *prefetcher) wait() {
	a.reading.Lock()
	defer a.reading.Unlock()
}

// newest are the runs that are prefetched.
func newest(listed []store.Found) []store.Found {
	runs := slices.DeleteFunc(slices.Clone(listed), func(r store.Found) bool { return r.Err != nil })
	slices.SortStableFunc(runs, func(a, b store.Found) int { return b.Manifest.Started.Compare(a.Manifest.Started) })
	return runs[:min(len(runs), prefetchRuns)]
}

// read reads a run. What is wrong with it is said to whoever opens it.
func (a *prefetcher) read(run store.Found) {
	now := a.s.runs.Stamps(run.Name)
	if was, failed := a.failed.Get(run.Name); now.Records.Size > prefetchBytes || failed && was == now {
		return
	}
	defer a.survive(run, now)
	_, done, err := a.s.runs.Index(context.Background(), run.Name)
	if err != nil {
		a.failed.Put(run.Name, now)
		return
	}
	done()
	a.s.numbers(run.Name, run.Manifest)
}

// survive ends a panic: one run must not end the server.
func (a *prefetcher) survive(run store.Found, now store.Stamps) {
	if p := recover(); p != nil {
		a.s.opts.Log("reading %q: %v\n%s", markup.Visible(run.Name), p, debug.Stack())
		a.failed.Put(run.Name, now)
	}
}

// sumUp makes the numbers of a run that wrote none, as imports of earlier versions did, so that the list has them.
func (a *prefetcher) sumUp(run store.Found) {
	if run.Err != nil || run.Manifest.Status == judging.Running {
		return
	}
	sum := a.s.sum(run)
	if was, failed := a.failed.Get(run.Name); sum.outcomes != nil || sum.of.Records.Size > smallRun || failed && was == sum.of {
		return
	}
	defer a.survive(run, sum.of)
	rep, err := a.s.runs.Score(run.Name, run.Manifest)
	if err != nil {
		a.failed.Put(run.Name, sum.of)
		return
	}
	a.s.summing(run.Name, sum.of, rep)
}

// prefetchNewest begins to read the newest runs of the folder.
func (s *Server) prefetchNewest() {
	if runs, err := s.runs.List(); err == nil {
		s.prefetch.begin(runs)
	}
}
