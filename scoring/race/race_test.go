package race_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gavel/scoring/race"
	"gavel/scoring/stats"
)

// judges are right on n items with these probabilities, each by itself.
func judges(rng *rand.Rand, n int, p ...float64) [][]bool {
	right := make([][]bool, len(p))
	for j := range right {
		right[j] = make([]bool, n)
		for i := range right[j] {
			right[j][i] = rng.Float64() < p[j]
		}
	}
	return right
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Who leaves, when and why, found again by counting from the start for every item and every pair.
func TestRaceIsWhatCountingSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 30 {
		right := judges(rng, 200, .8, .75, .5, .3)
		r := race.Replay(right, inOrder(200), race.Rules{Items: 200, Alpha: .05})
		k := len(right)
		for _, l := range r.Eliminations() {
			for n := 1; n <= l.Items; n++ {
				wins, losses := 0, 0
				for i := range n {
					switch a, b := right[l.Winner][i], right[l.Judge][i]; {
					case a && !b:
						wins++
					case b && !a:
						losses++
					}
				}
				e := stats.LogOneSidedE(wins, wins+losses)
				if enough := e >= math.Log(float64(k-1)/.05); enough != (n == l.Items) || enough && e != l.LogE {
					t.Errorf("%+v: after %d items E is %g", l, n, math.Exp(e))
				}
			}
		}
		in := r.Remaining()
		if len(in)+len(r.Eliminations()) != k || len(in) < 1 {
			t.Errorf("%d are in, %d left", len(in), len(r.Eliminations()))
		}
		for _, j := range in[1:] {
			if a, _ := r.Lead(in[0], j); a < 0 {
				t.Errorf("the leader %d is behind %d", in[0], j)
			}
		}
	}
}

// Every judge in the race is asked all of a block in turn, the leader first, and one that leaves is asked no more.
func TestBlocks(t *testing.T) {
	r := race.New(3, race.Rules{Items: 100, Alpha: .05})
	var asked []string
	for {
		j, upTo, ok := r.Next()
		if !ok {
			break
		}
		if turn := fmt.Sprintf("%d to %d", j, upTo); len(asked) == 0 || asked[len(asked)-1] != turn {
			asked = append(asked, turn)
		}
		r.Add(j == 2 || j == 1 && r.OutcomeCount(1)%4 > 0) // 0 is never right, 1 three times of four
	}
	if got := strings.Join(asked, ", "); got != "0 to 16, 1 to 16, 2 to 16, 2 to 32, 1 to 32" {
		t.Error(got)
	}
	// Eight items on which one alone is right make E₊ = 56.8.
	want := []race.Elimination{{Judge: 0, Winner: 1, Items: 11}, {Judge: 1, Winner: 2, Items: 29}}
	for i, l := range r.Eliminations() {
		if math.Abs(l.LogE-math.Log(511.0/9)) > 1e-9 {
			t.Errorf("E = %g", math.Exp(l.LogE))
		}
		if l.LogE = 0; l != want[i] {
			t.Errorf("%+v, want %+v", l, want[i])
		}
	}
	if r.OutcomeCount(0) != 16 || r.OutcomeCount(1) != 29 || r.OutcomeCount(2) != 32 || r.Judgments() != 77 || r.ModelLoads() != 5 {
		t.Errorf("asked %d, %d, %d: %d in all, %d loads", r.OutcomeCount(0), r.OutcomeCount(1), r.OutcomeCount(2), r.Judgments(), r.ModelLoads())
	}
	sizes := []int{}
	alone := race.New(2, race.Rules{Items: 300, Alpha: .05})
	for {
		_, upTo, ok := alone.Next()
		if !ok {
			break
		}
		if !slices.Contains(sizes, upTo) {
			sizes = append(sizes, upTo)
		}
		alone.Add(true)
	}
	if fmt.Sprint(sizes) != "[16 32 64 128 256 300]" {
		t.Errorf("blocks end at %v", sizes)
	}
}

