package report

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/datasets/references"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// world draws the main family of a study: each judge is correct in both orders on 55 % of 350 pairs under the goal
// better, and on the given share under the reversed goal. On three quarters of the pairs both goals come from one draw.
func world(rng *rand.Rand, shares ...float64) *Study {
	s := &Study{}
	for i, share := range shares {
		var counts scoring.Table2x2
		for range 350 {
			u, v := rng.Float64(), rng.Float64()
			if rng.Float64() < 0.75 {
				v = u
			}
			counts.AddUnits(u < 0.55, v < share, 1)
		}
		s.Differences = append(s.Differences, StudyDifference{
			Family: mainTestFamily, Judge: fmt.Sprint(i), Difference: *scoring.ConsistentDifference("strict", scoring.Overall, counts),
		})
	}
	s.test(mainTestFamily)
	return s
}

// TestStudyFindsAnEffect: 12 points are found in at least 95 % of 200 worlds beside four judges without an effect, in
// their direction. Five judges without an effect have a false one in at most 5 % of worlds.
func TestStudyFindsAnEffect(t *testing.T) {
	const worlds = 200
	rng := rand.New(rand.NewPCG(1, 2))
	helped, hurt, wrong := 0, 0, 0
	for range worlds {
		helped += int(scoring.Indicator(world(rng, 0.67, 0.55, 0.55, 0.55, 0.55).Differences[0].Verdict == reversalHelps))
		hurt += int(scoring.Indicator(world(rng, 0.43, 0.55, 0.55, 0.55, 0.55).Differences[0].Verdict == reversalHurts))
		wrong += int(scoring.Indicator(strings.HasPrefix(world(rng, 0.55, 0.55, 0.55, 0.55, 0.55).answer(), "Reversing")))
	}
	t.Logf("found: %d and %d of %d; wrong: %d", helped, hurt, worlds, wrong)
	if helped < worlds*95/100 || hurt < worlds*95/100 || wrong > worlds*5/100 {
		t.Errorf("found: %d and %d of %d; wrong: %d", helped, hurt, worlds, wrong)
	}
}

// TestStudyVerdicts: Holm's correction covers the judges of one family alone; a difference that missing verdicts
// explain is none of the goal; and before all runs of a family are complete nothing is tested.
func TestStudyVerdicts(t *testing.T) {
	difference := func(family, judge string, onlyBetter, onlyWorse int) StudyDifference {
		x := scoring.ConsistentDifference("strict", scoring.Overall,
			scoring.Table2x2{Both: 50, OnlyA: onlyBetter, OnlyB: onlyWorse, Neither: 50 - onlyBetter - onlyWorse})
		x.Holm = new(1.0) // of another family
		x.NotSignificant = true
		return StudyDifference{Family: family, Judge: judge, Difference: *x}
	}
	s := &Study{Differences: []StudyDifference{
		difference(mainTestFamily, "helped", 0, 12),    // p = 2 · 2⁻¹², times 4
		difference(mainTestFamily, "hurt", 10, 0),      // p = 2 · 2⁻¹⁰, times 2
		difference(mainTestFamily, "last", 0, 6),       // p = 2 · 2⁻⁶ = 0.03125, times 1
		difference(mainTestFamily, "silent", 0, 11),    // times 3; as many points fewer pairs lack a verdict
		difference(categoryTestFamily, "helped", 0, 6), // alone in its family
	}}
	s.Differences[3].noVerdictDifference = 11
	s.test(mainTestFamily)
	s.test(categoryTestFamily)
	for i, want := range []struct {
		verdict string
		holm    float64
	}{
		{verdict: reversalHelps, holm: 4 * 2.0 / 4096}, {verdict: reversalHurts, holm: 2 * 2.0 / 1024}, {verdict: reversalHelps, holm: 0.03125},
		{verdict: reversalUnclear, holm: 3 * 2.0 / 2048}, {verdict: reversalHelps, holm: 0.03125},
	} {
		d := s.Differences[i]
		assert.Equal(t, d.Verdict, want.verdict, d.Judge)
		assert.Assert(t, math.Abs(*d.Holm-want.holm) < 1e-9, "%s: Holm %v, want %v", d.Judge, *d.Holm, want.holm)
	}
	s.Differences[2] = difference(mainTestFamily, "same", 0, 5) // p = 2 · 2⁻⁵ = 0.0625
	s.test(mainTestFamily)
	assert.Equal(t, s.answer(), "Reversing the goal helps helped. Reversing the goal hurts hurt. No significant difference for same. "+
		"Unclear for silent: verdicts that are missing under one goal explain the difference.")

	s.Differences[1].unfinished = true
	s.test(mainTestFamily)
	assert.Equal(t, s.answer(),
		"No test yet: the runs of hurt are not complete (those of 3 of 4 judges are). The tests need all of them.")
	for _, d := range s.differencesInFamily(mainTestFamily) {
		assert.Assert(t, d.P == nil && d.Holm == nil && d.NotSignificant, "%s is tested: %+v", d.Judge, d)
	}
	assert.Equal(t, s.Differences[4].Verdict, reversalHelps)
}

