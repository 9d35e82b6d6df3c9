package scoring_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gavel/datasets"
	"gavel/scoring"
	"gavel/scoring/stats"
)

var (
	ownUnknown *datasets.Answer
	ownRight   = &datasets.Answer{Right: true}
	ownWrong   = &datasets.Answer{}
)

// referencedUnit is a pair that was judged rightly in both games or in one.
func referencedUnit(i int, group string, own *datasets.Answer, strict bool) twoGames {
	u := unit(fmt.Sprint(i), group, "A", "A", "A")
	if u.own = own; !strict {
		u.games[1] = "B"
	}
	return u
}

// references are the results that are about the judge's own answers.
func references(run *scoring.Run, group string) (found []scoring.Result) {
	for _, r := range run.Score(stats.Default).Results {
		if r.Group == group && slices.Contains(scoring.ReferenceMetrics, r.Metric) {
			found = append(found, r)
		}
	}
	return found
}

// By hand: of 10 pairs with G known, 6 own answers are right, of which 5 are
// judged strictly right; of the 4 wrong, 1. So n = 10, ΣG = 6, ΣJ = 6, ΣGJ = 5 and
// r = (10·5 − 6·6) / √(6·4 · 6·4) = 14/24.
func TestReferencesByHand(t *testing.T) {
	var units []twoGames
	add := func(n int, own *datasets.Answer, strict bool) {
		for range n {
			units = append(units, referencedUnit(len(units), "g", own, strict))
		}
	}
	add(50, ownRight, true)
	add(10, ownRight, false)
	add(10, ownWrong, true)
	add(30, ownWrong, false)
	add(70, ownUnknown, true)
	got := map[string]scoring.Result{}
	for _, r := range references(runOf(units...), scoring.Overall) {
		got[r.Metric] = r
	}
	for metric, want := range map[string]struct {
		value float64
		n     int
	}{
		scoring.GenerationAccuracy: {60, 100}, scoring.StrictOwnRight: {math.Round(500.0/6*1e4) / 1e4, 60}, scoring.StrictOwnWrong: {25, 40}, scoring.CorrelationGJ: {math.Round(14.0/24*1e6) / 1e6, 100},
	} {
		r := got[metric]
		if r.Value == nil || *r.Value != want.value || r.N != want.n || r.Low == nil || *r.Low >= *r.Value || *r.High < *r.Value || (r.Unit == scoring.UnitCorrelation) != (metric == scoring.CorrelationGJ) {
			t.Errorf("%s: %+v, want %v of %d", metric, r, want.value, want.n)
		}
	}
	if len(got) != len(scoring.ReferenceMetrics) {
		t.Errorf("%d metrics", len(got))
	}
}

func TestReferencesUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		units []twoGames
		notes map[string]string
	}{
		"none was shown": {[]twoGames{referencedUnit(0, "g", ownUnknown, true)}, nil},
		"none in the group": {[]twoGames{referencedUnit(0, "other", ownRight, true)}, map[string]string{
			scoring.GenerationAccuracy: "undefined: nobody knows of any pair whether the judge's own answer is right",
			scoring.CorrelationGJ:      "undefined: nobody knows of any pair whether the judge's own answer is right"}},
		"all own answers right": {[]twoGames{referencedUnit(0, "g", ownRight, true), referencedUnit(1, "g", ownRight, false)}, map[string]string{
			scoring.StrictOwnWrong: "undefined: no answer of the judge's own is known to be wrong",
			scoring.CorrelationGJ:  "undefined: G has no variance: the judge's own answers are all right"}},
		"all own answers wrong": {[]twoGames{referencedUnit(0, "g", ownWrong, true), referencedUnit(1, "g", ownWrong, false)}, map[string]string{
			scoring.StrictOwnRight: "undefined: no answer of the judge's own is known to be right",
			scoring.CorrelationGJ:  "undefined: G has no variance: the judge's own answers are all wrong"}},
		"all judged wrong": {[]twoGames{referencedUnit(0, "g", ownRight, false), referencedUnit(1, "g", ownWrong, false)}, map[string]string{
			scoring.CorrelationGJ: "undefined: J has no variance: the pairs are all judged wrong"}},
		"all judged right": {[]twoGames{referencedUnit(0, "g", ownRight, true), referencedUnit(1, "g", ownWrong, true)}, map[string]string{
			scoring.CorrelationGJ: "undefined: J has no variance: the pairs are all judged right"}},
	} {
		results := references(runOf(append(c.units, unit("y", "y", "A", "A", "A"), unit("z", "g", "A", "A", "A"))...), "g")
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
