package eval

import (
	"math"
	"sync/atomic"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// take processes a new judgment and its reading for the scores. It may be called from several goroutines.
func (p *runState) take(r *judging.Record, read scoring.ParsedVerdict) error {
	err := p.checks.take(r, read)
	if err == nil && p.follow != nil {
		err = p.follow.take(r, read)
	}
	return err
}

// takeStored processes a valid record of an earlier try.
func (p *runState) takeStored(r *judging.Record, read scoring.ParsedVerdict) error {
	p.remember(r)
	if p.follow != nil {
		if err := p.follow.take(r, read); err != nil {
			return err
		}
	}
	return p.score(r, read)
}

// store writes a judgment whose checks have ended to the run's folder and scores it.
func (p *runState) store(r *judging.Record, read scoring.ParsedVerdict) error {
	if err := p.dir.Write(r); err != nil {
		return err
	}
	return p.score(r, read)
}

// score adds a final record to the scores at the end and to those so far.
func (p *runState) score(r *judging.Record, read scoring.ParsedVerdict) error {
	err := p.records.AddParsed(r, read)
	if err == nil {
		p.soFar.Add(r)
	}
	return err
}

// pace measures the mean number of judgments in flight, if the run adapts its concurrency.
type pace struct {
	run                 *judging.RunJob
	start               time.Time
	now                 func() time.Time
	calls, milliseconds atomic.Int64 // judgments asked, and milliseconds of their calls
}

// minCalls is the number of calls from which the measured mean replaces the starting concurrency.
const minCalls = 100

func (s *pace) count(r *judging.Record) {
	if ms, _ := requestTime(r); ms > 0 {
		s.calls.Add(1)
		s.milliseconds.Add(int64(ms))
	}
}

// note stores the mean number of requests in flight in the manifest.
func (s *pace) note() {
	if m := s.run.Manifest; s.calls.Load() >= minCalls && s.run.AtOnce != nil && m.Model.Slots == 0 {
		mean := float64(s.milliseconds.Load()) / float64(s.now().Sub(s.start).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
}
