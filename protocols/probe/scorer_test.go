package probe

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// judge simulates a judge: it is right at one rate, changes verdicts at another when it is asked anything again and at
// a third, on hard pairs only, when the prompt differs, and changes to the worse response under a rewrite at a fourth.
// It is right if the worse response is replaced, and prefers the first of two identical responses at a fifth rate.
type judge struct {
	right, noise, form, weak float64

	first    float64
	weakness string // the rewrite that it gives in to; "": weakness
}

// hard is the share of pairs on which the form of the prompt changes verdicts.
const hard = 0.2

// weakness is the rewrite that simulated judges give in to, unless another is named.
const weakness = "authority"

// units returns n pairs with the judge's verdicts.
func (j judge) units(rng *rand.Rand, n int) (units []scoring.Unit) {
	for i := range n {
		u := pair{item: fmt.Sprint(rng.Uint64(), "-", i), firstCandidate: int8(rng.IntN(2))}
		plain := judgment{mode: modePlain, outcome: judging.Decided}
		if rng.Float64() >= j.right {
			plain.choice = 1
		}
		shaky := rng.Float64() < hard
		for k, s := range (probe{rewrites: currentRewrites()}).Presentations(datasets.Item{ID: u.item}) {
			now := plain
			now.mode = s.Mode
			if currentRewrites().Find(s.Mode).Instead != nil {
				now.choice = u.gold
			}
			if k > 0 && rng.Float64() < j.noise || k > 1 && shaky && rng.Float64() < j.form/hard {
				now.choice = 1 - now.choice
			}
			if s.Mode == cmp.Or(j.weakness, weakness) && now.choice == u.gold && rng.Float64() < j.weak/j.right {
				now.choice = 1
			}
			if s.Mode == modeIdentical {
				now.choice = u.firstCandidate
				if rng.Float64() >= j.first {
					now.choice = 1 - u.firstCandidate
				}
			}
			u.judgments = append(u.judgments, now)
		}
		units = append(units, scoring.Unit{ID: u.item, Data: u})
	}
	return units
}

