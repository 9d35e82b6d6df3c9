package judging

import (
	"slices"
	"time"
)

// Tempo is how fast a run goes, by when the newest of its judgments were begun:
// the last thousand, of the last two minutes, or, of a judge that takes longer for
// one, of three times as long as the newest is ago. All who say it say it by this one.
type Tempo struct {
	newest []time.Time
	next   int // the oldest of them, where there are tempoOf
}

const (
	tempoOf   = 1000
	tempoOver = 2 * time.Minute
)

// Add counts a judgment.
func (t *Tempo) Add(at time.Time) {
	if len(t.newest) < tempoOf {
		t.newest = append(t.newest, at)
		return
	}
	t.newest[t.next] = at
	t.next = (t.next + 1) % tempoOf
}

// PerSecond is how many judgments are made in a second; 0 where fewer than two
// tell, or none has come for much longer than they take.
func (t *Tempo) PerSecond(now time.Time) float64 {
	if len(t.newest) < 2 {
		return 0
	}
	newest := slices.MaxFunc(t.newest, time.Time.Compare)
	silent := now.Sub(newest)
	over := max(tempoOver, 3*silent)
	recent := slices.DeleteFunc(slices.Clone(t.newest), func(at time.Time) bool { return now.Sub(at) > over })
	if len(recent) < 2 {
		return 0
	}
	oldest := slices.MinFunc(recent, time.Time.Compare)
	apart := newest.Sub(oldest) / time.Duration(len(recent)-1)
	took := now.Sub(oldest).Seconds()
	if took <= 0 || silent > max(tempoOver, 3*apart) {
		return 0
	}
	return float64(len(recent)) / took
}

// Left is how many seconds so many judgments take; false where nobody can tell.
func (t *Tempo) Left(judgments int, now time.Time) (seconds float64, ok bool) {
	rate := t.PerSecond(now)
	if rate == 0 || judgments < 0 {
		return 0, false
	}
	return float64(judgments) / rate, true
}
