package scoring_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// optionItem is an item with several options, as a run showed it.
type optionItem struct {
	id        string
	orders    [][]int // nil: the rotations
	places    []int   // named in each order, from 1; 0 is a reply without a verdict
	gold      string  // "": nobody knows
	equal     [][]string
	unrelated bool // the first option is one
	ranks     map[string]int
	outcome   map[int]judging.Outcome // of replies that are no text
}

// rotated are the n rotations to the right, the identity last, as the paper has
// them.
func rotated(n int) [][]int {
	var orders [][]int
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for range n {
		list = append([]int{list[n-1]}, list[:n-1]...)
		orders = append(orders, list)
	}
	return orders
}

// optionIDs names n options; with an unrelated one, that is the first.
func optionIDs(n int, unrelated bool) []string {
	ids := make([]string, n)
	for i := range ids {
		k := i + 1
		if unrelated {
			k = i
		}
		ids[i] = fmt.Sprintf("%02d", k)
	}
	return ids
}

// records of an item, as a run writes them.
func (a optionItem) records() []*judging.Record {
	orders := a.orders
	if orders == nil {
		orders = rotated(len(a.places))
	}
	ids := optionIDs(len(orders[0]), a.unrelated)
	var out []*judging.Record
	for i, order := range orders {
		r := &judging.Record{
			Schema: 1, Protocol: "multi-option", Item: a.id, Presentation: i, Presentations: len(orders), Gold: a.gold, Shape: "options", Ranks: a.ranks, Equal: a.equal,
			Replies: []judging.Reply{{Text: "I cannot say.", Finish: backends.Stop}},
		}
		for _, c := range order {
			r.Order = append(r.Order, ids[c])
		}
		if a.unrelated {
			r.Unrelated = ids[0]
		}
		if i < len(a.places) && a.places[i] > 0 {
			r.Replies[0].Text = fmt.Sprintf("Selection: Option %d", a.places[i])
		}
		if a.outcome[i] == judging.Cut {
			r.Replies[0].Finish = backends.Length
		}
		if a.outcome[i] == judging.Failed {
			r.Outcome, r.Replies = judging.Failed, nil
		}
		out = append(out, r)
	}
	return out
}

// optionRun is a run of these items.
func optionRun(t testing.TB, options judging.Settings, items ...optionItem) *scoring.Run {
	t.Helper()
	m := optionManifest(options, len(items))
	load, err := scoring.NewLoader(m, judging.Reading{Policy: judging.Unique})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range items {
		for _, r := range a.records() {
			if err := load.Add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := load.Run()
	run.Dir = "run"
	return run
}

func optionManifest(options judging.Settings, items int) *judging.Manifest {
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "multi-option", Goal: "best", Prompt: judging.Template{Name: "1"}, Options: options, Model: judging.ModelSpec{Name: "judge"},
		Dataset: judging.DatasetSpec{Items: items}, Parameters: judging.DefaultParameters,
	})
	m.Dataset.Name = "options"
	return m
}

// scored checks values by metric of one group: scores to six places, the rest in
// percent.
func scored(t *testing.T, rep scoring.Report, group string, want map[string]float64) {
	t.Helper()
	for metric, w := range want {
		r := find(t, rep, metric, group)
		tolerance := 1e-6
		if r.Unit == "" {
			tolerance = 1e-4
		}
		switch {
		case math.IsNaN(w) && (r.Value != nil || r.Note == ""):
			t.Errorf("%s of %s is %s, want it undefined", metric, group, show(r))
		case !math.IsNaN(w) && (r.Value == nil || math.Abs(*r.Value-w) > tolerance):
			t.Errorf("%s of %s is %s, want %v", metric, group, show(r), w)
		}
	}
}

const third = 1.0 / 3

// noValue is wanted where there is to be none.
var noValue = math.NaN()