// probes returns the probes of units.
func probes(units []scoring.Unit) []scoring.Probe {
	var rep scoring.Report
	(&probeScorer{rewrites: currentRewrites()}).ExtendReport(&rep, &scoring.Sheet{Units: units}, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	return rep.Probes
}

// rightOf returns the result of the verdicts on the original pairs.
func rightOf(units []scoring.Unit) []scoring.Result {
	var right [][2]int
	for _, x := range units {
		u := x.Data.(pair)
		right = append(right, [2]int{int(scoring.Indicator(u.right(u.judgments[0]))), 1})
	}
	x := scoring.ProportionOf(right, stats.Bootstrap{Level: 0.95}).Result()
	x.Metric = RightOnOriginal
	x.Group = scoring.Overall
	return []scoring.Result{x}
}

// Computed by hand: four pairs with a verdict and one without. The rewrite changes three, one of them to a tie; asking
// again changes one.
func TestProbeByHand(t *testing.T) {
	w := currentRewrites().Find("grade")
	verdict := func(mode string, choice int8) judgment { return judgment{mode, judging.Decided, choice} }
	silent := judgment{modePlain, judging.NoVerdict, -1}
	tie := judgment{w.Name, judging.Tie, -1}
	var units []scoring.Unit
	for i, s := range [][3]judgment{
		{verdict(modePlain, 0), verdict(modeAgain, 0), verdict(w.Name, 1)},
		{verdict(modePlain, 1), verdict(modeAgain, 1), verdict(w.Name, 0)},
		{verdict(modePlain, 0), verdict(modeAgain, 1), tie},
		{verdict(modePlain, 0), verdict(modeAgain, 0), verdict(w.Name, 0)},
		{silent, verdict(modeAgain, 0), verdict(w.Name, 1)},
	} {
		u := pair{firstCandidate: 1, judgments: s[:]}
		units = append(units, scoring.Unit{ID: fmt.Sprint(i), Data: u})
	}
	got := w.measure(units, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	assert.Equal(t, *got.Changed.Value, 75.0)
	assert.Equal(t, got.Changed.N, 4)
	assert.Equal(t, *got.Repeated.Value, 25.0)
	assert.Equal(t, *got.Effect.Value, 50.0)
	assert.DeepEqual(t, [4]int{got.ToWorse, got.ToBetter, got.ChangesToNeither, got.ToFirst}, [4]int{1, 1, 1, 1})

	for _, o := range []judging.Outcome{judging.Failed, judging.PromptTooLong, judging.Refused, judging.Truncated} {
		unserved := judgment{w.Name, o, -1} // nobody knows what it would have said
		u := pair{firstCandidate: 1, judgments: []judgment{verdict(modePlain, 0), verdict(modeAgain, 0), unserved}}
		probe := w.measure(append(units[:5:5], scoring.Unit{ID: "x", Data: u}), stats.Bootstrap{Rounds: 20, Level: 0.95})
		assert.Equal(t, probe.Changed.N, 4, o)
		assert.Equal(t, probe.Unserved, 1, o)
	}
}

// Computed by hand: four pairs, two with a right verdict. Where the worse response is replaced, a wrong verdict that
// becomes right is expected, and no change; nor is it one when the pair is asked again.
func TestReplacedByHand(t *testing.T) {
	var units []scoring.Unit
	for i, choices := range [][3]int8{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}} {
		u := pair{firstCandidate: 1}
		for k, mode := range []string{modePlain, modeAgain, "empty"} {
			u.judgments = append(u.judgments, judgment{mode, judging.Decided, choices[k]})
		}
		units = append(units, scoring.Unit{ID: fmt.Sprint(i), Data: u})
	}
	got := currentRewrites().Find("empty").measure(units, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	assert.Equal(t, *got.Changed.Value, 25.0)
	assert.Equal(t, *got.Repeated.Value, 25.0)
	assert.DeepEqual(t, [3]int{got.ToWorse, got.ToBetter, got.ChangesToNeither}, [3]int{1, 0, 0})
}

// A note is compared with its control alone: the share and p of `approved` are those of `tail`, whatever typing errors
// do.
func TestAgainst(t *testing.T) {
	var units []scoring.Unit
	for i := range 12 {
		u := pair{}
		for _, s := range []judgment{
			{mode: modePlain}, {mode: modeAgain}, {mode: "approved", choice: 1}, {mode: "tail"}, {mode: "typos", choice: 1},
		} {
			s.outcome = judging.Decided
			u.judgments = append(u.judgments, s)
		}
		units = append(units, scoring.Unit{ID: fmt.Sprint(i), Data: u})
	}
	all := currentRewrites()
	b := stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1}
	share, p := all.noiseFloor(all.Find("approved"), units, b)
	assert.Equal(t, *share.Value, 0.0)
	assert.Assert(t, math.Abs(p-math.Pow(0.5, 12)) < 1e-12, "%v", p)
	share, p = all.noiseFloor(all.Find("tail"), units, b)
	assert.Equal(t, *share.Value, 100.0)
	assert.Assert(t, p > 0.99, "%v", p)
}

// Of two identical responses a judge that prefers the first in 65 % is found, and one without a preference is named in
// at most 5 % of runs with 350 pairs. Neither is in the table of rewrites, nor in the score.
func TestIdenticalResponses(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(3, 8))
	worlds := trials.TrialCount(200)
	for _, c := range []struct{ first, low, high float64 }{{0.5, 0, 0.05 + 2*0.015}, {0.65, 0.93, 1}, {0.3, 0.98, 1}} {
		alarms := 0
		for range worlds {
			f := &probeScorer{rewrites: currentRewrites()}
			for _, x := range (judge{right: 0.95, first: c.first}).units(rng, 350) {
				u := x.Data.(pair)
				f.rows = append(f.rows, &u)
			}
			sheet := f.Sheet("", 1)
			var rows [][]float64
			for _, x := range sheet.Units {
				rows = append(rows, x.Row)
			}
			rep := scoring.Report{Items: 350, Expected: 350, Outcomes: map[string]int{"decided": 3500}}
			bootstrap := stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1}
			rep.Results = scoring.IndependentRows("pair", sheet.Metrics, rows).Results(scoring.Overall, sheet.Metrics, bootstrap)
			f.ExtendReport(&rep, &scoring.Sheet{Units: sheet.Units[:10]}, bootstrap)
			assert.Assert(t, !slices.ContainsFunc(rep.Probes, func(p scoring.Probe) bool { return p.Name == modeIdentical }))
			assert.Equal(t, *rep.Overall(StillRightOnRewrites).Value, 100.0)
			d := f.Diagnose(&rep)
			alarm := strings.Contains(d.Also, "Of two identical responses it prefers the first in ")
			assert.Equal(t, alarm, d.Evidence[len(d.Evidence)-1].Metric == IdenticalFirst, d.Also)
			alarms += int(scoring.Indicator(alarm))
		}
		share := float64(alarms) / float64(worlds)
		t.Logf("%+v: named in %.3f", c, share)
		assert.Assert(t, share >= c.low && share <= c.high, "%+v: named in %.3f", c, share)
	}
}

