package scoring_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"gavel/judging"
	"gavel/protocols/selfreference"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// eight is a table worked by hand. One agent, eight questions; the judge says
// the same in mode self but of q5 and q8.
//
//	     G A  cot       J     self      J
//	q1   1 1  Correct   1
//	q2   1 1  Correct   1
//	q3   1 1  Incorrect 0
//	q4   1 0  Incorrect 1
//	q5   1 0  Correct   0     Incorrect 1
//	q6   0 1  Correct   1
//	q7   0 0  Correct   0
//	q8   0 0  Correct   0     Incorrect 1
var eight = []judgedAnswer{
	{question: "q1", own: true, right: true, cot: "C", self: "C"},
	{question: "q2", own: true, right: true, cot: "C", self: "C"},
	{question: "q3", own: true, right: true, cot: "I", self: "I"},
	{question: "q4", own: true, right: false, cot: "I", self: "I"},
	{question: "q5", own: true, right: false, cot: "C", self: "I"},
	{question: "q6", own: false, right: true, cot: "C", self: "C"},
	{question: "q7", own: false, right: false, cot: "C", self: "C"},
	{question: "q8", own: false, right: false, cot: "C", self: "I"},
}

// world draws judgments at random, some without a verdict.
func world(seed uint64, questions int) []judgedAnswer {
	rng := rand.New(rand.NewPCG(seed, 7))
	flip := func(p float64) bool { return rng.Float64() < p }
	var all []judgedAnswer
	for q := range questions {
		s := judgedAnswer{question: fmt.Sprintf("q%03d", q), group: []string{"law", "math", "physics"}[q%3], own: flip(0.6)}
		for _, agent := range []string{"small", "middle", "large"} {
			s.agent, s.right = agent, flip(0.5)
			word := func(p float64) string {
				switch {
				case flip(0.1):
					return []string{"", "refused", "failed"}[rng.IntN(3)]
				case flip(p) == s.right:
					return "C"
				}
				return "I"
			}
			s.cot, s.self = word(0.6), word(map[bool]float64{true: 0.9, false: 0.4}[s.own])
			all = append(all, s)
		}
	}
	return all
}

// second computes the metrics of a mode from the equations of the paper and
// nothing of gavel's; NaN where one is undefined.
func second(rows []judgedAnswer, word func(judgedAnswer) string, drop bool) map[string]float64 {
	type row struct{ g, a, y, j bool }
	var d []row
	for _, s := range rows {
		w := word(s)
		if w != "C" && w != "I" {
			if drop {
				continue
			}
			d = append(d, row{g: s.own, a: s.right})
			continue
		}
		d = append(d, row{s.own, s.right, w == "C", (w == "C") == s.right})
	}
	count := func(of func(row) bool) (n float64) {
		for _, r := range d {
			if of(r) {
				n++
			}
		}
		return n
	}
	// Eq. 7 to 9 on a part of the data; label tells who has it and who was given it.
	f1 := func(part func(row) bool, has, given func(row) bool) float64 {
		tp := count(func(r row) bool { return part(r) && has(r) && given(r) })
		p := tp / count(func(r row) bool { return part(r) && given(r) })
		rec := tp / count(func(r row) bool { return part(r) && has(r) })
		switch {
		case math.IsNaN(p) && math.IsNaN(rec):
			return math.NaN()
		case tp == 0:
			return 0
		}
		return 2 * p * rec / (p + rec)
	}
	all := func(row) bool { return true }
	isTrue := func(r row) bool { return r.a }
	isFalse := func(r row) bool { return !r.a }
	judgedTrue := func(r row) bool { return r.y }
	judgedFalse := func(r row) bool { return !r.y && r.j }
	plus := func(r row) bool { return r.g }
	minus := func(r row) bool { return !r.g }
	n := float64(len(d))
	out := map[string]float64{
		selfreference.Accuracy:  count(func(r row) bool { return r.j }) / n,
		selfreference.Precision: count(func(r row) bool { return r.a && r.y }) / count(judgedTrue),
		selfreference.Recall:    count(func(r row) bool { return r.a && r.y }) / count(isTrue),
		selfreference.F1:        f1(all, isTrue, judgedTrue), selfreference.F1OwnRight: f1(plus, isTrue, judgedTrue), selfreference.F1OwnWrong: f1(minus, isTrue, judgedTrue),
		selfreference.Overconfidence: count(judgedTrue)/n - count(isTrue)/n,
	}
	out[selfreference.F1OwnRightMinusWrong] = out[selfreference.F1OwnRight] - out[selfreference.F1OwnWrong]
	for _, s := range []struct {
		accuracy, f1    string
		part, has, said func(row) bool
	}{
		{selfreference.BothRightAccuracy, selfreference.BothRightF1, plus, isTrue, judgedTrue},
		{selfreference.OnlyOwnRightAccuracy, selfreference.OnlyOwnRightF1, plus, isFalse, judgedFalse},
		{selfreference.OnlyAgentRightAccuracy, selfreference.OnlyAgentRightF1, minus, isTrue, judgedTrue},
		{selfreference.BothWrongAccuracy, selfreference.BothWrongF1, minus, isFalse, judgedFalse},
	} {
		subset := func(r row) bool { return s.part(r) && s.has(r) }
		out[s.accuracy] = count(func(r row) bool { return subset(r) && r.j }) / count(subset)
		out[s.f1] = f1(subset, s.has, s.said)
	}
	// Eq. 13 from gonum's matrix; Eq. 14 not from its formula but from what it
	// means: the correlation of what a regression on A leaves of G and of J.
	m := mat.NewDense(max(1, len(d)), 3, nil)
	for i, r := range d {
		for k, b := range []bool{r.g, r.j, r.a} {
			if b {
				m.Set(i, k, 1)
			}
		}
	}
	var corr mat.SymDense
	stat.CorrelationMatrix(&corr, m, nil)
	out[selfreference.CorrelationGJ] = corr.At(0, 1)
	out[selfreference.CorrelationGA] = corr.At(0, 2)
	out[selfreference.CorrelationJA] = corr.At(1, 2)
	g, j, a := mat.Col(nil, 0, m), mat.Col(nil, 1, m), mat.Col(nil, 2, m)
	residuals := func(x []float64) []float64 {
		alpha, beta := stat.LinearRegression(a, x, nil, false)
		out := make([]float64, len(x))
		for i := range x {
			out[i] = x[i] - alpha - beta*a[i]
		}
		return out
	}
	out[selfreference.PartialGJ] = stat.Correlation(residuals(g), residuals(j), nil)
	return out
}

