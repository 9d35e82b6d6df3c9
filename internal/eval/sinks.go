package eval

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// sink takes the judgments of a run: take may be called from many goroutines, and close once, after the last.
type sink interface {
	take(r *judging.Record, read scoring.Read) error
	close() error
}

// sinks are several in a row: a judgment goes to each, until one fails.
type sinks []sink

func (all sinks) take(r *judging.Record, read scoring.Read) error {
	for _, one := range all {
		if err := one.take(r, read); err != nil {
			return err
		}
	}
	return nil
}

// close closes all of them, and returns the first error.
func (all sinks) close() (first error) {
	for _, one := range all {
		if err := one.close(); first == nil {
			first = err
		}
	}
	return first
}

// sinkFunc is a sink that has nothing to close.
type sinkFunc func(r *judging.Record, read scoring.Read) error

func (take sinkFunc) take(r *judging.Record, read scoring.Read) error { return take(r, read) }
func (sinkFunc) close() error                                         { return nil }

// scoreSink counts a record that stands for what the run comes to, in the end and so far.
func (p *runState) scoreSink() sink {
	return sinkFunc(func(r *judging.Record, read scoring.Read) error {
		err := p.records.Take(r, read)
		if err == nil {
			p.soFar.Add(r)
		}
		return err
	})
}

// recordSinks write a judgment whose checks have ended, and count it.
func (p *runState) recordSinks() sinks {
	return sinks{
		sinkFunc(func(r *judging.Record, _ scoring.Read) error { return p.dir.Write(r) }),
		p.scoreSink(),
	}
}

// watchers see each judgment of the run: records with the verdicts that are scored.
func (e *Maker) watchers(p *runState) sinks {
	alarm := &alarm{alarms: judging.Alarms{Manifest: p.job.Manifest}, say: e.say}
	if p.req.StopOnAlarm {
		alarm.end = p.endGently
	}
	return sinks{
		&pace{run: p.job, begun: e.Now(), now: e.Now},
		progress{e.observer()},
		alarm,
	}
}

// progress tells an observer.
type progress struct{ Observer }

func (to progress) take(r *judging.Record, _ scoring.Read) error {
	to.Recorded(r)
	return nil
}

func (to progress) close() error {
	to.RunEnded()
	return nil
}

// alarm says what the judgments are no use for, or ends the run by it: then the error of close says it.
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

func (a *alarm) close() error {
	if why := a.why.Load(); why != nil {
		return Failed(ErrIncomplete, errors.New(*why))
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

func (s *pace) close() error {
	if m := s.run.Manifest; s.calls.Load() >= enoughCalls && s.run.AtOnce != nil && m.Model.Slots == 0 {
		mean := float64(s.asked.Load()) / float64(s.now().Sub(s.begun).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
	return nil
}
