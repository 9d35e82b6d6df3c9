package server

import (
	"html/template"
	"runtime/debug"
	"sync"
	"time"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
	"gavel/server/kept"
	"gavel/server/markup"
	"gavel/server/store"
)

// running keeps what the records of runs that are being made come to so far. It is worked out beside the requests, which
// show what there is; one run at a time has its turn, and the more work it is the more seldom.
type running struct {
	mu     sync.Mutex
	scores *kept.LRU[string, *soFar]
	work   sync.WaitGroup
	turn   sync.Mutex
}

// soFar is what a run's records came to when they were last looked at.
type soFar struct {
	of        store.Stamp // of the records
	diagnosis *scoring.Diagnosis
	judgments int           // that it is made of
	page      template.HTML // diagnosis and tiles
	next      time.Time     // not to be looked at again before
	busy      bool
}

const (
	scoreEvery = 3 * time.Second
	scoreShare = 20        // of the time at most one part in so many is spent on scores
	scoreBytes = 256 << 20 // of records; a larger run has its score when it has ended
)

// scoreSoFar is what is known of a run that is being made; where there is more by now, that is worked out for the next
// who asks.
func (s *Server) scoreSoFar(run string, m *judging.Manifest) soFar {
	if m.Status != judging.Running {
		return soFar{}
	}
	l, now := &s.running, s.runs.Stamps(run).Records
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.scores.GetOr(run, func() *soFar { return new(soFar) })
	if !at.busy && at.of != now && now.Size > 0 && now.Size <= scoreBytes && !s.now().Before(at.next) && s.ending.Err() == nil {
		at.busy = true
		l.work.Go(func() { s.scoreNow(run, m, at, now) })
	}
	return *at
}

// scoreNow reads a run's records. What is wrong with them is said elsewhere.
func (s *Server) scoreNow(run string, m *judging.Manifest, at *soFar, of store.Stamp) {
	l := &s.running
	l.turn.Lock()
	defer l.turn.Unlock()
	began, found := time.Now(), soFar{}
	defer func() {
		if p := recover(); p != nil { // one run must not end the server
			s.opts.Log("scoring %q: %v\n%s", markup.Visible(run), p, debug.Stack())
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if found.of, found.next = of, s.now().Add(max(scoreEvery, scoreShare*time.Since(began))); found.page == "" { // what was known stays
			found.page, found.diagnosis, found.judgments = at.page, at.diagnosis, at.judgments
		}
		*at = found
	}()
	loaded, err := s.runs.LoadBy(run, m, scoring.DefaultOptions.Reading, nil)
	if err != nil {
		return
	}
	rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
	if rep.Diagnosis == nil {
		return
	}
	if page, err := report.Verdict(rep); err == nil {
		found.page, found.diagnosis, found.judgments = page, rep.Diagnosis, rep.Judgments()
	}
}