// TestUnanimous: eight pairs by hand. R and W: both orders name the right or the wrong response; f: they differ.
//
//	better  R R R W R f W R
//	worse   R R W W f R R f     both goals keep 3 pairs, 2 of them right; on 2 pairs they contradict, better is right on 1
//	second  R W R W R R R R     two prompts keep 5 pairs, 4 of them right
func TestUnanimous(t *testing.T) {
	rights := &scoring.RightUnits{Unit: "pair", Outcomes: make([][]string, 3)}
	for i, parts := range []string{"RRRWRfWR", "RRWWfRRf", "RWRWRRRR"} {
		for u, part := range parts {
			rights.Outcomes[i] = append(rights.Outcomes[i], map[rune]string{'R': "right", 'W': "wrong", 'f': "first"}[part])
			if i == 0 {
				rights.Clusters = append(rights.Clusters, fmt.Sprint(u))
			}
		}
	}
	d, results := bothGoalsAccuracy(rights)
	want := []struct {
		metric, mode string
		value        float64
		n            int
	}{
		{metric: "right-where-alike", mode: "goals", value: 66.6667, n: 3},
		{metric: "coverage", mode: "goals", value: 37.5, n: 8},
		{metric: "right-where-alike", mode: "prompts", value: 80, n: 5},
		{metric: "coverage", mode: "prompts", value: 62.5, n: 8},
		{metric: "calls", mode: "goals", value: 10.666667, n: 8}, // 4 · 8 of 3
		{metric: "contradiction", mode: "goals", value: 25, n: 8},
		{metric: "better-right", mode: "goals", value: 50, n: 2},
	}
	assert.Equal(t, len(results), len(want))
	for i, w := range want {
		r := results[i]
		if r.Metric != w.metric || r.Mode != w.mode || math.Abs(*r.Value-w.value) > 1e-4 || r.N != w.n || r.Low == nil && i != 4 {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
	assert.Assert(t, math.Abs(*d.BMinusA-(66.6667-80)) < 1e-3 && *d.A == 80, "%+v", d)
	assert.Assert(t, *d.Low < *d.BMinusA && *d.BMinusA < *d.High && *d.P > 0.05, "%+v", d)

	// Two pairs of one question are one unit of resampling.
	rights.Clusters[1] = rights.Clusters[0]
	assert.Equal(t, len(rights.ClusterRows(func(int) []float64 { return []float64{1} })), 7)
}

// TestPublishedGoals: the published scores are those of Tables 2 to 4, and the marks say which of them are no number of
// pairs.
func TestPublishedGoals(t *testing.T) {
	var rows []StudyDifference
	assert.NilError(t, json.Unmarshal(references.GoalReversedScores, &rows))
	assert.Equal(t, len(rows), 21)
	for _, d := range rows {
		for i, v := range []float64{*d.A, *d.B} {
			count := math.Round(v * float64(d.N) / 100)
			possible := math.Abs(100*count/float64(d.N)-v) < 0.01
			assert.Equal(t, strings.Contains(d.Marks[i], "‡"), !possible, "%s %s %s: %v of %d", d.Judge, d.Group, d.Prompt, v, d.N)
		}
		assert.Equal(t, strings.Contains(d.Marks[2], "‡"), strings.Contains(d.Marks[0]+d.Marks[1], "‡"))
		assert.Assert(t, math.Abs(*d.BMinusA-(*d.B-*d.A)) < 1e-9 && d.ScoresOnly && d.P == nil && d.Low == nil && d.NotSignificant, "%+v", d)
		assert.Equal(t, d.OwnFamily, strings.HasPrefix(d.Judge, "GPT") && d.Dataset == "judgebench-gpt4o" ||
			strings.HasPrefix(d.Judge, "Claude") && d.Dataset == "judgebench-claude", "%+v", d)
	}
}

// TestStudySoFar: judges whose runs are complete are listed without a test; pairs are needed for a difference that is
// not significant, as many as compare says, and for no other.
func TestStudySoFar(t *testing.T) {
	s := world(rand.New(rand.NewPCG(3, 4)), 0.75, 0.58, 0.58)
	s.Differences[2].unfinished = true
	text := s.SoFar()
	assert.Assert(t, strings.HasPrefix(text, "0 +") && strings.Count(text, " · ") == 1 && strings.Count(text, "points") == 2, text)
	assert.Equal(t, s.Differences[0].PairsNeeded(), "")
	assert.Assert(t, s.Differences[1].NotSignificant)

	counts := scoring.Table2x2{Both: 100, OnlyA: 40, OnlyB: 60, Neither: 150} // 20 of 350: n.s., ψ = 100/350
	d := scoring.ConsistentDifference("strict", scoring.Overall, counts)
	d.NotSignificant = true
	needed := stats.PairsToDetect(20.0/350, 100.0/350, 0.05, 0.8)
	assert.Equal(t, d.PairsNeeded(), fmt.Sprint(int(math.Ceil(needed/10))*10))
}

// TestOwnAnswers: an effect of the goal on the judge's own answers that 4 other judges lack, of 12 points at n = 350,
// is found in at least 95 % of 200 worlds, and falsely in at most 5 % if the others have it too. Its interval covers
// it.
func TestOwnAnswers(t *testing.T) {
	const worlds = 200
	rng := rand.New(rand.NewPCG(3, 4))
	for _, shared := range []bool{false, true} {
		found, covered := 0, 0
		for range worlds {
			rights := &scoring.RightUnits{Metric: "strict", Right: make([][]bool, 10)}
			for u := range 350 {
				rights.Clusters = append(rights.Clusters, fmt.Sprint(u))
				for judge := range 5 {
					first, second := rng.Float64(), rng.Float64()
					if rng.Float64() < 0.75 {
						second = first
					}
					share := 0.55
					if judge == 0 || shared {
						share = 0.43
					}
					rights.Right[2*judge] = append(rights.Right[2*judge], first < 0.55)
					rights.Right[2*judge+1] = append(rights.Right[2*judge+1], second < share)
				}
			}
			d := ownAnswersDifference(rights)
			truth := -12.0
			if shared {
				truth = 0
			}
			found += int(scoring.Indicator(*d.P < 0.05))
			covered += int(scoring.Indicator(*d.Low <= truth && truth <= *d.High))
		}
		t.Logf("shared %t: found in %d, covered in %d of %d", shared, found, covered, worlds)
		if shared && found > worlds*5/100 || !shared && found < worlds*95/100 || covered < worlds*92/100 {
			t.Errorf("shared %t: found in %d, covered in %d of %d", shared, found, covered, worlds)
		}
	}
}