// The rows of a hand-worked table. The rotations of three options are shown as
// 312, 231, 123: to choose option 1 always is to name positions 2, 3, 1.
func TestGradeScoreByHand(t *testing.T) {
	h21 := (math.Log2(3) - 2*third) / math.Log2(3) // H(2/3, 1/3) = log₂3 − 2/3
	for name, c := range map[string]struct {
		item optionItem
		want map[string]float64
	}{
		"always the same option": {optionItem{places: []int{2, 3, 1}, gold: "01"},
			map[string]float64{"grade": 1, "llm": 1, "choice": 1, "accuracy": 100, "accuracy-mode": 100, "same-choice": 100, "grade-strict": 1}},
		"always the same wrong option": {optionItem{places: []int{3, 1, 2}, gold: "01"},
			map[string]float64{"grade": 1, "llm": 1, "choice": 1, "accuracy": 0, "accuracy-mode": 0, "same-choice": 100}},
		"always the same place": {optionItem{places: []int{1, 1, 1}, gold: "01"},
			map[string]float64{"grade": 0, "llm": 0, "choice": third, "accuracy": 100 * third, "accuracy-mode": 100 * third, "same-choice": 0}},
		// Positions 2, 2, 1 are options 1, 3, 1.
		"one of each": {optionItem{places: []int{2, 2, 1}, gold: "01"},
			map[string]float64{"llm": h21, "choice": 2 * third, "grade": 2 * h21 * 2 * third / (h21 + 2*third), "accuracy": 200 * third, "accuracy-mode": 100, "same-choice": 0}},
		// Positions 1, 2, 3 are all option 3.
		"every place once, the last option": {optionItem{places: []int{1, 2, 3}},
			map[string]float64{"grade": 1, "llm": 1, "choice": 1, "accuracy": noValue, "accuracy-mode": noValue, "same-choice": 100}},
		// Positions 3, 2, 1 are options 2, 3, 1: all differ, no order bias.
		"every place once, every option once": {optionItem{places: []int{3, 2, 1}, gold: "02"},
			map[string]float64{"llm": 1, "choice": third, "grade": 0.5, "accuracy": 100 * third, "accuracy-mode": 100 * third, "same-choice": 0}},
		"two options, the same one": {optionItem{places: []int{2, 1}, gold: "01"},
			map[string]float64{"grade": 1, "llm": 1, "choice": 1, "accuracy": 100, "same-choice": 100}},
		"two options, the same place": {optionItem{places: []int{2, 2}, gold: "01"},
			map[string]float64{"grade": 0, "llm": 0, "choice": 0.5, "accuracy": 50, "accuracy-mode": 50, "same-choice": 0}},
		"four options, two and two": {optionItem{places: []int{1, 1, 2, 2}},
			map[string]float64{"llm": 0.5}},

		// Rotations lost. Usable: the two that are left name option 1, at positions 2
		// and 1: entropy 1 bit of log₂3.
		"one lost": {optionItem{places: []int{2, 0, 1}, gold: "01"},
			map[string]float64{"llm": 1 / math.Log2(3), "choice": 1, "grade": 2 / math.Log2(3) / (1 + 1/math.Log2(3)), "grade-usable": 2 / math.Log2(3) / (1 + 1/math.Log2(3)),
				"grade-strict": 2 * third * 2 / math.Log2(3) / (2*third + 1/math.Log2(3)), "accuracy": 100, "same-choice": 0}},
		"two lost": {optionItem{places: []int{0, 0, 1}, gold: "01"},
			map[string]float64{"llm": 0, "choice": 1, "grade": 0, "grade-strict": 0, "accuracy": 100, "accuracy-mode": 100, "same-choice": 0}},
		"all lost": {optionItem{places: []int{0, 0, 0}, gold: "01"},
			map[string]float64{"llm": 0, "choice": 0, "grade": 0, "grade-strict": 0, "accuracy": 0, "accuracy-mode": 0, "same-choice": 0}},
		"a number above n is lost": {optionItem{places: []int{2, 4, 1}, gold: "01"},
			map[string]float64{"llm": 1 / math.Log2(3), "choice": 1}},
		"failed is lost": {optionItem{places: []int{2, 3, 1}, gold: "01", outcome: map[int]judging.Outcome{1: judging.Failed}},
			map[string]float64{"llm": 1 / math.Log2(3), "choice": 1}},

		// Options 1 and 2 have the same text: to choose one, then the other, is to
		// choose the same twice, at positions of their own. Positions 2, 1, 2 of 312,
		// 231, 123 are options 1, 2, 2.
		"two equal options": {optionItem{places: []int{2, 1, 2}, gold: "01", equal: [][]string{{"01", "02"}}},
			map[string]float64{"llm": h21, "choice": 1, "accuracy": 100, "accuracy-mode": 100, "same-choice": 100, "accuracy-random": 200 * third,
				"choice-first": 2 * third}},
		"the same without saying so": {optionItem{places: []int{2, 1, 2}, gold: "01"},
			map[string]float64{"llm": h21, "choice": 2 * third, "accuracy": 100 * third, "accuracy-mode": 0, "same-choice": 0, "accuracy-random": 100 * third, "choice-first": third}},

		// An unrelated option and two others, shown as 2?1, 12?, ?12.
		"the unrelated option, always": {optionItem{places: []int{2, 3, 1}, gold: "01", unrelated: true},
			map[string]float64{"grade": 1, "unrelated": 100, "accuracy": 0}},
		"the unrelated option, once": {optionItem{places: []int{2, 1, 2}, gold: "01", unrelated: true},
			map[string]float64{"unrelated": 100 * third, "accuracy": 200 * third, "choice": 2 * third}},
		"no unrelated option": {optionItem{places: []int{2, 3, 1}, gold: "01"}, map[string]float64{"unrelated": noValue}},
		"the unrelated option, and two lost": {optionItem{places: []int{2, 0, 0}, gold: "01", unrelated: true},
			map[string]float64{"unrelated": 100}},
	} {
		t.Run(name, func(t *testing.T) {
			c.item.id = "i1"
			rep := optionRun(t, nil, c.item).Score(quick)
			scored(t, rep, scoring.Overall, c.want)
			if rep.Items != 1 || rep.Goal != "best" || rep.Bootstrap.Unit != "item" {
				t.Errorf("%d items, goal %q, resampled by %q", rep.Items, rep.Goal, rep.Bootstrap.Unit)
			}
		})
	}
}

