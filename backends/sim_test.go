package backends

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

const tieVerdict = "[[A=B]]"

// judgePairs asks a judge about n pairs in both orders and measures it. The
// right candidate is 0 and 1 by turns.
func judgePairs(t *testing.T, judge *SimulatedJudge, n int, tie string) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	var decided, both float64
	for i := range n {
		var choices [2]int // candidate, -1 where there is none
		for presentation, order := range [][]int{{0, 1}, {1, 0}} {
			req := Request{Oracle: &Oracle{
				Item: fmt.Sprint("item ", i), Presentation: presentation, Order: order, CorrectPosition: slices.Index(order, i%2),
				VerdictLabels: []string{"[[A>B]]", "[[B>A]]"}, TieLabel: tie,
			}}
			resp, err := judge.Ask(context.Background(), req)
			if err != nil || resp.Finish != FinishStop {
				t.Fatal(resp, err)
			}
			position := slices.IndexFunc(req.Oracle.VerdictLabels, func(c string) bool { return strings.Contains(resp.Text, c) })
			switch {
			case position >= 0:
				choices[presentation] = order[position]
				decided++
				if position == 0 {
					got["first"]++
				}
				continue
			case strings.Contains(resp.Text, tieVerdict):
				got["tie"]++
			default:
				got["silent"]++
			}
			choices[presentation] = -1
		}
		if choices[0] >= 0 && choices[1] >= 0 {
			both++
			if choices[0] == choices[1] {
				got["consistent"]++
			}
		}
		if choices[0] == i%2 && choices[1] == i%2 {
			got["strict"]++
		}
	}
	for name, of := range map[string]float64{"first": decided, "consistent": both, "strict": float64(n), "tie": 2 * float64(n), "silent": 2 * float64(n)} {
		if of > 0 {
			got[name] /= of
		}
	}
	return got
}

// The formulas are those of the comment on Sim. With 5,000 pairs a share is known
// to ±0.03 at four standard errors; seeds make the outcome fixed.
func TestSimDoesWhatItSays(t *testing.T) {
	const n, bound = 5000, 0.03
	for spec, want := range map[string]map[string]float64{
		"right":                          {"strict": 1, "consistent": 1, "first": 0.5},
		"first":                          {"strict": 0, "consistent": 0, "first": 1},
		"coin":                           {"strict": 0.25, "consistent": 0.5, "first": 0.5},
		"silent":                         {"silent": 1},
		"accuracy=0.8":                   {"strict": 0.8, "consistent": 1, "first": 0.5},
		"accuracy=0.8,first=0.3":         {"strict": 0.8 * 0.7, "consistent": 0.7, "first": 0.65},
		"accuracy=0.5,first=0.9":         {"strict": 0.5 * 0.1, "consistent": 0.1, "first": 0.95},
		"accuracy=0":                     {"strict": 0, "consistent": 1, "first": 0.5},
		"accuracy=0.6,tie=0.2":           {"strict": 0.6 * 0.64, "tie": 0.2, "consistent": 1, "first": 0.5},
		"silent=0.25,seed=9":             {"strict": 0.75 * 0.75, "silent": 0.25, "consistent": 1, "first": 0.5},
		"first=0.2,tie=0.3,silent=0.5":   {"tie": 0.3, "silent": 0.5, "first": 1},
		"sim:accuracy=0.8,first=0.3":     {"strict": 0.8 * 0.7, "consistent": 0.7, "first": 0.65},
		"accuracy=0.8,first=0.3,seed=42": {"strict": 0.8 * 0.7, "consistent": 0.7, "first": 0.65},
	} {
		t.Run(spec, func(t *testing.T) {
			judge, err := NewSimulatedJudge(spec)
			assert.NilError(t, err)
			got := judgePairs(t, judge, n, tieVerdict)
			for _, name := range []string{"strict", "consistent", "first", "tie", "silent"} {
				if math.Abs(got[name]-want[name]) > bound {
					t.Errorf("%s is %.3f, want %.3f", name, got[name], want[name])
				}
			}
		})
	}
}

func TestSimWithoutATieOnOffer(t *testing.T) {
	got := judgePairs(t, &SimulatedJudge{Accuracy: 1, Tie: 0.3, Seed: 1}, 5000, "")
	if got["tie"] != 0 || math.Abs(got["silent"]-0.3) > 0.03 {
		t.Errorf("a judge that would say equal gives no verdict: %v", got)
	}
}

