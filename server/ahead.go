package server

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
)

// ahead reads the newest runs before anybody looks at them, when the server begins and when the list of runs was looked
// at: of a large run every record has to be read once, and who opens it should not have to wait for that. What it reads
// is kept where requests look for it; one who asks meanwhile waits for the rest, and reads nothing twice.
type ahead struct {
	s       *Server
	failed  *lru[string, stamps] // runs that could not be read, as they were
	reading sync.Mutex           // held by who reads
}

const (
	aheadRuns  = 3         // far fewer than are kept: those that people look at stay
	aheadBytes = 512 << 20 // of records; a larger run is read when it is looked at
)

func newAhead(s *Server) *ahead { return &ahead{s: s, failed: newLRU[string, stamps](64)} }

// begin reads the newest of the runs that are not read yet, in the background,
// one after the other; runs that this server makes come first.
func (a *ahead) begin(listed []found) {
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
	}()
}

// wait waits for what is being read. The store's end ends that, and nothing is read after it.
func (a *ahead) wait() {
	a.reading.Lock()
	defer a.reading.Unlock()
}

// newest are the runs that are read ahead.
func newest(listed []found) []found {
	runs := slices.DeleteFunc(slices.Clone(listed), func(r found) bool { return r.err != nil })
	slices.SortStableFunc(runs, func(a, b found) int { return b.m.Started.Compare(a.m.Started) })
	return runs[:min(len(runs), aheadRuns)]
}

// read reads a run. What is wrong with it is said to whoever opens it.
func (a *ahead) read(run found) {
	now := a.s.stampsOf(run.name)
	if was, failed := a.failed.get(run.name); now.records.size > aheadBytes || failed && was == now {
		return
	}
	defer func() {
		if p := recover(); p != nil { // one run must not end the server
			a.s.opts.Log("reading %q: %v\n%s", visible(run.name), p, debug.Stack())
			a.failed.put(run.name, now)
		}
	}()
	_, done, err := a.s.index(context.Background(), run.name)
	if err != nil {
		a.failed.put(run.name, now)
		return
	}
	done()
	a.s.numbers(run.name, run.m)
}

// lookAhead begins to read the newest runs of the folder.
func (s *Server) lookAhead() {
	if runs, err := s.runs.list(); err == nil {
		s.ahead.begin(runs)
	}
}
