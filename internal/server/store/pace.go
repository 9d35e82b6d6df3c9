package store

import (
	"cmp"
	"slices"
	"time"

	"gavel/judging"
)

// RunSpeed holds the speed of a run in progress.
type RunSpeed struct {
	// see [judging.Tempo]
	Rate              float64        `json:"rate" jsonschema:"judgments a second, of the last two minutes"`
	SecondsLeft       *float64       `json:"left_s" jsonschema:"seconds left at that rate; null if unknown"`
	Tokens            float64        `json:"reply_tokens_per_second" jsonschema:"of the last two minutes; 0 if unknown"`
	UsualMilliseconds float64        `json:"usual_ms" jsonschema:"median time of the newest judgments; 0 if unknown"`
	Slow              []SlowJudgment `json:"slow,omitempty" jsonschema:"judgments that took three times the usual or more"`
	LastWrite         time.Time      `json:"-"` // time of the last write to the records; zero without records
}

// SlowJudgment holds a judgment that took much longer than usual: the id of its item, and the time of its replies.
type SlowJudgment struct {
	Item         string  `json:"item"`
	Milliseconds float64 `json:"ms"`
}

// A judgment is slow if it took slowFactor the usual time, and at least slowLeast milliseconds.
const (
	slowFactor       = 3
	slowLeast        = 1000
	maxSlowJudgments = 3 // limit of the slow judgments that are listed, the slowest first
)

// Pace returns the speed of the run at the time now. Judgments with replies from the cache count for Rate and Left
// only.
func (x *Index) Pace(now time.Time) (p RunSpeed) {
	if x.recordsFile != nil {
		p.LastWrite = x.recordsFile.ModTime()
	}
	var tempo judging.Tempo
	var newest []float64
	tokens, since := 0, now
	for _, g := range x.judgments {
		tempo.Add(g.began)
	}
	p.Rate = tempo.PerSecond(now)
	if seconds, ok := tempo.Remaining(x.Manifest.Judgments-x.Counts.Records, now); ok {
		p.SecondsLeft = &seconds
	}
	for _, g := range slices.Backward(x.judgments) {
		if g.milliseconds == 0 {
			continue
		}
		if len(newest) < 1000 {
			newest = append(newest, g.milliseconds)
		}
		if now.Sub(g.began) <= 2*time.Minute {
			tokens += g.replyTokens
			if g.began.Before(since) {
				since = g.began
			}
		}
		if len(p.Slow) < maxSlowJudgments || g.milliseconds > p.Slow[maxSlowJudgments-1].Milliseconds {
			p.Slow = append(p.Slow, SlowJudgment{Item: x.ItemID(g.item), Milliseconds: g.milliseconds})
			slices.SortStableFunc(p.Slow, func(a, b SlowJudgment) int { return cmp.Compare(b.Milliseconds, a.Milliseconds) })
			p.Slow = p.Slow[:min(len(p.Slow), maxSlowJudgments)]
		}
	}
	if len(newest) > 0 {
		slices.Sort(newest)
		p.UsualMilliseconds = newest[len(newest)/2]
	}
	p.Slow = slices.DeleteFunc(p.Slow, func(j SlowJudgment) bool {
		return j.Milliseconds < max(slowLeast, slowFactor*p.UsualMilliseconds)
	})
	if s := now.Sub(since).Seconds(); s > 0 {
		p.Tokens = float64(tokens) / s
	}
	return p
}
