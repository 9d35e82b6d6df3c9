package scoring_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// outcome is one way to judge an item, and how probable it is.
type outcome struct {
	places []int // from 1; 0 is no verdict
	p      float64
}

// everyOutcome lists the ways a judge may answer k times, where in judgment i it
// answers a with probability chance(i, a), a from 0 to n.
func everyOutcome(k, n int, chance func(i, a int) float64) []outcome {
	all := []outcome{{nil, 1}}
	for i := range k {
		var longer []outcome
		for _, o := range all {
			for a := range n + 1 {
				if p := o.p * chance(i, a); p > 0 {
					longer = append(longer, outcome{append(append([]int{}, o.places...), a), p})
				}
			}
		}
		all = longer
	}
	return all
}

func anyPosition(n int) func(i, a int) float64 {
	return func(_, a int) float64 {
		if a == 0 {
			return 0
		}
		return 1 / float64(n)
	}
}

// merged turns options that are the same into one, in the orders alone.
func merged(orders [][]int, same map[int]int) [][]int {
	var out [][]int
	for _, order := range orders {
		var m []int
		for _, c := range order {
			if s, ok := same[c]; ok {
				c = s
			}
			m = append(m, c)
		}
		out = append(out, m)
	}
	return out
}

// permuted lists all permutations of n.
func permuted(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permuted(n - 1) {
		for at := range n {
			out = append(out, append(append(append([]int{}, p[:at]...), n-1), p[at:]...))
		}
	}
	return out
}

// The random judge against every outcome counted once more, by the paper's
// equations.
func TestRandomJudgeAgainstEveryOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		orders [][]int
		equal  [][]string
		same   map[int]int
	}{
		"three, rotated":                  {orders: rotated(3)},
		"four, rotated":                   {orders: rotated(4)},
		"five, rotated":                   {orders: rotated(5)},
		"two, all":                        {orders: permuted(2)},
		"three, all":                      {orders: permuted(3)},
		"four, some":                      {orders: permuted(4)[3:8]},
		"four rotated, two the same":      {orders: rotated(4), equal: [][]string{{"02", "04"}}, same: map[int]int{3: 1}},
		"four rotated, two and two":       {orders: rotated(4), equal: [][]string{{"01", "02"}, {"03", "04"}}, same: map[int]int{1: 0, 3: 2}},
		"three rotated, all the same":     {orders: rotated(3), equal: [][]string{{"01", "02", "03"}}, same: map[int]int{1: 0, 2: 0}},
		"three in all orders, two alike":  {orders: permuted(3), equal: [][]string{{"01", "03"}}, same: map[int]int{2: 0}},
		"two options, one order, no more": {orders: [][]int{{0, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			n := len(c.orders[0])
			var llm, choice, grade float64
			for _, o := range everyOutcome(len(c.orders), n, anyPosition(n)) {
				l, ch, g := byThePaper(optionItem{orders: merged(c.orders, c.same), places: o.places})
				llm, choice, grade = llm+o.p*l, choice+o.p*ch, grade+o.p*g
			}
			places := make([]int, len(c.orders))
			for i := range places {
				places[i] = 1
			}
			rep := optionRun(t, nil, optionItem{id: "i1", orders: c.orders, places: places, equal: c.equal}).Score(quick)
			first, firstChoice, _ := byThePaper(optionItem{orders: merged(c.orders, c.same), places: places})
			scored(t, rep, scoring.Overall, map[string]float64{"llm-random": llm, "choice-random": choice, "grade-random": grade, "llm-first": first, "choice-first": firstChoice, "grade-first": 0})
		})
	}
}