// By the strict policy a lost judgment is a choice of nothing.
func TestStrictPolicy(t *testing.T) {
	run := optionRun(t, nil, optionItem{id: "i1", places: []int{2, 0, 1}, gold: "01"}, optionItem{id: "i2", places: []int{0, 0, 0}, gold: "01"})
	usable := run.Score(quick)
	run.CountMissing(scoring.MissingStrict)
	strict := run.Score(quick)
	llm := 1 / math.Log2(3) / 2 // mean of two items
	scored(t, usable, scoring.Overall, map[string]float64{"llm": llm, "choice": 0.5, "accuracy": 50, "accuracy-mode": 50})
	scored(t, strict, scoring.Overall, map[string]float64{"llm": llm, "choice": third, "accuracy": 100 * third, "accuracy-mode": 50})
	for _, metric := range []string{"grade-usable", "grade-strict"} {
		if a, b := find(t, usable, metric, scoring.Overall), find(t, strict, metric, scoring.Overall); *a.Value != *b.Value {
			t.Errorf("%s depends on the policy chosen: %v and %v", metric, *a.Value, *b.Value)
		}
	}
	if g := find(t, strict, "grade", scoring.Overall); *g.Value != *find(t, strict, "grade-strict", scoring.Overall).Value || !strings.HasPrefix(g.Missing, "strict") {
		t.Errorf("strict: %s", show(g))
	}
	if g := find(t, usable, "grade", scoring.Overall); *g.Value != *find(t, usable, "grade-usable", scoring.Overall).Value || !strings.HasPrefix(g.Missing, "usable") {
		t.Errorf("usable: %s", show(g))
	}
	run.CountMissing(scoring.MissingDrop) // of another protocol
	if other := run.Score(quick); other.Missing != scoring.MissingUsable || usable.Missing != scoring.MissingUsable || strict.Missing != scoring.MissingStrict {
		t.Errorf("scored by %q, %q and %q", other.Missing, usable.Missing, strict.Missing)
	}
	all := strings.Join(usable.Warnings, "\n")
	for _, want := range []string{"4 of 6 judgments have no verdict, in 2 items", "1 items have no verdict at all and score 0", "few items: n = 2"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q among\n%s", want, all)
		}
	}
}