// TestSimWithTheReversedGoal: Reversed is the accuracy of prompts that ask for the worst candidate, and of no others.
// The judge is right on all items under the reversed goal that it is right on otherwise.
func TestSimWithTheReversedGoal(t *testing.T) {
	const n = 5000
	judge, err := NewSimulatedJudge("accuracy=0.6,reversed=0.72")
	assert.NilError(t, err)
	var right [2]int
	lost := 0
	for i := range n {
		var correct [2]bool
		for goal, reversed := range []bool{false, true} {
			resp, err := judge.Ask(t.Context(), Request{Oracle: &Oracle{
				Item: fmt.Sprint(i), Order: []int{0, 1}, VerdictLabels: []string{"[[A>B]]", "[[B>A]]"}, AsksForWorst: reversed,
			}})
			assert.NilError(t, err)
			correct[goal] = strings.Contains(resp.Text, "[[A>B]]")
			if correct[goal] {
				right[goal]++
			}
		}
		if correct[0] && !correct[1] {
			lost++
		}
	}
	if math.Abs(float64(right[0])/n-0.6) > 0.03 || math.Abs(float64(right[1])/n-0.72) > 0.03 || lost > 0 {
		t.Errorf("right on %v of %d, and %d only without it", right, n, lost)
	}
}

func TestSimHoldsToItsWrongCandidate(t *testing.T) {
	judge := &SimulatedJudge{Accuracy: 0, Seed: 1}
	counts := map[int]int{}
	for i := range 3000 {
		item, candidates := fmt.Sprint(i), map[int]bool{}
		for presentation := range 4 {
			order := []int{presentation, (presentation + 1) % 4, (presentation + 2) % 4, (presentation + 3) % 4}
			resp, err := judge.Ask(context.Background(), Request{Oracle: &Oracle{
				Item: item, Presentation: presentation, Order: order, CorrectPosition: slices.Index(order, 2), VerdictLabels: []string{"<0>", "<1>", "<2>", "<3>"},
			}})
			assert.NilError(t, err)
			var position int
			if _, err := fmt.Sscanf(resp.Text[strings.Index(resp.Text, "<"):], "<%d>", &position); err != nil {
				t.Fatal(err)
			}
			candidates[order[position]] = true
			counts[order[position]]++
		}
		if len(candidates) != 1 {
			t.Fatalf("item %d: it takes %v for right, by presentation", i, candidates)
		}
	}
	if counts[2] != 0 || counts[0] < 3500 || counts[1] < 3500 || counts[3] < 3500 {
		t.Errorf("right is 2, a third of 12000 each is due to the others: %v", counts)
	}
}

func TestSimDependsOnSeedItemPresentationAndRepetition(t *testing.T) {
	replies := func(s *SimulatedJudge, item string, presentation, repetition int) string {
		var all strings.Builder
		for i := range 64 {
			resp, err := s.Ask(context.Background(), Request{Repetition: repetition, Oracle: &Oracle{
				Item: fmt.Sprint(item, i), Presentation: presentation, Order: []int{0, 1}, VerdictLabels: []string{"a.", "b."},
			}})
			assert.NilError(t, err)
			all.WriteString(resp.Text[len(resp.Text)-2:])
		}
		return all.String()
	}
	coin := &SimulatedJudge{Accuracy: -1, Seed: 1}
	base := replies(coin, "x", 0, 0)
	if second := replies(&SimulatedJudge{Accuracy: -1, Seed: 1}, "x", 0, 0); second != base {
		t.Error("the same judge says something else")
	}
	for what, other := range map[string]string{
		"seed": replies(&SimulatedJudge{Accuracy: -1, Seed: 2}, "x", 0, 0), "item": replies(coin, "y", 0, 0), "showing": replies(coin, "x", 1, 0), "repeat": replies(coin, "x", 0, 1),
	} {
		if other == base {
			t.Errorf("another %s changes nothing", what)
		}
	}
}