// Of eight options there are 8⁸ outcomes: the Grade score is simulated, and the
// note says how sure it is. An independent simulation comes to the same; the two
// others are exact.
func TestRandomJudgeOfManyOptions(t *testing.T) {
	places := []int{1, 2, 3, 4, 5, 6, 7, 8}
	run := optionRun(t, nil, optionItem{id: "i1", places: places}, optionItem{id: "i2", places: places}, optionItem{id: "i3", places: []int{1, 2}})
	rep := run.Score(quick)
	const draws = 100_000
	rng := rand.New(rand.NewPCG(7, 7))
	orders := rotated(8)
	var sum, square [3]float64
	for range draws {
		a := optionItem{orders: orders}
		for range 8 {
			a.places = append(a.places, 1+rng.IntN(8))
		}
		llm, choice, grade := byThePaper(a)
		for k, v := range []float64{llm, choice, grade} {
			sum[k] += v
			square[k] += v * v
		}
	}
	for k, metric := range []string{"llm-random", "choice-random", "grade-random"} {
		mean := sum[k] / draws
		se := math.Sqrt((square[k]/draws - mean*mean) / draws)
		if metric == "grade-random" {
			se *= math.Sqrt2 * 1.1 // both are simulated
		}
		if got := *find(t, rep, metric, "8 options").Value; math.Abs(got-mean) > 4*se {
			t.Errorf("%s is %v, simulated %v ± %v", metric, got, mean, se)
		}
	}
	note := find(t, rep, "grade-random", "8 options").Note
	var said float64
	if _, err := fmt.Sscanf(note, "simulated for 2 of 2 items, the others exact: standard error %f, seed 1", &said); err != nil || said <= 0 || said > 0.002 {
		t.Errorf("note %q", note)
	}
	if note := find(t, rep, "grade-random", "2 options").Note; note != "exact: all outcomes counted" {
		t.Errorf("note %q", note)
	}
	// Over all three items two share one simulation, so its error counts 2/3.
	var overall float64
	if _, err := fmt.Sscanf(find(t, rep, "grade-random", scoring.Overall).Note, "simulated for 2 of 3 items, the others exact: standard error %f, seed 1", &overall); err != nil || math.Abs(overall-said*2/3) > 2e-5 {
		t.Errorf("standard error %v of all, %v of those simulated; %v", overall, said, err)
	}
	// The same seed, the same bytes; another seed, another simulation.
	again, other := run.Score(quick), run.Score(stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 2})
	if a, b := asJSON(t, rep), asJSON(t, again); !bytes.Equal(a, b) {
		t.Error("the same records gave other bytes")
	}
	if *find(t, other, "grade-random", "8 options").Value == *find(t, rep, "grade-random", "8 options").Value {
		t.Error("the seed does not reach the simulation")
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// With all permutations the entropy is held against the number of positions, so
// that a judge that never wavers scores 1 as with rotations. With orders that
// were drawn it may not, and that is what it is held against.
func TestOrdersBeyondRotations(t *testing.T) {
	always := func(option int, orders [][]int) (places []int) {
		for _, order := range orders {
			for place, c := range order {
				if c == option {
					places = append(places, place+1)
				}
			}
		}
		return places
	}
	all := permuted(4) // 24
	rep := optionRun(t, judging.Settings{"orders": "all"}, optionItem{id: "i1", orders: all, places: always(2, all), gold: "03"}).Score(quick)
	scored(t, rep, scoring.Overall, map[string]float64{"grade": 1, "llm": 1, "choice": 1, "accuracy": 100, "grade-over-random": 1})
	if w := strings.Join(rep.Warnings, "\n"); strings.Contains(w, "equally often") {
		t.Errorf("warned of uneven orders: %s", w)
	}
	// Option 1 stands first, first, third: H(2/3, 1/3); option 2 second, third,
	// first: log₂ 3; option 3 third, second, second: H(2/3, 1/3).
	some := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}
	h := (math.Log2(3) - 2*third) / math.Log2(3)
	g := 2 * h / (1 + h)
	var random float64
	for _, o := range everyOutcome(3, 3, anyPosition(3)) {
		_, _, grade := byThePaper(optionItem{orders: some, places: o.places})
		random += o.p * grade
	}
	run := func(option int) scoring.Report {
		return optionRun(t, judging.Settings{"orders": "random:3"}, optionItem{id: "i1", orders: some, places: always(option, some)}).Score(quick)
	}
	perfect := (2*g + 1) / 3
	scored(t, run(0), scoring.Overall, map[string]float64{"grade": g, "grade-random": random, "grade-over-random": (g - random) / (perfect - random)})
	scored(t, run(1), scoring.Overall, map[string]float64{"grade": 1, "grade-over-random": (1 - random) / (perfect - random)})
	if w := strings.Join(run(0).Warnings, "\n"); !strings.Contains(w, "in 1 items the options are not at all positions equally often") {
		t.Errorf("not warned of uneven orders: %s", w)
	}
}

// Many items in orders of their own: the work is bounded, and what is too much
// to count out is drawn.
func TestChanceOfManyKindsOfItems(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(3, 3))
	var items []optionItem
	for i := range 300 {
		a := optionItem{id: fmt.Sprintf("i%03d", i)}
		for range 6 {
			a.orders = append(a.orders, rng.Perm(6))
			a.places = append(a.places, 1+rng.IntN(6))
		}
		items = append(items, a)
	}
	rep := optionRun(t, nil, items...).Score(quick)
	var simulated, all int
	if _, err := fmt.Sscanf(find(t, rep, "grade-random", scoring.Overall).Note, "simulated for %d of %d items", &simulated, &all); err != nil || simulated != 300-89 || all != 300 {
		t.Errorf("%d of %d are simulated, %v; want 89 of 6⁶ outcomes counted out", simulated, all, err)
	}
	// They were judged at random.
	got, want := find(t, rep, "grade", scoring.Overall), find(t, rep, "grade-random", scoring.Overall)
	if *want.Value < *got.Low-0.01 || *want.Value > *got.High+0.01 {
		t.Errorf("judged at random: %s, of a random judge %s", show(got), show(want))
	}
}
