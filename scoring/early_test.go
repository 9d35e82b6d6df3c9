package scoring_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// drawnRun is a run of n pairs, asked in the order of a seed, of which those at some places are judged: right tells on
// which the judge is right, by place; failed are places of which a judgment failed.
func drawnRun(n int, seed int64, judged []int, right func(place int) bool, failed ...int) *scoring.Run {
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	drawn := judging.ShuffleIDs(ids, seed)
	m := pairsManifest(n)
	m.OrderSeed, m.Status = &seed, judging.Interrupted
	var units []twoJudgments
	for _, place := range judged {
		judgments := []string{"A", "B"}
		if right(place) {
			judgments[1] = "A"
		}
		for _, f := range failed {
			if f == place {
				judgments[0] = "failed"
			}
		}
		units = append(units, unit(drawn[place], "g", "A", judgments...))
	}
	run := runBy(m, units...)
	run.SetItemIDs(func() ([]string, error) { return ids, nil })
	return run
}

func firstPlaces(n int) (places []int) {
	for i := range n {
		places = append(places, i)
	}
	return places
}

func even(place int) bool { return place%2 == 0 }

func wantInterval(t *testing.T, r scoring.Result, by string, low, high float64) {
	t.Helper()
	if r.IntervalMethod != by || r.Low == nil || math.Abs(*r.Low-100*low) > 1e-3 || math.Abs(*r.High-100*high) > 1e-3 {
		t.Errorf("%s, want %s from %v to %v", show(r), by, 100*low, 100*high)
	}
}

// Of a run that is not at its end intervals are those that hold at every look, over the first items of its
// order: up to a gap, whatever came after it.
func TestEarly(t *testing.T) {
	whole := drawnRun(40, 7, firstPlaces(40), even).Score(quick)
	if r := find(t, whole, "strict", scoring.Overall); r.IntervalMethod != scoring.IntervalByBlaker || len(whole.Warnings) > 0 {
		t.Errorf("of a complete run: %s, %q", show(r), whole.Warnings)
	}
	iv := stats.BetaBinomialSequence(10, 20, quick.Level, 100)
	part := drawnRun(40, 7, firstPlaces(20), even).Score(quick)
	wantInterval(t, find(t, part, "strict", scoring.Overall), scoring.IntervalBySequence, iv.Low, iv.High)
	gap := append(firstPlaces(20), 25, 27, 29, 31)
	after := drawnRun(40, 7, gap, even).Score(quick)
	r := find(t, after, "strict", scoring.Overall)
	if wantInterval(t, r, scoring.IntervalBySequence, iv.Low, iv.High); r.N != 24 {
		t.Errorf("the value is of all that is judged: %s", show(r))
	}
	lost := drawnRun(40, 7, firstPlaces(20), even, 4, 6).Score(quick)
	wantInterval(t, find(t, lost, "strict", scoring.Overall), scoring.IntervalBySequence, stats.BetaBinomialSequence(8, 20, quick.Level, 100).Low, iv.High)
	if r := find(t, part, "first-position", scoring.Overall); r.IntervalMethod != scoring.IntervalByBetting || r.Low == nil || *r.Low > *r.Value || *r.High < *r.Value {
		t.Error(show(r))
	}
	if text := strings.Join(part.Warnings, "\n"); !strings.Contains(text, "valid at every look") {
		t.Error(text)
	}
	unknown := drawnRun(40, 7, firstPlaces(20), even)
	unknown.SetItemIDs(func() ([]string, error) { return nil, fmt.Errorf("gone") })
	if r := find(t, unknown.Score(quick), "strict", scoring.Overall); r.Value == nil || r.Low != nil || !strings.Contains(r.Note, "interval: none") {
		t.Errorf("without the ids of all items: %s", show(r))
	}
	stopped := drawnRun(40, 7, firstPlaces(20), even)
	stopped.Manifest.Stopped = &judging.StopRule{Rule: "until strict>=60", Alpha: 0.05, Looks: 12, ItemCount: 12}
	rep := stopped.Score(quick)
	iv = stats.BetaBinomialSequence(6, 12, quick.Level, 100)
	if wantInterval(t, find(t, rep, "strict", scoring.Overall), scoring.IntervalBySequence, iv.Low, iv.High); rep.StopRule == nil || rep.StopRule.ItemCount != 12 {
		t.Errorf("%+v", rep.StopRule)
	}
}