// Computed by hand: next to neutral rewrites each rewrite is equally likely to move; alone it is compared with pairs
// that have only neutral ones.
func TestExceedsByHand(t *testing.T) {
	moves := trial{sawRewrite: true, moved: true, neutralMoves: []bool{false}}
	for name, c := range map[string]struct {
		trials []trial
		want   float64
	}{
		"two, each beside a neutral one":    {[]trial{moves, moves}, 0.25},
		"beside three neutral ones":         {[]trial{{sawRewrite: true, moved: true, neutralMoves: make([]bool, 3)}}, 0.25},
		"both move":                         {[]trial{{sawRewrite: true, moved: true, neutralMoves: []bool{true}}}, 1},
		"the neutral one moves":             {[]trial{{sawRewrite: true, neutralMoves: []bool{true}}, moves}, 0.75},
		"two of three alone, none of three": {[]trial{{sawRewrite: true, moved: true}, {sawRewrite: true, moved: true}, {sawRewrite: true}, {neutralMoves: make([]bool, 2)}, {neutralMoves: make([]bool, 1)}, {neutralMoves: make([]bool, 3)}}, 0.2},
		"and one beside a neutral one":      {[]trial{moves, {sawRewrite: true, moved: true}, {neutralMoves: []bool{false}}}, 0.25},
		"nothing to hold it against":        {[]trial{{sawRewrite: true, moved: true}}, 1},
		"it was never asked":                {[]trial{{neutralMoves: []bool{true}}}, 1},
	} {
		assert.Assert(t, math.Abs(exactP(c.trials)-c.want) < 1e-12, "%s: %v", name, exactP(c.trials))
	}
	// a cluster counts once
	units := judge{right: 1, weak: 1}.units(rand.New(rand.NewPCG(1, 1)), 40)
	for i := range units {
		units[i].Cluster = "one"
	}
	_, p := currentRewrites().noiseFloor(currentRewrites().Find(weakness), units, stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1})
	assert.Assert(t, p >= 0.25, "%v", p)
}

