package judging

import (
	"slices"
	"time"
)

// Tempo measures the speed of a run from the start times of its newest judgments: the last thousand within two minutes
// or, if the newest is older, within three times its age. All displays of speed use it.
type Tempo struct {
	newest []time.Time // start times of the newest judgments, at most tempoSize
}

const (
	tempoSize   = 1000            // number of the newest judgments that a Tempo keeps
	tempoWindow = 2 * time.Minute // age up to which judgments count, if the newest is recent
)

// Add counts a judgment by the time when it began.
func (t *Tempo) Add(start time.Time) {
	if len(t.newest) == tempoSize {
		t.newest = t.newest[1:]
	}
	t.newest = append(t.newest, start)
}

// PerSecond returns the judgments per second, or 0 if fewer than two are recent, or if the newest is much older than
// the usual interval between two.
func (t *Tempo) PerSecond(now time.Time) float64 {
	if len(t.newest) < 2 {
		return 0
	}
	newest := slices.MaxFunc(t.newest, time.Time.Compare)
	sinceNewest := now.Sub(newest)
	window := max(tempoWindow, 3*sinceNewest)
	recent := slices.DeleteFunc(slices.Clone(t.newest), func(start time.Time) bool { return now.Sub(start) > window })
	if len(recent) < 2 {
		return 0
	}
	oldest := slices.MinFunc(recent, time.Time.Compare)
	gap := newest.Sub(oldest) / time.Duration(len(recent)-1)
	elapsed := now.Sub(oldest).Seconds()
	if elapsed <= 0 || sinceNewest > max(tempoWindow, 3*gap) {
		return 0
	}
	return float64(len(recent)) / elapsed
}

// Remaining returns the seconds that a number of judgments will take at the present speed; ok is false if unknown.
func (t *Tempo) Remaining(judgments int, now time.Time) (seconds float64, ok bool) {
	rate := t.PerSecond(now)
	if rate == 0 || judgments < 0 {
		return 0, false
	}
	return float64(judgments) / rate, true
}