func wordIn(mode string) func(judgedAnswer) string {
	return func(s judgedAnswer) string {
		if mode == selfreference.ModeSelf {
			return s.self
		}
		return s.cot
	}
}

// near compares a result with a share or a correlation computed otherwise.
func near(r scoring.Result, want float64) bool {
	if r.Unit == "" {
		want *= 100
	}
	if r.Value == nil {
		return math.IsNaN(want)
	}
	return math.Abs(*r.Value-want) < 1e-4
}

func TestSelfReferenceAgainstASecondComputation(t *testing.T) {
	for seed := range uint64(4) {
		all := world(seed, 60)
		for _, how := range scoring.MissingPolicies {
			run := judgedRun(t, all...)
			run.SetMissingPolicy(how)
			rep := run.Score(quick)
			groups := map[string]func(judgedAnswer) bool{scoring.Overall: func(judgedAnswer) bool { return true }}
			for _, g := range []string{"law", "math", "physics"} {
				groups[g] = func(s judgedAnswer) bool { return s.group == g }
			}
			for _, a := range []string{"small", "middle", "large"} {
				groups[selfreference.AgentGroup(a)] = func(s judgedAnswer) bool { return s.agent == a }
			}
			for group, has := range groups {
				part := slices.DeleteFunc(slices.Clone(all), func(s judgedAnswer) bool { return !has(s) })
				judgedInBoth := slices.DeleteFunc(slices.Clone(part), func(s judgedAnswer) bool {
					return how == scoring.MissingDrop && (!slices.Contains([]string{"C", "I"}, s.cot) || !slices.Contains([]string{"C", "I"}, s.self))
				})
				for _, mode := range bothModes {
					for metric, want := range second(part, wordIn(mode), how == scoring.MissingDrop) {
						if r := in(t, rep, metric, group, mode); !near(r, want) {
							t.Errorf("seed %d, %s, %s of %s (%s) is %s, want %v", seed, how, metric, group, mode, show(r), want)
						}
					}
				}
				drop := how == scoring.MissingDrop
				cot := second(judgedInBoth, wordIn(selfreference.ModeCoT), drop)
				self := second(judgedInBoth, wordIn(selfreference.ModeSelf), drop)
				for metric := range cot {
					if metric == selfreference.CorrelationGA {
						continue
					}
					if r := in(t, rep, metric, group, scoring.ModeDifference); !near(r, self[metric]-cot[metric]) {
						t.Errorf("seed %d, %s, difference of %s in %s is %s, want %v", seed, how, metric, group, show(r), self[metric]-cot[metric])
					}
				}
				own := map[string]bool{}
				right := 0.0
				for _, s := range part {
					if !own[s.question] && s.own {
						right++
					}
					own[s.question] = true
				}
				if r := in(t, rep, scoring.GenerationAccuracy, group, ""); !near(r, right/float64(len(own))) || r.N != len(own) {
					t.Errorf("generation accuracy of %s is %s, want %v of %d", group, show(r), right, len(own))
				}
			}
			var names []string
			for _, r := range rep.Results {
				if !slices.Contains(names, r.Group) {
					names = append(names, r.Group)
				}
			}
			if want := []string{"overall", "law", "math", "physics", "agent: large", "agent: middle", "agent: small"}; !slices.Equal(names, want) {
				t.Errorf("groups %q, want %q", names, want)
			}
			// Table 2's average over the groups, weighted by n, is the overall value.
			for _, mode := range bothModes {
				sum := 0.0
				for _, g := range []string{"law", "math", "physics"} {
					part := in(t, rep, selfreference.Overconfidence, g, mode)
					sum += *part.Value * float64(part.N)
				}
				overall := in(t, rep, selfreference.Overconfidence, scoring.Overall, mode)
				if mean := sum / float64(overall.N); math.Abs(mean-*overall.Value) > 1e-3 {
					t.Errorf("the groups' average is %g, overall %s", mean, show(overall))
				}
			}
		}
	}
}