// A weakness of 10 points is found in 95 % of judges with 350 pairs. At most 5 % of judges without one are said to have
// one, over the whole catalogue, with noise and without.
func TestPlantedWeakness(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(7, 11))
	const n = 350
	judges := 400
	for _, c := range []struct {
		judge
		power float64 // share of the judges in which the weakness is found
	}{
		{judge{right: 0.75}, 0},
		{judge{right: 0.75, noise: 0.05}, 0},
		{judge{right: 0.6, noise: 0.15}, 0},
		{judge{right: 0.92, form: 0.06}, 0}, // at temperature 0
		{judge{right: 0.92, form: 0.12}, 0},
		{judge{right: 0.75, weak: 0.05}, 0.5},
		{judge{right: 0.75, weak: 0.10}, 0.95},
		{judge{right: 0.75, weak: 0.10, weakness: "verdict"}, 0.95},
		{judge{right: 0.75, weak: 0.10, weakness: "constant"}, 0.95},
		{judge{right: 0.75, weak: 0.10, weakness: "key"}, 0.95},
		{judge{right: 0.75, weak: 0.10, weakness: "empty"}, 0.95},
		{judge{right: 0.75, weak: 0.10, weakness: "approved"}, 0.95}, // against its tail alone
		{judge{right: 0.75, weak: 0.20}, 0.99},
		{judge{right: 0.75, weak: 0.10, noise: 0.02}, 0.8},
		{judge{right: 0.92, weak: 0.20, form: 0.06}, 0.95},
		{judge{right: 0.75, weak: 0.20, noise: 0.05}, 0.93},
	} {
		hits, falseAlarms := 0, 0
		for range judges {
			moved := false
			for _, p := range probes(c.units(rng, n)) {
				switch {
				case !p.IsSignificant():
				case p.Name == cmp.Or(c.weakness, weakness) && c.weak > 0:
					hits++
				default:
					moved = true
				}
			}
			if moved {
				falseAlarms++
			}
		}
		share := func(k int) float64 { return float64(k) / float64(judges) }
		t.Logf("%+v: found in %.3f, falsely in %.3f", c.judge, share(hits), share(falseAlarms))
		if share(falseAlarms) > 0.05+2*0.011 || share(hits) < c.power {
			t.Errorf("%+v: found in %.3f, falsely in %.3f", c.judge, share(hits), share(falseAlarms))
		}
	}
}

// The intervals of the effect beyond noise contain it in 95 % of simulations.
func TestBeyondCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(5, 3))
	j := judge{right: 0.75, noise: 0.05, weak: 0.15}
	effect := func(pairs int) scoring.Estimate {
		b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
		return currentRewrites().Find(weakness).measure(j.units(rng, pairs), b).Effect
	}
	truth := *effect(200_000).Value
	covered := 0
	const draws = 1000
	for range draws {
		e := effect(350)
		if *e.Low <= truth && truth <= *e.High {
			covered++
		}
	}
	t.Logf("%.1f points: held in %d of %d", truth, covered, draws)
	assert.Assert(t, covered > 930, "%d", covered)
}

// A judge whose verdicts flip under some rewritten prompts, in no direction, is not moved. A judge that no rewrite
// moves is usable only if it is accurate, and not if the form alone changes more than 10 points.
func TestNoiseMovesNoJudge(t *testing.T) {
	for name, c := range map[string]struct {
		judge
		level scoring.UsabilityLevel
		code  string
		text  string
	}{
		"flips in 6 %":       {judge{right: 0.92, form: 0.06}, scoring.LevelUsable, codeSteady, "none of 16 rewrites changes its verdicts beyond the noise floor (7 %;"},
		"flips in 20 %":      {judge{right: 0.92, form: 0.2}, scoring.LevelWeak, codeMoved, "Its verdicts depend on the form of the prompt: "},
		"right on 59 %":      {judge{right: 0.59}, scoring.LevelWeak, scoring.CodeWeakJudge, "Better than chance, but correct on only 59 % [55, 63] of the original pairs."},
		"won over, on 92 %":  {judge{right: 0.92, form: 0.06, weak: 0.2}, scoring.LevelWeak, codeMoved, "1 of 16 rewrites change its verdicts, most of all authority"},
		"steady and correct": {judge{right: 0.92}, scoring.LevelUsable, codeSteady, "Correct on 9"},
	} {
		const n = 700
		units := c.units(rand.New(rand.NewPCG(4, 2)), n)
		f := &probeScorer{rewrites: currentRewrites()}
		b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
		rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{"decided": 6 * n}}
		f.ExtendReport(&rep, &scoring.Sheet{Units: units}, b)
		rep.Results = rightOf(units)
		d := f.Diagnose(&rep)
		assert.Equal(t, d.Level, c.level, "%s: %s", name, d.Text)
		assert.Equal(t, d.Code, c.code, "%s: %s", name, d.Text)
		assert.Assert(t, strings.Contains(d.Text, c.text), "%s: %s", name, d.Text)
	}
}