// What becomes of a lost judgment is said as the policy has it.
func TestWarningsOfLostJudgments(t *testing.T) {
	run := optionRun(t, nil, optionItem{id: "i1", places: []int{2, 3, 1}, outcome: map[int]judging.Outcome{0: judging.Cut, 1: judging.Failed}})
	for _, policy := range []scoring.MissingPolicy{scoring.MissingUsable, scoring.MissingStrict} {
		lost := map[scoring.MissingPolicy]string{scoring.MissingUsable: "are left out", scoring.MissingStrict: "count as a choice of nothing"}[policy]
		run.CountMissing(policy)
		all := strings.Join(run.Score(quick).Warnings, "\n")
		for _, want := range []string{"1 of 3 judgments failed and " + lost, "1 of 3 replies were cut at the token limit and " + lost, fmt.Sprintf("2 of 3 judgments have no verdict, in 1 items: the scores are by the policy %q", policy), "have no label for the best option"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q among\n%s", policy, want, all)
			}
		}
	}
}

// byThePaper computes equations (1) to (6) once more: maps, one item at a time.
func byThePaper(a optionItem) (llm, choice, grade float64) {
	orders := a.orders
	if orders == nil {
		orders = rotated(len(a.places))
	}
	indices, options := map[int]float64{}, map[int]float64{}
	usable := 0.0
	for i, place := range a.places {
		if place > 0 {
			indices[place]++
			options[orders[i][place-1]]++
			usable++
		}
	}
	var entropy, mode float64
	for _, count := range indices {
		p := count / usable
		entropy -= p * math.Log(p) / math.Ln2
	}
	for _, count := range options {
		mode = math.Max(mode, count)
	}
	if usable == 0 {
		return 0, 0, 0
	}
	llm, choice = entropy/(math.Log(float64(len(orders[0])))/math.Ln2), mode/usable
	if llm+choice == 0 {
		return llm, choice, 0
	}
	return llm, choice, 2 * (llm * choice) / (llm + choice)
}

// Every way to judge items of two to four options, each an item of a run of its
// number of options, against the second implementation; and the mean of all.
func TestGradeScoreAgainstTheEquations(t *testing.T) {
	var all []optionItem
	var sum [3]float64
	for n := 2; n <= 4; n++ {
		outcomes := int(math.Pow(float64(n+1), float64(n)))
		for o := range outcomes {
			a := optionItem{id: fmt.Sprintf("n%d-%04d", n, o), gold: "01"}
			for range n {
				a.places = append(a.places, o%(n+1))
				o /= n + 1
			}
			all = append(all, a)
			llm, choice, grade := byThePaper(a)
			sum[0], sum[1], sum[2] = sum[0]+llm, sum[1]+choice, sum[2]+grade
			if len(all)%7 == 0 { // each by itself: a run for every seventh
				rep := optionRun(t, nil, a).Score(stats.Bootstrap{Level: 0.95})
				scored(t, rep, scoring.Overall, map[string]float64{"llm": llm, "choice": choice, "grade": grade})
			}
		}
	}
	rep := optionRun(t, nil, all...).Score(quick)
	n := float64(len(all)) // 9 + 64 + 625
	scored(t, rep, scoring.Overall, map[string]float64{"llm": sum[0] / n, "choice": sum[1] / n, "grade": sum[2] / n})
	for options, items := range map[int]int{2: 9, 3: 64, 4: 625} {
		if r := find(t, rep, "grade", fmt.Sprintf("%d options", options)); r.N != items {
			t.Errorf("%d options: n = %d, want %d", options, r.N, items)
		}
	}
}
