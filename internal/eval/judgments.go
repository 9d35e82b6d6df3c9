package eval

import (
	"math"
	"sync/atomic"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// take processes a judgment that was made, with its reading for the scores. It may be called from many goroutines.
func (p *runState) take(r *judging.Record, read scoring.Read) error {
	err := p.checks.take(r, read)
	if err == nil && p.follow != nil {
		err = p.follow.take(r, read)
	}
	return err
}

// takeStored processes a record of an earlier try that stands.
func (p *runState) takeStored(r *judging.Record, read scoring.Read) error {
	p.remember(r)
	if p.follow != nil {
		if err := p.follow.take(r, read); err != nil {
			return err
		}
	}
	return p.score(r, read)
}

// store writes a judgment whose checks have ended to the run's folder, and scores it.
func (p *runState) store(r *judging.Record, read scoring.Read) error {
	if err := p.dir.Write(r); err != nil {
		return err
	}
	return p.score(r, read)
}

// score adds a final record to the scores, those at the end and those so far.
func (p *runState) score(r *judging.Record, read scoring.Read) error {
	err := p.records.Take(r, read)
	if err == nil {
		p.soFar.Add(r)
	}
	return err
}

// pace measures how many judgments were asked for at once, where the run found out how many that may be.
type pace struct {
	run          *judging.Job
	begun        time.Time
	now          func() time.Time
	calls, asked atomic.Int64 // judgments asked for, and the milliseconds of their calls
}

// enoughCalls are those from which on the mean of what was asked at once tells more than the number to begin with.
const enoughCalls = 100

func (s *pace) count(r *judging.Record) {
	if ms, _ := askedFor(r); ms > 0 {
		s.calls.Add(1)
		s.asked.Add(int64(ms))
	}
}

// note stores in the manifest how many requests were sent at once on average.
func (s *pace) note() {
	if m := s.run.Manifest; s.calls.Load() >= enoughCalls && s.run.AtOnce != nil && m.Model.Slots == 0 {
		mean := float64(s.asked.Load()) / float64(s.now().Sub(s.begun).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
}