// There is no test before the end of a run, or if a rule ended it: repeated looks would find something.
func TestNoTestBeforeTheEnd(t *testing.T) {
	units := judge{right: 0.75, weak: 0.3}.units(rand.New(rand.NewPCG(1, 2)), 200)
	for name, c := range map[string]struct {
		rep    scoring.Report
		tested bool
		code   string
	}{
		"at its end":      {rep: scoring.Report{Items: 200, Expected: 200}, tested: true, code: codeMoved},
		"on the way":      {rep: scoring.Report{Items: 200, Expected: 350}, code: scoring.CodeTooFewItems},
		"ended by a rule": {rep: scoring.Report{Items: 200, Expected: 200, ScoringMethod: scoring.ScoringMethod{StopRule: &judging.StopRule{}}}, code: scoring.CodeTooFewItems},
	} {
		rep := c.rep
		(&probeScorer{rewrites: currentRewrites()}).ExtendReport(&rep, &scoring.Sheet{Units: units}, stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1})
		assert.Equal(t, rep.Probes[0].P != nil, c.tested, name)
		rep.Outcomes = map[string]int{"decided": 1200}
		rep.Results = rightOf(units)
		assert.Equal(t, (&probeScorer{}).Diagnose(&rep).Code, c.code, name)
	}
}

// A judge that returns only a label is not challenged: its judgments there are of the original pair, and no change. A
// judge with replies that was not challenged has no verdict.
func TestUnchallenged(t *testing.T) {
	for _, c := range []struct {
		server    backends.ServerInfo
		outcome   judging.Outcome // of what was asked in place of the challenge
		inTable   bool            // the challenge is in the table
		keptRight float64
		steady    float64
	}{
		{server: backends.ServerInfo{WireFormat: "systemone"}, outcome: judging.Decided, keptRight: 100, steady: 100},
		{server: backends.ServerInfo{WireFormat: "systemone"}, outcome: judging.Failed, keptRight: 100, steady: 100},
		{server: backends.ServerInfo{WireFormat: "openai"}, outcome: judging.Decided, inTable: true, keptRight: 75},
	} {
		f := NewScorer(&judging.Manifest{Server: c.server}).(*probeScorer)
		for i, mode := range []string{modePlain, modeAgain, "challenge", "letters", "order", "typos"} {
			r := &judging.Record{
				Item: "p", Presentation: i, Presentations: 6, Mode: mode, Order: []string{"a", "b"}, Gold: "a",
			}
			v := judging.Verdict{Outcome: judging.Decided}
			if mode == "challenge" && c.outcome != judging.Decided {
				v = judging.EmptyVerdict(c.outcome)
			}
			added, err := f.Add(r, v)
			assert.Assert(t, added && err == nil, "%v", err)
			twice, err := f.Add(r, v)
			assert.Assert(t, !twice && err == nil, "%v", err)
		}
		assert.Equal(t, f.Finish(), 1)
		sheet := f.Sheet(scoring.MissingPolicy(""), 1)
		row := make([]float64, 2*len(metrics))
		scoring.FillRow(metrics, *f.rows[0], row)
		assert.Equal(t, 100*row[0]/row[1], c.steady, "%+v", c)
		assert.Equal(t, 100*row[2]/row[3], c.keptRight, "%+v", c)

		rep := scoring.Report{Items: 1, Expected: 1}
		f.ExtendReport(&rep, sheet, stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1})
		index := slices.IndexFunc(rep.Probes, func(p scoring.Probe) bool { return p.Name == "challenge" })
		assert.Equal(t, index >= 0, c.inTable, "%+v", c)
		for _, p := range rep.Probes {
			if p.Name != "challenge" {
				assert.Equal(t, p.ToWorse+p.ToBetter+p.ChangesToNeither, 0, p.Name)
			}
		}
	}
}
