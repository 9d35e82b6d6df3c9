package scoring

import (
	"fmt"
	"math"
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring/stats"
)

// referencedUnit is a pair that was judged rightly in both games or in one.
func referencedUnit(i int, group string, own int8, strict bool) Unit {
	p := &Pattern{Group: group, Own: own}
	for g := range p.Games {
		p.Games[g] = Game{Outcome: judging.Decided, seen: true}
	}
	if !strict {
		p.Games[1].Choice = 1
	}
	return Unit{fmt.Sprint(i), p}
}

// By hand: of 10 pairs with G known, 6 own answers are right, of which 5 are
// judged strictly right; of the 4 wrong, 1. So n = 10, ΣG = 6, ΣJ = 6, ΣGJ = 5 and
// r = (10·5 − 6·6) / √(6·4 · 6·4) = 14/24.
func TestReferencesByHand(t *testing.T) {
	var units []Unit
	add := func(n int, own int8, strict bool) {
		for range n {
			units = append(units, referencedUnit(len(units), "g", own, strict))
		}
	}
	add(5, OwnRight, true)
	add(1, OwnRight, false)
	add(1, OwnWrong, true)
	add(3, OwnWrong, false)
	add(7, OwnUnknown, true)
	got := map[string]Result{}
	for _, r := range scoreReferences(Overall, units, stats.Default) {
		got[r.Metric] = r
	}
	for metric, want := range map[string]struct {
		value float64
		n     int
	}{
		GenerationAccuracy: {60, 10}, StrictOwnRight: {math.Round(500.0/6*1e4) / 1e4, 6}, StrictOwnWrong: {25, 4}, CorrelationGJ: {math.Round(14.0/24*1e6) / 1e6, 10},
	} {
		r := got[metric]
		if r.Value == nil || *r.Value != want.value || r.N != want.n || r.Low == nil || *r.Low >= *r.Value || *r.High < *r.Value || (r.Unit == UnitCorrelation) != (metric == CorrelationGJ) {
			t.Errorf("%s: %+v, want %v of %d", metric, r, want.value, want.n)
		}
	}
	if len(got) != len(ReferenceMetrics) {
		t.Errorf("%d metrics", len(got))
	}
}

func TestReferencesUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		units []Unit
		notes map[string]string
	}{
		"none was shown": {[]Unit{referencedUnit(0, "g", OwnUnknown, true)}, nil},
		"none in the group": {[]Unit{referencedUnit(0, "other", OwnRight, true)}, map[string]string{
			GenerationAccuracy: "undefined: nobody knows of any pair whether the judge's own answer is right",
			CorrelationGJ:      "undefined: nobody knows of any pair whether the judge's own answer is right"}},
		"all own answers right": {[]Unit{referencedUnit(0, "g", OwnRight, true), referencedUnit(1, "g", OwnRight, false)}, map[string]string{
			StrictOwnWrong: "undefined: no answer of the judge's own is known to be wrong",
			CorrelationGJ:  "undefined: G has no variance: the judge's own answers are all right"}},
		"all own answers wrong": {[]Unit{referencedUnit(0, "g", OwnWrong, true), referencedUnit(1, "g", OwnWrong, false)}, map[string]string{
			StrictOwnRight: "undefined: no answer of the judge's own is known to be right",
			CorrelationGJ:  "undefined: G has no variance: the judge's own answers are all wrong"}},
		"all judged wrong": {[]Unit{referencedUnit(0, "g", OwnRight, false), referencedUnit(1, "g", OwnWrong, false)}, map[string]string{
			CorrelationGJ: "undefined: J has no variance: the pairs are all judged wrong"}},
		"all judged right": {[]Unit{referencedUnit(0, "g", OwnRight, true), referencedUnit(1, "g", OwnWrong, true)}, map[string]string{
			CorrelationGJ: "undefined: J has no variance: the pairs are all judged right"}},
	} {
		results := scoreReferences("g", c.units, stats.Default)
		if (results == nil) != (c.notes == nil) {
			t.Errorf("%s: %+v", name, results)
		}
		for _, r := range results {
			if note, ok := c.notes[r.Metric]; ok && (r.Note != note || r.Value != nil || r.Low != nil) {
				t.Errorf("%s, %s: %+v, want %q", name, r.Metric, r, note)
			}
		}
	}
}

// What a record says of the judge's own answer reaches its pair.
func TestOwnAnswersOfRecords(t *testing.T) {
	for want, own := range map[int8]*datasets.Answer{OwnUnknown: nil, OwnRight: {Right: true}, OwnWrong: {}} {
		if got := knownOwn(&judging.Record{Own: own}); got != want {
			t.Errorf("%+v: %d", own, got)
		}
	}
}
