package eval

import (
	"math"
	"sync/atomic"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// sink processes a judgment of a run and its reading for the scores. It may be called from many goroutines.
type sink func(r *judging.Record, read scoring.Read) error

// sinks are several in a row: a judgment goes to each, until one fails.
type sinks []sink

func (all sinks) take(r *judging.Record, read scoring.Read) error {
	for _, take := range all {
		if err := take(r, read); err != nil {
			return err
		}
	}
	return nil
}

// score adds a final record to the scores, those at the end and those so far.
func (p *runState) score(r *judging.Record, read scoring.Read) error {
	err := p.records.Take(r, read)
	if err == nil {
		p.soFar.Add(r)
	}
	return err
}

// write stores a judgment whose checks have ended in the run's folder.
func (p *runState) write(r *judging.Record, _ scoring.Read) error { return p.dir.Write(r) }

// show passes a judgment to the observer.
func (e *Maker) show(r *judging.Record, _ scoring.Read) error {
	e.observer().Recorded(r)
	return nil
}

// alarm warns when the first judgments are useless, or ends the run and keeps the reason.
type alarm struct {
	alarms judging.Alarms
	say    func(format string, args ...any)
	end    func() // nil: the run goes on
	why    atomic.Pointer[string]
}

func (a *alarm) take(r *judging.Record, _ scoring.Read) error {
	switch text := a.alarms.Look(r); {
	case text == "":
	case a.end != nil && a.why.CompareAndSwap(nil, &text):
		a.end()
	default:
		a.say("%s", text)
	}
	return nil
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

func (s *pace) take(r *judging.Record, _ scoring.Read) error {
	if ms, _ := askedFor(r); ms > 0 {
		s.calls.Add(1)
		s.asked.Add(int64(ms))
	}
	return nil
}

// note stores in the manifest how many requests were sent at once on average.
func (s *pace) note() {
	if m := s.run.Manifest; s.calls.Load() >= enoughCalls && s.run.AtOnce != nil && m.Model.Slots == 0 {
		mean := float64(s.asked.Load()) / float64(s.now().Sub(s.begun).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
}