func TestNewSimRefuses(t *testing.T) {
	help := ": write " + SimHelp
	for spec, want := range map[string]string{
		"":                       `unknown simulated judge ""` + help,
		"left":                   `unknown simulated judge "left"` + help,
		"accuracy=":              `simulated judge "accuracy=": accuracy must be a probability from 0 to 1, not ""`,
		"accuracy=1.8":           `simulated judge "accuracy=1.8": accuracy must be a probability from 0 to 1, not "1.8"`,
		"first=-1":               `simulated judge "first=-1": first must be a probability from 0 to 1, not "-1"`,
		"accuracy=NaN":           `simulated judge "accuracy=NaN": accuracy must be a probability from 0 to 1, not "NaN"`,
		"accuracy=0.5,":          `unknown simulated judge "accuracy=0.5,"` + help,
		"tie=0.1,bias=0.5":       `unknown simulated judge "tie=0.1,bias=0.5"` + help,
		"seed=x":                 `simulated judge "seed=x": seed "x" is not a whole number`,
		"seed=-1":                `simulated judge "seed=-1": seed "-1" is not a whole number`,
		"reversed=2":             `simulated judge "reversed=2": reversed must be a probability from 0 to 1, not "2"`,
		"first=0.5,silent=0.6":   `simulated judge "first=0.5,silent=0.6": first, tie and silent sum to more than 1`,
		"first=0.5,tie=1,seed=3": `simulated judge "first=0.5,tie=1,seed=3": first, tie and silent sum to more than 1`,
	} {
		if _, err := NewSimulatedJudge(spec); err == nil || err.Error() != want {
			t.Errorf("NewSim(%q): %v\nwant %s", spec, err, want)
		}
	}
}

func TestSimAsABackend(t *testing.T) {
	ctx := context.Background()
	judge, err := NewSimulatedJudge("sim:coin")
	assert.NilError(t, err)
	if s, err := judge.Server(ctx); err != nil || s.WireFormat != "sim" || s.URL != "" {
		t.Errorf("Server: %+v, %v", s, err)
	}
	models, err := judge.Models(ctx)
	var names []string
	for _, m := range models {
		names = append(names, m.Name)
	}
	if err != nil || strings.Join(names, " ") != "sim:coin sim:first sim:right sim:silent" {
		t.Errorf("Models: %v, %v", names, err)
	}
	ids := map[string]string{}
	for _, spec := range []string{"coin", "right", "accuracy=0.8", "first=0.8", "tie=0.8", "silent=0.8", "seed=8", "reversed=0.8", "accuracy=1,reversed=1"} {
		s, err := NewSimulatedJudge(spec)
		assert.NilError(t, err)
		m, err := s.Model(ctx, "whatever")
		if err != nil || m.Name != "sim:"+spec {
			t.Errorf("Model: %+v, %v", m, err)
		}
		if other, ok := ids[m.Identity("sim")]; ok {
			t.Errorf("%s and %s are one judge to the cache", spec, other)
		}
		ids[m.Identity("sim")] = spec
	}
	if _, err := judge.Ask(ctx, question); !IsKind(err, ErrorUnexpected) || failed(t, err).IsRetryable() {
		t.Errorf("without an oracle: %v", err)
	}
}

// Shown a reference, a judge takes its word in half of the items: it is right in
// (1+a)/2 of those with a right one and in a/2 of those with a wrong one. A coin
// looks at none.
func TestSimTakesTheWordOfAReference(t *testing.T) {
	const n, bound = 5000, 0.03
	for _, c := range []struct {
		judge     SimulatedJudge
		reference string
		want      float64
	}{
		{SimulatedJudge{Accuracy: 0.6, Seed: 1}, "", 0.6},
		{SimulatedJudge{Accuracy: 0.6, Seed: 1}, "[[Correct]]", 0.8},
		{SimulatedJudge{Accuracy: 0.6, FollowsWrongReference: 0.5, Seed: 1}, "[[Incorrect]]", 0.3},
		{SimulatedJudge{Accuracy: 0.6, FollowsWrongReference: 0.2, Seed: 1}, "[[Incorrect]]", 0.48},
		{SimulatedJudge{Accuracy: -1, Seed: 1}, "[[Incorrect]]", 0.5},
		{SimulatedJudge{Accuracy: 1, PicksFirst: 1, Seed: 1}, "[[Incorrect]]", 1}, // without looking
	} {
		right := 0
		for i := range n {
			resp, err := c.judge.Ask(t.Context(), Request{Oracle: &Oracle{
				Item: fmt.Sprint(i), Order: []int{0, 1}, VerdictLabels: []string{"[[Correct]]", "[[Incorrect]]"}, ReferenceVerdict: c.reference,
			}})
			assert.NilError(t, err)
			if strings.Contains(resp.Text, "[[Correct]]") {
				right++
			}
		}
		if got := float64(right) / n; math.Abs(got-c.want) > bound {
			t.Errorf("%+v with reference %q: right in %.3f, want %.2f", c.judge, c.reference, got, c.want)
		}
	}
}
