package scoring_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/datasets"
	"gavel/internal/report"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

func labelsOf(t *testing.T, set *datasets.Set) (labels map[string]string, aRight int) {
	t.Helper()
	labels = map[string]string{}
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		labels[item.ID] = []string{"A>B", "B>A"}[item.Gold]
		aRight += 1 - item.Gold
	}
	return labels, aRight
}

// Four judges whose every score is known, over the built-in sample, from the
// dataset to the printed table.
func TestScriptedJudges(t *testing.T) {
	set := sample(t)
	labels, aRight := labelsOf(t, set)
	shareA := 100 * float64(aRight) / float64(set.Len())
	var text bytes.Buffer
	var all report.Scores
	for _, c := range []struct {
		judge, protocol string
		want            wants
		outcome         string // of every judgment
	}{
		{"right", "pairwise", wants{"strict": 100, "counter": 100, "first-order": 100, "second-order": 100, "half-tie": 100, "drop": 100, "consistency": 100, "first-position": 50}, "decided"},
		{"right", "reversed", wants{"strict": 100, "counter": 100, "first-order": 100, "second-order": 100, "half-tie": 100, "drop": 100, "consistency": 100, "first-position": 50}, "decided"},
		// It names what it reads first: as the better under one goal, as the
		// worse under the other. In the first judgment that is answer A.
		{"first", "pairwise", wants{"strict": 0, "counter": 0, "first-order": shareA, "second-order": 100 - shareA, "half-tie": 50, "drop": 0, "consistency": 0, "first-position": 100}, "decided"},
		{"first", "reversed", wants{"strict": 0, "counter": 0, "first-order": 100 - shareA, "second-order": shareA, "half-tie": 50, "drop": 0, "consistency": 0, "first-position": 100}, "decided"},
		{"coin", "pairwise", nil, "decided"},
		{"coin", "reversed", nil, "decided"},
		{"silent", "pairwise", wants{"strict": 0, "counter": 0, "first-order": 0, "second-order": 0, "half-tie": undefined, "drop": undefined, "consistency": undefined, "first-position": undefined}, "no-verdict"},
		{"silent", "reversed", wants{"strict": 0, "counter": 0, "first-order": 0, "second-order": 0, "half-tie": undefined, "drop": undefined, "consistency": undefined, "first-position": undefined}, "no-verdict"},
	} {
		judge := sim(t, c.judge)
		dir := makeRun(t, making{protocol: c.protocol, set: set, client: judge, model: judge.Name})
		run := load(t, dir, judging.ReadingOptions{})
		rep := run.Score(stats.DefaultBootstrap)
		all.Runs = append(all.Runs, rep)
		t.Run(c.judge+"/"+c.protocol, func(t *testing.T) {
			c.want.check(t, rep, scoring.Overall)
			sameScores(t, rep, decisions(t, dir, labels))
			if n := 2 * set.Len(); rep.Outcomes[c.outcome] != n || rep.Judgments() != n {
				t.Errorf("outcomes %v, want %d %s", rep.Outcomes, n, c.outcome)
			}
			if run.RereadDifferences != 0 || rep.Items != set.Len() {
				t.Errorf("%d read otherwise, %d items", run.RereadDifferences, rep.Items)
			}
		})
	}
	if err := all.Document().Text(&text, 0, true); err != nil {
		t.Fatal(err)
	}
	golden.AssertBytes(t, text.Bytes(), "judges.txt")
}

// A judge of accuracy a that falls for the first position with probability f,
// ties with t and is silent with s comes to what it should. In the judgment in
// which the right answer stands where the judge likes to look ("easy"), and in
// the other ("hard"), with r = 1 − f − t − s:
//
//	knows it (a):        easy right f + r        hard right r, wrong f
//	knows it wrong:      easy right f, wrong r   hard wrong f + r
func TestSimulatedJudgeComesToItsExpectation(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	const n = 1000
	set := pairsFile(t, n, "sums")
	for _, c := range []struct{ a, f, t, s float64 }{
		{0.8, 0.25, 0, 0}, {0.6, 0.4, 0.1, 0.1}, {0, 0.1, 0.3, 0},
	} {
		r, mute := 1-c.f-c.t-c.s, c.t+c.s
		looks := c.f + r // easy and knowing
		want := map[string]float64{
			"strict":         c.a * looks * r,
			"counter":        c.a*(looks*(r+mute)+mute*r) + (1-c.a)*c.f*mute,
			"first-order":    (c.a*looks + (1-c.a)*c.f + c.a*r) / 2, // half of the pairs are easy in the first judgment
			"second-order":   (c.a*looks + (1-c.a)*c.f + c.a*r) / 2,
			"half-tie":       0, // below
			"drop":           c.a * r / looks,
			"consistency":    r / looks,
			"first-position": (looks + c.f) / (2 * looks),
		}
		// a sum of 0: both mute, or one right and one wrong
		zero := c.a*(mute*mute+looks*c.f) + (1-c.a)*(mute*mute+c.f*looks)
		want["half-tie"] = want["counter"] + zero/2
		for _, protocol := range []string{"pairwise", "reversed"} {
			name := fmt.Sprintf("accuracy=%g,first=%g,tie=%g,silent=%g", c.a, c.f, c.t, c.s)
			judge := sim(t, name)
			run := load(t, makeRun(t, making{protocol: protocol, prompt: "arena-hard", set: set, client: judge, model: judge.Name}), judging.ReadingOptions{})
			rep := run.Score(quick)
			for metric, p := range want {
				got := find(t, rep, metric, scoring.Overall)
				if math.Abs(*got.Value-100*p) > 4*100*math.Sqrt(p*(1-p)/float64(min(got.N, n)))+1e-4 {
					t.Errorf("%s, %s: %s is %v of %d, want about %.2f", name, protocol, metric, *got.Value, got.N, 100*p)
				}
			}
		}
	}
}

// Where labels are not balanced, a judge that names what it reads first is
// right in the first judgment as often as the label favours A: here in 3 of 5.
func TestFirstJudgeOnUnbalancedLabels(t *testing.T) {
	set := pairsFile(t, 5, "sums")
	for protocol, want := range map[string]wants{
		"pairwise": {"strict": 0, "first-order": 60, "second-order": 40, "half-tie": 50, "first-position": 100},
		"reversed": {"strict": 0, "first-order": 40, "second-order": 60, "half-tie": 50, "first-position": 100},
	} {
		run := load(t, makeRun(t, making{protocol: protocol, set: set, client: sim(t, "first"), model: "sim:first"}), judging.ReadingOptions{})
		want.check(t, run.Score(quick), scoring.Overall)
	}
}