// Three agents that answer alike tell no more than one: the questions count, not the judgments.
func TestAgentsOfAQuestionBelongTogether(t *testing.T) {
	var one, three []judgedAnswer
	for _, s := range world(3, 90) {
		if s.agent != "small" {
			continue
		}
		one = append(one, s)
		for _, name := range []string{"a", "b", "c"} {
			s.agent = name
			three = append(three, s)
		}
	}
	rounds := stats.Bootstrap{Rounds: 500, Level: 0.95, Seed: 1}
	a, b := judgedRun(t, one...).Score(rounds), judgedRun(t, three...).Score(rounds)
	if b.Bootstrap.Unit != "question" || a.Items != 90 || b.Items != 270 {
		t.Errorf("%d and %d judgments, resampled by %s", a.Items, b.Items, b.Bootstrap.Unit)
	}
	for _, r := range a.Results {
		if r.Group != scoring.Overall {
			continue
		}
		same := in(t, b, r.Metric, r.Group, r.Mode)
		if r.Low == nil || r.Metric == scoring.GenerationAccuracy {
			continue
		}
		if same.N != 3*r.N || *same.Value != *r.Value || same.Clusters == 0 ||
			math.Abs((*same.High-*same.Low)/(*r.High-*r.Low)-1) > 0.15 {
			t.Errorf("of one agent %s, of three alike %s", show(r), show(same))
		}
	}
}

