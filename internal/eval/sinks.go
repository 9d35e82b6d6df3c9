package eval

import (
	"math"
	"sync/atomic"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// sink takes a judgment of a run, as it was read. It may be called from many goroutines.
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

// score counts a record that stands for what the run comes to, in the end and so far.
func (p *runState) score(r *judging.Record, read scoring.Read) error {
	err := p.records.Take(r, read)
	if err == nil {
		p.soFar.Add(r)
	}
	return err
}

// write puts a judgment whose checks have ended into the run's folder.
func (p *runState) write(r *judging.Record, _ scoring.Read) error { return p.dir.Write(r) }

// show tells who watches of a judgment.
func (e *Maker) show(r *judging.Record, _ scoring.Read) error {
	e.observer().Recorded(r)
	return nil
}

// alarm says what the judgments are no use for, or ends the run by it and keeps why.
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

// note has the manifest say how many were asked at once on the mean.
func (s *pace) note() {
	if m := s.run.Manifest; s.calls.Load() >= enoughCalls && s.run.AtOnce != nil && m.Model.Slots == 0 {
		mean := float64(s.asked.Load()) / float64(s.now().Sub(s.begun).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
}
