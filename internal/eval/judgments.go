package eval

import (
	"math"
	"sync/atomic"
	"time"

	"gavel/judging"
	"gavel/scoring"
)

// take passes a new judgment, with the verdict read for the scores, to the checks and the rule. It may be called from
// several goroutines.
func (p *runState) take(r *judging.Record, read scoring.VerdictReadings) error {
	err := p.checks.takeJudgment(r, read)
	if err == nil && p.ruleFeed != nil {
		err = p.ruleFeed.take(r, read)
	}
	return err
}

// takeStored passes a valid record of an earlier try, with the verdict read for the scores, to the rule and the scores.
func (p *runState) takeStored(r *judging.Record, read scoring.VerdictReadings) error {
	p.addCompleted(r)
	if p.ruleFeed != nil {
		if err := p.ruleFeed.take(r, read); err != nil {
			return err
		}
	}
	return p.addStoredRecord(r, read)
}

// storeJudgment writes a judgment whose checks have ended to the run's folder and scores it.
func (p *runState) storeJudgment(r *judging.Record, read scoring.VerdictReadings) error {
	if err := p.dir.Write(r); err != nil {
		return err
	}
	return p.addStoredRecord(r, read)
}

// addStoredRecord adds a stored record to the scores at the end of the run and to those so far.
func (p *runState) addStoredRecord(r *judging.Record, read scoring.VerdictReadings) error {
	err := p.records.AddParsed(r, read)
	if err == nil {
		p.liveScore.Add(r)
	}
	return err
}

// concurrencyMeter measures the mean number of judgments in flight, if the run adapts its concurrency.
type concurrencyMeter struct {
	run   *judging.RunJob
	start time.Time        // when this try began
	now   func() time.Time // the clock
	// callCount counts the judgments asked of a server; milliseconds sums up how long their calls took.
	callCount, milliseconds atomic.Int64
}

// minCalls is the least number of judgments for which the mean replaces the starting number in the manifest.
const minCalls = 100

// addJudgment adds a judgment, unless a reply came from the cache.
func (s *concurrencyMeter) addJudgment(r *judging.Record) {
	if ms, _ := recordTimeAndTokens(r); ms > 0 {
		s.callCount.Add(1)
		s.milliseconds.Add(int64(ms))
	}
}

// addToManifest stores the mean number of judgments in flight in the manifest.
func (s *concurrencyMeter) addToManifest() {
	if m := s.run.Manifest; s.callCount.Load() >= minCalls && s.run.CurrentConcurrency != nil && m.Model.Slots == 0 {
		mean := float64(s.milliseconds.Load()) / float64(s.now().Sub(s.start).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
}