// TestEarlyLeftOut: a share from which pairs are left out keeps its sequence, over those that count, as --until has it.
func TestEarlyLeftOut(t *testing.T) {
	seed := int64(7)
	var ids []string
	for i := range 40 {
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	m := pairsManifest(40)
	m.OrderSeed, m.Status = &seed, judging.Interrupted
	var units []twoJudgments
	for place, id := range judging.ShuffleIDs(ids, seed)[:20] {
		switch second := []string{"A", "B"}[place%2]; {
		case place < 4:
			units = append(units, unit(id, "g", "A", "A", "")) // no consistency to be seen
		default:
			units = append(units, unit(id, "g", "A", "A", second))
		}
	}
	run := runBy(m, units...)
	run.SetItemIDs(func() ([]string, error) { return ids, nil })
	iv := stats.BetaBinomialSequence(8, 16, quick.Level, 100)
	wantInterval(t, find(t, run.Score(quick), "consistency", scoring.Overall), scoring.IntervalBySequence, iv.Low, iv.High)
}

// Two runs, one of which is not at its end, are held against each other by an e-value and a betting sequence, over the
// first items of the order that both have judged.
func TestEarlyCompared(t *testing.T) {
	a := drawnRun(60, 7, firstPlaces(60), func(place int) bool { return place%4 == 0 })
	b := drawnRun(60, 7, append(firstPlaces(30), 40, 41, 42), func(place int) bool { return place%4 != 1 })
	a.Dir, b.Dir = "a", "b"
	got, err := scoring.Compare([]*scoring.Run{a, b}, quick)
	if err != nil {
		t.Fatal(err)
	}
	k := 0
	var scores []float64
	for place := range 30 {
		d := 0.0
		if place%4 > 1 {
			d = 1
			k++
		}
		scores = append(scores, d)
	}
	want := math.Exp(stats.LogE(k, k))
	iv := stats.BettingSequence(scores, 0, quick.Level)
	d := got.Comparisons[0].Differences[0]
	if d.Metric != "strict" || d.E == nil || math.Abs(*d.E-want) > 1e-6*want || math.Abs(*d.P-1/want) > 1e-9 || d.IntervalMethod != scoring.IntervalByBetting || math.Abs(*d.Low-100*iv.Low) > 1e-3 || math.Abs(*d.High-100*iv.High) > 1e-3 {
		t.Errorf("%+v, want E = %v and %v", d, want, iv)
	}
	if d.N != 33 || d.Test != "e-value" {
		t.Errorf("%+v", d)
	}
	ranks, err := scoring.Rank([]*scoring.Run{a, b}, quick)
	if err != nil || ranks[0].Pairs[0].E == nil || math.Abs(*ranks[0].Pairs[0].E-want) > 1e-6*want || !strings.Contains(ranks[0].Test, "e-value") {
		t.Errorf("%v %+v", err, ranks)
	}
	if err := got.TestMargin(3); err != nil || got.Comparisons[0].MarginTest.Verdict != scoring.MarginDifferent {
		t.Errorf("%v: %+v", err, got.Comparisons[0].MarginTest)
	}
	other := drawnRun(60, 8, firstPlaces(30), even)
	got, err = scoring.Compare([]*scoring.Run{b, other}, quick)
	if err != nil {
		t.Fatal(err)
	}
	if d := got.Comparisons[0].Differences[0]; d.P != nil || d.Low != nil || d.A == nil {
		t.Errorf("asked in two orders: %+v", d)
	}
}
