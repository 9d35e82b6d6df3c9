package scoring_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gavel/datasets"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
	"gavel/scoring"
	"gavel/scoring/stats"
)

var (
	ownUnknown *datasets.Answer
	ownRight   = &datasets.Answer{Right: true}
	ownWrong   = &datasets.Answer{}
)

// referencedUnit is a pair that was judged rightly in both judgments or in one.
func referencedUnit(i int, group string, own *datasets.Answer, strict bool) twoJudgments {
	u := unit(fmt.Sprint(i), group, "A", "A", "A")
	if u.own = own; !strict {
		u.judgments[1] = "B"
	}
	return u
}

// references are the results that are about the judge's own answers.
func references(run *scoring.Run, group string) (found []scoring.Result) {
	for _, r := range run.Score(stats.Default).Results {
		if r.Group == group && slices.Contains(pairwise.ReferenceMetrics, r.Metric) {
			found = append(found, r)
		}
	}
	return found
}

// By hand: of 10 pairs with G known, 6 own answers are right, of which 5 are
// judged strictly right; of the 4 wrong, 1. So n = 10, ΣG = 6, ΣJ = 6, ΣGJ = 5 and
// r = (10·5 − 6·6) / √(6·4 · 6·4) = 14/24.
func TestReferencesByHand(t *testing.T) {
	var units []twoJudgments
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
		scoring.GenerationAccuracy: {60, 100}, pairwise.StrictOwnRight: {math.Round(500.0/6*1e4) / 1e4, 60}, pairwise.StrictOwnWrong: {25, 40}, selfreference.CorrelationGJ: {math.Round(14.0/24*1e6) / 1e6, 100},
	} {
		r := got[metric]
		if r.Value == nil || *r.Value != want.value || r.N != want.n || r.Low == nil || *r.Low >= *r.Value || *r.High < *r.Value || (r.Unit == scoring.UnitCorrelation) != (metric == selfreference.CorrelationGJ) {
			t.Errorf("%s: %+v, want %v of %d", metric, r, want.value, want.n)
		}
	}
	if len(got) != len(pairwise.ReferenceMetrics) {
		t.Errorf("%d metrics", len(got))
	}
}

func TestReferencesUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		units []twoJudgments
		notes map[string]string
	}{
		"none was shown": {[]twoJudgments{referencedUnit(0, "g", ownUnknown, true)}, nil},
		"none in the group": {[]twoJudgments{referencedUnit(0, "other", ownRight, true)}, map[string]string{
			scoring.GenerationAccuracy:  "undefined: nobody knows of any pair whether the judge's own answer is right",
			selfreference.CorrelationGJ: "undefined: nobody knows of any pair whether the judge's own answer is right"}},
		"all own answers right": {[]twoJudgments{referencedUnit(0, "g", ownRight, true), referencedUnit(1, "g", ownRight, false)}, map[string]string{
			pairwise.StrictOwnWrong:     "undefined: no answer of the judge's own is known to be wrong",
			selfreference.CorrelationGJ: "undefined: G has no variance: the judge's own answers are all right"}},
		"all own answers wrong": {[]twoJudgments{referencedUnit(0, "g", ownWrong, true), referencedUnit(1, "g", ownWrong, false)}, map[string]string{
			pairwise.StrictOwnRight:     "undefined: no answer of the judge's own is known to be right",
			selfreference.CorrelationGJ: "undefined: G has no variance: the judge's own answers are all wrong"}},
		"all judged wrong": {[]twoJudgments{referencedUnit(0, "g", ownRight, false), referencedUnit(1, "g", ownWrong, false)}, map[string]string{
			selfreference.CorrelationGJ: "undefined: J has no variance: the pairs are all judged wrong"}},
		"all judged right": {[]twoJudgments{referencedUnit(0, "g", ownRight, true), referencedUnit(1, "g", ownWrong, true)}, map[string]string{
			selfreference.CorrelationGJ: "undefined: J has no variance: the pairs are all judged right"}},
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