// The best of several leaves with probability at most alpha, where all are as good as it is and where it is a little
// better; and so does the best on a benchmark that is raced in random orders.
func TestTheBestStays(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const worlds, alpha = 1000, .05
	limit := worlds * (alpha + 3*math.Sqrt(alpha*(1-alpha)/worlds))
	for _, p := range [][]float64{{.5, .5}, {.6, .6, .6, .6}, {.7, .68, .4}} {
		for _, benchmark := range []bool{false, true} {
			lost := 0.0
			for range worlds {
				right := judges(rng, 250, p...)
				r := race.Replay(right, rng.Perm(250), race.Rules{Items: 250, Alpha: alpha, OnlyTheseItems: benchmark})
				if benchmark && race.ShareBehindBest(right, r.Remaining()[0]) > 0 || !benchmark && !slices.Contains(r.Remaining(), 0) {
					lost++
				}
			}
			if lost > limit {
				t.Errorf("%v, of the benchmark %v: the best is lost in %g of %d", p, benchmark, lost, worlds)
			}
		}
	}
}

// Ties end a race, and who is called tied is: with probability at most alpha the best one is tied with one that is
// farther from it than the margin.
func TestTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const worlds, n, margin, alpha = 300, 600, .1, .05
	for _, benchmark := range []bool{false, true} {
		ended, falsely := 0, 0.0
		for range worlds {
			same := judges(rng, n, .9)
			same = append(same, slices.Clone(same[0]))
			for i := range n {
				if rng.Float64() < .04 {
					j := rng.IntN(2)
					same[j][i] = !same[j][i]
				}
			}
			r := race.Replay(same, rng.Perm(n), race.Rules{Items: n, Alpha: alpha, TieMargin: margin, OnlyTheseItems: benchmark})
			if len(r.Remaining()) == 2 && r.AreTied(0, 1) && r.OutcomeCount(0) < n {
				ended++
			}
			far := judges(rng, n, .8, .8-margin)
			if r := race.Replay(far, rng.Perm(n), race.Rules{Items: n, Alpha: alpha, TieMargin: margin}); r.AreTied(0, 1) {
				falsely++
			}
		}
		if ended < worlds*9/10 || falsely > worlds*(alpha+3*math.Sqrt(alpha*(1-alpha)/worlds)) {
			t.Errorf("of the benchmark %v: %d of %d races of equals end early, %g ties are none", benchmark, ended, worlds, falsely)
		}
	}
}

// On a benchmark whoever cannot be caught up with has won, and who is the same on all of it is tied.
func TestTheEndOfABenchmark(t *testing.T) {
	right := [][]bool{make([]bool, 6), make([]bool, 6), make([]bool, 6)}
	right[1][0], right[2][5] = true, true
	rules := race.Rules{Items: 6, Alpha: .05, OnlyTheseItems: true}
	r := race.Replay(right, inOrder(6), rules)
	left := r.Eliminations()
	if len(left) != 1 || left[0].Judge != 0 || !math.IsInf(left[0].LogE, 1) || !r.AreTied(1, 2) {
		t.Errorf("%+v; tied %v", left, r.AreTied(1, 2))
	}
	out := r.Result([]string{"a", "b", "c"}, 2)
	out.OrdersSummary = race.ReplayPerSeed(right, func(int64) []int { return inOrder(6) }, 3, 2, rules)
	text, err := json.Marshal(out)
	if want := `{"leader":"b","left":[{"run":"a","items":6,"e":null,"by":"b"}],"tied":[["b","c"]],"calls":36,"full_calls":36,"alpha":0.05,"about":"benchmark","orders":{"tried":3,"erred":0,"calls_median":36}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	if share, iv := r.ShareOfRight(1); share != 1.0/6 || iv.High-iv.Low > 1e-9 {
		t.Errorf("%g in [%g, %g]", share, iv.Low, iv.High)
	}
}

func TestReplaysCountErrors(t *testing.T) {
	right := [][]bool{make([]bool, 100), make([]bool, 100)}
	for i := range 40 { // the first alone is right at the start, the second at the end
		right[0][i], right[1][99-i] = i < 30, true
	}
	rules := race.Rules{Items: 100, Alpha: .05}
	backwards := inOrder(100)
	slices.Reverse(backwards)
	o := race.ReplayPerSeed(right, func(seed int64) []int {
		if seed == 2 {
			return backwards
		}
		return inOrder(100)
	}, 4, 2, rules)
	if o.Races != 4 || o.WrongLeaders != 3 || o.MedianCalls != 2*(16+7) {
		t.Errorf("%+v", o)
	}
	rules.TieMargin = .2
	if o := race.ReplayPerSeed(right, func(int64) []int { return inOrder(100) }, 1, 2, rules); o.WrongLeaders != 0 {
		t.Errorf("ten points behind, with a margin of twenty: %+v", o)
	}
}
