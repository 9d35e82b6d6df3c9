package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gavel/internal/trials"
	"gavel/scoring"
	"gavel/scoring/stats"
)

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]StoppingClaim{
		"strict>=60": {"strict", false, 0.6}, " strict <= 7.5 % ": {"strict", true, 0.075}, "consistency>=99": {"consistency", false, 0.99},
	} {
		if got, err := ParseStoppingClaim(text, "pairwise"); err != nil || got.String() != want.String() {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "strict", "strict>60", "strict>=0", "strict>=100", "strict>=101", "f1>=60", "first-position>=50", "strict>=60 strict<=70", "strict>=-5", "strict>=1e2"} {
		if u, err := ParseStoppingClaim(text, "pairwise"); err == nil {
			t.Errorf("%q: %v", text, u)
		}
	}
	if _, err := ParseStoppingClaim("f1>=60", "self-reference"); err == nil {
		t.Error("F1 is right or wrong item by item")
	}
}

// Of a hundred that are all right the answer comes as soon as the sequence allows, and is of the right side.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		text   string
		result scoring.ItemResult
		holds  bool
		items  int
	}{
		{"strict>=60", scoring.ItemRight, true, 19}, {"strict<=60", scoring.ItemRight, false, 19},
		{"strict>=60", scoring.ItemWrong, false, 12}, {"strict<=60", scoring.ItemWrong, true, 12},
	} {
		u, err := ParseStoppingClaim(c.text, "pairwise")
		if err != nil {
			t.Fatal(err)
		}
		state := &claimTally{StoppingClaim: u}
		for state.n < 100 && !state.observe(c.result) {
		}
		above, below := state.compareInterval(state.interval())
		if above == below || above != u.AtMost != c.holds || state.n > c.items {
			t.Errorf("%s, all %v: %+v", c.text, c.result, state)
		}
	}
	state := &claimTally{StoppingClaim: StoppingClaim{"strict", false, 0.6}}
	for range 1000 {
		if state.observe(scoring.ItemUnknown) {
			t.Fatalf("decided by what nobody knows: %+v", state)
		}
		if state.observe(scoring.ItemNotCounted); state.n == 0 {
			t.Fatal("nothing counted")
		}
	}
}

// outcome counts the results of simulated runs with an until.
type outcome struct {
	decided, erred int // runs
	median         int // items
}

// gate is an until that remembers its answers.
type gate struct {
	StoppingClaim
	sides map[[2]int][2]bool // above and below, by right items and items
}

func (g gate) side(right, n int) (above, below bool) {
	sides, ok := g.sides[[2]int{right, n}]
	if !ok {
		state := &claimTally{StoppingClaim: g.StoppingClaim, right: right, n: n}
		sides[0], sides[1] = g.StoppingClaim.compareInterval(state.interval())
		g.sides[[2]int{right, n}] = sides
	}
	return sides[0], sides[1]
}

// simulate has so many runs of items that are right with a probability look after every item.
func (g gate) simulate(truth float64, items, runs int) (out outcome) {
	rng := rand.New(rand.NewPCG(uint64(items), math.Float64bits(truth)))
	took := make([]int, runs)
	for i := range took {
		right := 0
		took[i] = items
		for n := 1; n <= items; n++ {
			if rng.Float64() < truth {
				right++
			}
			if above, below := g.side(right, n); above || below {
				took[i] = n
				out.decided++
				if above != (truth >= g.Threshold) {
					out.erred++
				}
				break
			}
		}
	}
	slices.Sort(took)
	out.median = took[runs/2]
	return out
}

// A gate that looks after every item errs at most as often as it says, also where the truth is at the edge.
func TestUntilErrs(t *testing.T) {
	g := gate{StoppingClaim: StoppingClaim{Metric: "strict", Threshold: 0.6}, sides: map[[2]int][2]bool{}}
	for _, truth := range []float64{0.5999, 0.6, 0.55, 0.65} {
		if got := g.simulate(truth, 400, 2000); got.erred > 100 {
			t.Errorf("truth %v: %+v", truth, got)
		}
	}
	if got := g.simulate(0.75, 400, 500); got.decided < 495 || got.median > 120 {
		t.Errorf("far from the edge: %+v", got)
	}
}

// Runs that look after every item whether a question is answered err no more often than claimAlpha: how often, and when
// the answer comes (docs/race.md).
func TestGates(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	worlds := trials.TrialCount(100)
	for _, share := range []float64{0.6, 0.8} {
		g := gate{StoppingClaim: StoppingClaim{Metric: "strict", Threshold: share}, sides: map[[2]int][2]bool{}}
		for _, items := range []int{350, 620} {
			for _, points := range []float64{-20, -10, -5, -0.01, 0, 5, 10, 15} {
				truth := share + points/100
				got := g.simulate(truth, items, worlds)
				percent := func(share float64) float64 { return 100 * share }
				t.Logf("%d items, at least %g, truth %g: %.2f %% erred, at most %.2f; %.1f %% decided, after %d items",
					items, percent(share), math.Round(1e8*truth)/1e6, percent(float64(got.erred)/float64(worlds)),
					percent(stats.ClopperPearson(got.erred, worlds, 0.95).High), percent(float64(got.decided)/float64(worlds)), got.median)
				if low := stats.ClopperPearson(got.erred, worlds, 0.999).Low; low > claimAlpha {
					t.Errorf("%d items, at least %g, truth %g: %d of %d erred", items, 100*share, truth, got.erred, worlds)
				}
			}
		}
	}
}
