package scoring_test

import (
	"fmt"
	"math"
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
			Schema: 1, Protocol: "multi-option", Item: a.id, Presentation: i, Presentations: len(orders), Gold: a.gold, Shape: "options", Ranks: a.ranks, EqualOptions: a.equal,
			Replies: []judging.Reply{{Text: "I cannot say.", Finish: backends.FinishStop}},
		}
		for _, c := range order {
			r.Order = append(r.Order, ids[c])
		}
		if a.unrelated {
			r.UnrelatedID = ids[0]
		}
		if i < len(a.places) && a.places[i] > 0 {
			r.Replies[0].Text = fmt.Sprintf("Selection: Option %d", a.places[i])
		}
		if a.outcome[i] == judging.Truncated {
			r.Replies[0].Finish = backends.FinishLength
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
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
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
		Protocol: "multi-option", Goal: "best", Prompt: judging.Template{Name: "1"}, ProtocolOptions: options, Model: judging.ModelSpec{Name: "judge"},
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
