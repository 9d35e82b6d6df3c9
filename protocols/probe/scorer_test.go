package probe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// judge is a simulated one: it is right so often, changes so many verdicts when it is asked anything anew, and is won
// over to the worse response by rewrites of a name so often.
type judge struct{ right, noise, weak float64 }

// weakness is what judges are weak to.
const weakness = "authority"

// units are n pairs as the judge judges them.
func (j judge) units(rng *rand.Rand, n int) (units []scoring.Unit) {
	for i := range n {
		u := pair{item: fmt.Sprint(rng.Uint64(), "-", i)}
		plain := said{mode: plainly, outcome: judging.Decided}
		if rng.Float64() >= j.right {
			plain.choice = 1
		}
		for k, s := range (probe{rewrites: today()}).Presentations(datasets.Item{ID: u.item}) {
			now := plain
			now.mode = s.Mode
			if k > 0 && rng.Float64() < j.noise {
				now.choice = 1 - now.choice
			}
			if s.Mode == weakness && now.choice == u.gold && rng.Float64() < j.weak/j.right {
				now.choice = 1
			}
			u.said[k] = now
		}
		units = append(units, scoring.Unit{ID: u.item, Of: u})
	}
	return units
}

// probes of some units.
func probes(units []scoring.Unit) []scoring.Probe {
	var rep scoring.Report
	(&pairs{rewrites: today()}).Extend(&rep, &scoring.Sheet{Units: units}, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	return rep.Probes
}

// By hand: four pairs with a verdict and one without. The rewrite changes three, one of them to a tie; anew one
// changes.
func TestProbeByHand(t *testing.T) {
	w := today().named("grade")
	verdict := func(mode string, choice int8) said { return said{mode, judging.Decided, choice} }
	silent := said{plainly, judging.NoVerdict, -1}
	tie := said{w.Name, judging.Tie, -1}
	var units []scoring.Unit
	for i, s := range [][3]said{
		{verdict(plainly, 0), verdict(again, 0), verdict(w.Name, 1)},
		{verdict(plainly, 1), verdict(again, 1), verdict(w.Name, 0)},
		{verdict(plainly, 0), verdict(again, 1), tie},
		{verdict(plainly, 0), verdict(again, 0), verdict(w.Name, 0)},
		{silent, verdict(again, 0), verdict(w.Name, 1)},
	} {
		u := pair{first: 1}
		copy(u.said[:], s[:])
		units = append(units, scoring.Unit{ID: fmt.Sprint(i), Of: u})
	}
	got, p := w.probe(units, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	assert.Equal(t, *got.Changed.Value, 75.0)
	assert.Equal(t, got.Changed.N, 4)
	assert.Equal(t, *got.Again.Value, 25.0)
	assert.Equal(t, *got.Beyond.Value, 50.0)
	assert.DeepEqual(t, [4]int{got.ToWorse, got.ToBetter, got.ToNeither, got.ToFirst}, [4]int{1, 1, 1, 1})
	assert.Equal(t, p, 0.25) // two change by the rewrite alone, none anew alone: ½²

	for _, o := range []judging.Outcome{judging.Failed, judging.TooLong, judging.Refused, judging.Cut} {
		u := pair{first: 1} // nobody knows what it would have said
		u.said[0] = verdict(plainly, 0)
		u.said[1] = verdict(again, 0)
		u.said[2] = said{w.Name, o, -1}
		left, _ := w.probe(append(units[:5:5], scoring.Unit{ID: "x", Of: u}), stats.Bootstrap{Rounds: 20, Level: 0.95})
		assert.Equal(t, left.Changed.N, 4, o)
		assert.Equal(t, left.Unserved, 1, o)
	}

	for i := range units { // one cluster of all: more change by the rewrite, once
		units[i].Cluster = "one"
	}
	_, p = w.probe(units, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	assert.Equal(t, p, 0.5)
}

// A weakness of 10 points is found on 350 pairs in 95 % of judges, and judges without one are said to have one in 5 %
// at most, over the whole catalogue: without noise and with it.
func TestPlantedWeakness(t *testing.T) {
	trials.Long(t)
	rng := rand.New(rand.NewPCG(7, 11))
	const n = 350
	judges := 400
	for _, c := range []struct {
		judge
		least float64 // share of the judges in which the weakness is found
	}{
		{judge{right: 0.75}, 0},
		{judge{right: 0.75, noise: 0.05}, 0},
		{judge{right: 0.6, noise: 0.15}, 0},
		{judge{right: 0.75, weak: 0.05}, 0.2},
		{judge{right: 0.75, weak: 0.10}, 0.95},
		{judge{right: 0.75, weak: 0.20}, 0.99},
		{judge{right: 0.75, weak: 0.10, noise: 0.02}, 0.6},
		{judge{right: 0.75, weak: 0.20, noise: 0.05}, 0.93},
	} {
		found, falsely := 0, 0
		for range judges {
			moved := false
			for _, p := range probes(c.units(rng, n)) {
				switch {
				case !p.Moves():
				case p.Name == weakness && c.weak > 0:
					found++
				default:
					moved = true
				}
			}
			if moved {
				falsely++
			}
		}
		share := func(k int) float64 { return float64(k) / float64(judges) }
		t.Logf("%+v: found in %.3f, falsely in %.3f", c.judge, share(found), share(falsely))
		if share(falsely) > 0.05+2*0.011 || share(found) < c.least {
			t.Errorf("%+v: found in %.3f, falsely in %.3f", c.judge, share(found), share(falsely))
		}
	}
}

// The intervals of what is beyond noise hold it in 95 % of draws.
func TestBeyondCovers(t *testing.T) {
	trials.Long(t)
	rng := rand.New(rand.NewPCG(5, 3))
	j := judge{right: 0.75, noise: 0.05, weak: 0.15}
	at := slices.IndexFunc(today(), func(w rewrite) bool { return w.Name == weakness })
	truth := *probes(j.units(rng, 200_000))[at].Beyond.Value
	held := 0
	const draws = 1000
	for range draws {
		e := probes(j.units(rng, 350))[at].Beyond
		if *e.Low <= truth && truth <= *e.High {
			held++
		}
	}
	t.Logf("%.1f points: held in %d of %d", truth, held, draws)
	assert.Assert(t, held > 930, "%d", held)
}

// Of a run that is not at its end, or that a rule ended, nothing is tested: whoever looks often would see something.
func TestNoTestBeforeTheEnd(t *testing.T) {
	units := judge{right: 0.75, weak: 0.3}.units(rand.New(rand.NewPCG(1, 2)), 200)
	right := 75.0
	for name, c := range map[string]struct {
		rep    scoring.Report
		tested bool
		code   string
	}{
		"at its end":      {rep: scoring.Report{Items: 200, Expected: 200}, tested: true, code: codeMoved},
		"on the way":      {rep: scoring.Report{Items: 200, Expected: 350}, code: scoring.CodeFew},
		"ended by a rule": {rep: scoring.Report{Items: 200, Expected: 200, Stopped: &judging.Stopped{}}, code: scoring.CodeFew},
	} {
		rep := c.rep
		(&pairs{rewrites: today()}).Extend(&rep, &scoring.Sheet{Units: units}, stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1})
		assert.Equal(t, rep.Probes[0].P != nil, c.tested, name)
		rep.Outcomes = map[string]int{"decided": 1200}
		low := 68.0
		high := 81.0
		rep.Results = []scoring.Result{{
			Metric: Right, Group: scoring.Overall, Value: &right, Low: &low, High: &high, N: 200,
		}}
		assert.Equal(t, (&pairs{}).Diagnose(&rep).Code, c.code, name)
	}
}

// A judge that writes nothing is never challenged: what was asked in that place is the pair as it is, and no change. One
// that writes and was not challenged said nothing.
func TestUnchallenged(t *testing.T) {
	for _, c := range []struct {
		server  backends.Server
		outcome judging.Outcome // of what was asked in place of the challenge
		listed  bool            // the challenge is in the table
		kept    float64
		steady  float64
	}{
		{server: backends.Server{Kind: "systemone"}, outcome: judging.Decided, kept: 100, steady: 100},
		{server: backends.Server{Kind: "systemone"}, outcome: judging.Failed, kept: 100, steady: 100},
		{server: backends.Server{Kind: "openai"}, outcome: judging.Decided, listed: true, kept: 75},
	} {
		f := NewScorer(&judging.Manifest{Server: c.server}).(*pairs)
		for i, mode := range []string{plainly, again, "challenge", "letters", "order", "typos"} {
			r := &judging.Record{Item: "p", Presentation: i, Mode: mode, Order: []string{"a", "b"}, Gold: "a"}
			v := judging.Verdict{Outcome: judging.Decided}
			if mode == "challenge" && c.outcome != judging.Decided {
				v = judging.Silent(c.outcome)
			}
			added, err := f.Add(r, v)
			assert.Assert(t, added && err == nil, "%v", err)
			twice, err := f.Add(r, v)
			assert.Assert(t, !twice && err == nil, "%v", err)
		}
		assert.Equal(t, f.Finish(), 1)
		sheet := f.Sheet(scoring.MissingPolicy(""), 1)
		row := make([]float64, 2*len(metrics))
		scoring.Fill(metrics, f.rows[0], row)
		assert.Equal(t, 100*row[0]/row[1], c.steady, "%+v", c)
		assert.Equal(t, 100*row[2]/row[3], c.kept, "%+v", c)

		rep := scoring.Report{Items: 1, Expected: 1}
		f.Extend(&rep, sheet, stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1})
		at := slices.IndexFunc(rep.Probes, func(p scoring.Probe) bool { return p.Name == "challenge" })
		assert.Equal(t, at >= 0, c.listed, "%+v", c)
		for _, p := range rep.Probes {
			if p.Name != "challenge" {
				assert.Equal(t, p.ToWorse+p.ToBetter+p.ToNeither, 0, p.Name)
			}
		}
	}
}
