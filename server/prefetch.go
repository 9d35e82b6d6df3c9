package server

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"

	"gavel/judging"
	"gavel/server/markup"
)

// prefetcher reads the newest runs before anybody looks at them, when the server begins and when the list of runs was looked
// at: of a large run every record has to be read once, and who opens it should not have to wait for that. What it reads
// is kept where requests look for it; one who asks meanwhile waits for the rest, and reads nothing twice.
type prefetcher struct {
	s       *Server
	failed  *lru[string, stamps] // runs that could not be read, as they were
	reading sync.Mutex           // held by who reads
}

const (
	prefetchRuns  = 3         // far fewer than are kept: those that people look at stay
	prefetchBytes = 512 << 20 // of records; a larger run is read when it is looked at
)

func newPrefetcher(s *Server) *prefetcher {
	return &prefetcher{s: s, failed: newLRU[string, stamps](1024)}
}

// begin reads the newest of the runs that are not read yet, in the background,
// one after the other; runs that this server makes come first.
func (a *prefetcher) begin(listed []found) {
	if !a.reading.TryLock() {
		return
	}
	go func() {
		defer a.reading.Unlock()
		for _, run := range newest(listed) {
			if a.s.runs.closing.Err() != nil || len(a.s.activeJobs()) > 0 {
				return
			}
			a.read(run)
		}
		for _, run := range listed {
			if a.s.runs.closing.Err() != nil {
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
func newest(listed []found) []found {
	runs := slices.DeleteFunc(slices.Clone(listed), func(r found) bool { return r.err != nil })
	slices.SortStableFunc(runs, func(a, b found) int { return b.m.Started.Compare(a.m.Started) })
	return runs[:min(len(runs), prefetchRuns)]
}

// read reads a run. What is wrong with it is said to whoever opens it.
func (a *prefetcher) read(run found) {
	now := a.s.stampsOf(run.name)
	if was, failed := a.failed.get(run.name); now.records.size > prefetchBytes || failed && was == now {
		return
	}
	defer a.survive(run, now)
	_, done, err := a.s.index(context.Background(), run.name)
	if err != nil {
		a.failed.put(run.name, now)
		return
	}
	done()
	a.s.numbers(run.name, run.m)
}

// survive ends a panic: one run must not end the server.
func (a *prefetcher) survive(run found, now stamps) {
	if p := recover(); p != nil {
		a.s.opts.Log("reading %q: %v\n%s", markup.Visible(run.name), p, debug.Stack())
		a.failed.put(run.name, now)
	}
}

// sumUp makes the numbers of a run that wrote none, as imports of earlier versions did, so that the list has them.
func (a *prefetcher) sumUp(run found) {
	if run.err != nil || run.m.Status == judging.Running {
		return
	}
	sum := a.s.sum(run)
	if was, failed := a.failed.get(run.name); sum.outcomes != nil || sum.of.records.size > smallRun || failed && was == sum.of {
		return
	}
	defer a.survive(run, sum.of)
	rep, err := a.s.score(run.name, run.m)
	if err != nil {
		a.failed.put(run.name, sum.of)
		return
	}
	a.s.summing(run.name, sum.of, rep)
}

// prefetchNewest begins to read the newest runs of the folder.
func (s *Server) prefetchNewest() {
	if runs, err := s.runs.list(); err == nil {
		s.prefetch.begin(runs)
	}
}