// What is asked of a record, and which of them count.
func TestSelfReferenceRecords(t *testing.T) {
	good := func() *judging.Record {
		return judgedAnswer{question: "q", agent: "a", own: true, right: true, cot: "C"}.records(selfreference.ModeCoT)[0]
	}
	for name, change := range map[string]func(*judging.Record){
		"no mode":    func(r *judging.Record) { r.Mode = "" },
		"other mode": func(r *judging.Record) { r.Mode = "difference" },
		"shape":      func(r *judging.Record) { r.Shape = "options" },
		"gold":       func(r *judging.Record) { r.Gold = "A" },
	} {
		load, err := scoring.NewLoader(manifestOf("self-reference", 3), judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if err != nil {
			t.Fatal(err)
		}
		r := good()
		change(r)
		if err := load.Add(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	again := good()
	again.Replies[0].Text = "[[Incorrect]]"
	repeated := good()
	repeated.Item, repeated.Repetition = "z@a", 1
	half := judgedAnswer{question: "half", agent: "a", right: true, cot: "I", self: "I"}.records(bothModes...)[0]
	run := gather(t, manifestOf("self-reference", 3), []*judging.Record{good(), again, repeated, half})
	rep := run.Score(quick)
	if r := in(t, rep, selfreference.Accuracy, scoring.Overall, "cot"); r.N != 1 || *r.Value != 100 {
		t.Errorf("accuracy %s: the first of two records stands, later times and halves do not count", show(r))
	}
	if rep.Items != 1 || run.Records != 4 || rep.Outcomes["decided"] != 2 || run.RereadDifferences != 1 {
		t.Errorf("%d judgments, %d records, outcomes %v, %d reread", rep.Items, run.Records, rep.Outcomes, run.RereadDifferences)
	}
	for _, r := range rep.Results {
		if r.Mode == scoring.ModeDifference && r.Value != nil {
			t.Errorf("a difference without judgments in mode self: %s", show(r))
		}
	}
	if !slices.ContainsFunc(rep.Warnings, func(w string) bool { return strings.HasPrefix(w, "incomplete: 2 of 3 items") }) {
		t.Errorf("warnings %q", rep.Warnings)
	}
}

// A run of one mode has neither the other nor a difference.
func TestOneModeAlone(t *testing.T) {
	var records []*judging.Record
	for _, s := range eight {
		records = append(records, s.records(selfreference.ModeSelf)...)
	}
	rep := gather(t, manifestOf("self-reference", 8), records).Score(quick)
	for _, r := range rep.Results {
		if r.Mode != "" && r.Mode != selfreference.ModeSelf {
			t.Errorf("a result of mode %s", r.Mode)
		}
	}
	if r := in(t, rep, selfreference.F1, scoring.Overall, "self"); *r.Value != 75 {
		t.Errorf("f1 is %s", show(r))
	}
}

func TestSelfReferenceWarnings(t *testing.T) {
	few := world(1, 12) // 36 judgments of 12 questions
	own := slices.Clone(few)
	own[0].agent, own[1].own = "judge", !own[1].own
	own[2].noOwn = true
	for _, c := range []struct {
		name string
		all  []judgedAnswer
		want []string
		not  []string
	}{
		{"few questions", few, []string{"few questions: 12"}, []string{"one of the agents", "disagree", "no answer of the judge's own"}},
		{"its own agent", own, []string{"the judge judge is one of the agents", "1 questions have records that disagree", "1 of 36 judgments have no answer of the judge's own"}, nil},
		{"enough", world(1, 30), nil, []string{"few"}},
	} {
		text := strings.Join(judgedRun(t, c.all...).Score(quick).Warnings, "\n")
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in %q", c.name, w, text)
			}
		}
		for _, w := range c.not {
			if strings.Contains(text, w) {
				t.Errorf("%s: %q in %q", c.name, w, text)
			}
		}
	}
}

// Where the judge has no answer to refer to, only mode cot is asked: each mode
// is of what it was asked, the difference of what both were.
func TestJudgmentsWithoutAReference(t *testing.T) {
	var records []*judging.Record
	for i, s := range eight {
		if i < 2 {
			records = append(records, s.records(selfreference.ModeCoT)...)
		} else {
			records = append(records, s.records(bothModes...)...)
		}
	}
	rep := gather(t, manifestOf("self-reference", 8), records).Score(quick)
	for mode, want := range map[string]float64{"cot": 50, "self": 66.6667, "difference": 33.3333} { // of q3 to q8: cot 2, self 4
		if r := in(t, rep, selfreference.Accuracy, scoring.Overall, mode); *r.Value != want || (r.N == 8) != (mode == "cot") {
			t.Errorf("%s: %s", mode, show(r))
		}
	}
	if rep.Items != 8 || !slices.ContainsFunc(rep.Warnings, func(w string) bool { return strings.HasPrefix(w, "2 of 8 judgments were not made in mode self") }) {
		t.Errorf("%d judgments, warnings %q", rep.Items, rep.Warnings)
	}
}

// What the stage remarked stands in the report, in place of a guess by names.
func TestWarningsOfTheStage(t *testing.T) {
	m := manifestOf("self-reference", 1)
	m.StageCounts = &judging.StageCounts{Warnings: []string{"3 of 4 questions are left out"}}
	rep := gather(t, m, judgedAnswer{question: "q", agent: "judge", own: true, right: true, cot: "C"}.records(selfreference.ModeCoT)).Score(quick)
	if text := strings.Join(rep.Warnings, "\n"); !strings.Contains(text, "3 of 4 questions are left out") || strings.Contains(text, "one of the agents") {
		t.Errorf("warnings %q", rep.Warnings)
	}
}

// What the judge is better at where its own answers are right is as sure as both of its parts are.
func TestIntervalOfF1Delta(t *testing.T) {
	rep := judgedRun(t, world(1, 40)...).Score(quick)
	var right, wrong, delta scoring.Result
	for _, r := range rep.Results {
		if r.Mode != selfreference.ModeCoT || r.Group != scoring.Overall {
			continue
		}
		switch r.Metric {
		case selfreference.F1OwnRight:
			right = r
		case selfreference.F1OwnWrong:
			wrong = r
		case selfreference.F1OwnRightMinusWrong:
			delta = r
		}
	}
	low := *delta.Value - math.Hypot(*right.Value-*right.Low, *wrong.High-*wrong.Value)
	high := *delta.Value + math.Hypot(*right.High-*right.Value, *wrong.Value-*wrong.Low)
	if delta.IntervalMethod != scoring.IntervalByMover || math.Abs(*delta.Low-low) > 1e-3 || math.Abs(*delta.High-high) > 1e-3 {
		t.Errorf("%s [%v, %v], want [%v, %v]", delta.IntervalMethod, *delta.Low, *delta.High, low, high)
	}
}
