package store

import (
	"testing"
	"time"

	"gavel/judging"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestRateAndTimeLeft(t *testing.T) {
	x := &Index{Run: "a", Manifest: &judging.Manifest{Status: judging.Running, Judgments: 100}, Counts: RecordCounts{Records: 40}}
	for i := range 40 { // one every 2 s, the last just now
		x.judgments = append(x.judgments, IndexedJudgment{began: now.Add(-time.Duration(39-i) * 2 * time.Second)})
	}
	p := x.Pace(now)
	if want := 40.0 / 78; p.Rate != want || p.SecondsLeft == nil || *p.SecondsLeft != 60/want {
		t.Errorf("rate %g, left %v; want %g and %g", p.Rate, p.SecondsLeft, want, 60/want)
	}
	later := x.Pace(now.Add(time.Hour))
	if later.Rate != 0 || later.SecondsLeft != nil {
		t.Errorf("an hour later: rate %g, left %v", later.Rate, later.SecondsLeft)
	}
}

// What was remembered tells nothing of the pace; what took three times as long as usual is slow.
func TestPace(t *testing.T) {
	x := &Index{Manifest: &judging.Manifest{}, itemNumbers: map[string]int{}}
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for i, took := range []float64{1000, 0, 1200, 9000, 1100, 4000, 900, 5000, 3000} {
		x.itemNumber(string(rune('a'+i)), "")
		x.judgments = append(x.judgments, IndexedJudgment{item: i, milliseconds: took, replyTokens: 30, began: ago(time.Duration(60-i) * time.Second)})
	}
	p := x.Pace(now)
	if p.UsualMilliseconds != 3000 || p.Tokens != 30*8/60. || len(p.Slow) != 1 || p.Slow[0].Item != "d" || p.Slow[0].Milliseconds != 9000 {
		t.Errorf("usual %g ms, %g tokens a second, slow %+v", p.UsualMilliseconds, p.Tokens, p.Slow)
	}
	for range 20 {
		x.judgments = append(x.judgments, IndexedJudgment{milliseconds: 800, began: ago(time.Hour)})
	}
	p = x.Pace(now)
	if len(p.Slow) != 3 || p.Slow[0].Milliseconds != 9000 || p.Slow[2].Milliseconds != 4000 || p.UsualMilliseconds != 800 {
		t.Errorf("the slowest: %+v, usual %g", p.Slow, p.UsualMilliseconds)
	}
	x = &Index{Manifest: &judging.Manifest{}}
	if p := x.Pace(now); p.UsualMilliseconds != 0 || p.Tokens != 0 || len(p.Slow) != 0 {
		t.Errorf("of nothing: %+v", p)
	}
}
