package scoring_test

import (
	"fmt"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

func rank(t *testing.T, runs ...*scoring.Run) []scoring.Ranking {
	t.Helper()
	s, err := scoring.Rank(runs, stats.DefaultBootstrap)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agrees holds what compare says of two runs to what rankings say.
func agrees(t *testing.T, s []scoring.Ranking, runs ...*scoring.Run) {
	t.Helper()
	c, err := scoring.Compare(runs, stats.DefaultBootstrap)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range s {
		found := false
		for _, d := range c.Comparisons[0].Differences {
			if d.Metric != st.Metric || d.Mode != st.Mode || d.Group != scoring.Overall {
				continue
			}
			found = true
			if v := st.Pairs[0]; !is(d.P, *v.P) || *d.Holm < *v.Holm || v.NotSignificant && !d.NotSignificant || number(d.Floor) != number(v.NoiseFloor) || d.Test != "" && d.Test != st.Test {
				t.Errorf("%s %s: compare says p %v, Holm %v, noise %t, rankings %+v", d.Metric, d.Mode, number(d.P), number(d.Holm), d.NotSignificant, v)
			}
		}
		if !found {
			t.Errorf("compare has no %s %s", st.Metric, st.Mode)
		}
	}
}

func lettersOf(s scoring.Ranking) string {
	var all []string
	for _, r := range s.Runs {
		all = append(all, r.Letters)
	}
	return strings.Join(all, " ")
}

// 40 pairs, right on the first 36, 26 and 22: alone right are 10, 14 and 4
// against none.
//
//	p = 2/2¹⁰ = 0.001953, 2/2¹⁴ = 0.000122, 2/2⁴ = 0.125
//	Holm over three: 3·0.000122 = 0.000366, 2·0.001953 = 0.003906, 0.125
func TestRankingByHand(t *testing.T) {
	s := rank(t, judged("low", 40, upTo(22)), judged("high", 40, upTo(36)), judged("mid", 40, upTo(26)))
	if len(s) != 1 || s[0].Metric != "strict" || s[0].Test != "exact McNemar" || lettersOf(s[0]) != "b a b" {
		t.Fatalf("%+v", s)
	}
	for i, want := range []struct {
		a, b    int
		p, holm float64
		same    bool
	}{{0, 1, 2.0 / (1 << 14), 6.0 / (1 << 14), false}, {0, 2, 0.125, 0.125, true}, {1, 2, 2.0 / (1 << 10), 4.0 / (1 << 10), false}} {
		v := s[0].Pairs[i]
		if v.RunA != want.a || v.RunB != want.b || v.N != 40 || !is(v.P, want.p) || !is(v.Holm, want.holm) || v.NotSignificant != want.same {
			t.Errorf("%d and %d: n %d, p %v, Holm %v, same %v; want %+v", v.RunA, v.RunB, v.N, number(v.P), number(v.Holm), v.NotSignificant, want)
		}
	}
	if r := s[0].Runs[1]; r.Run != "high" || !is(r.Value, 90) || r.Low == nil || r.N != 40 {
		t.Errorf("%+v", r)
	}
}

// Six pairs right alone are p = 2/2⁶ = 0.03125: two runs differ. With a third
// between them it is one comparison of three, 0.09375, and noise.
func TestRankingsAreCorrected(t *testing.T) {
	a, b := judged("a", 20, upTo(10)), judged("b", 20, upTo(16))
	if s := rank(t, a, b); lettersOf(s[0]) != "b a" {
		t.Errorf("two runs: %s, %+v", lettersOf(s[0]), s[0].Pairs)
	}
	c := judged("c", 20, upTo(13))
	if s := rank(t, a, b, c); lettersOf(s[0]) != "a a a" {
		t.Errorf("three runs: %s, %+v", lettersOf(s[0]), s[0].Pairs)
	}
}

// Runs are compared on what both have judged; without any there is no test.
func TestRankingOnCommonItems(t *testing.T) {
	others := halves(40, upTo(0))
	whole, half := judged("whole", 40, upTo(40)), named("half", others[:20]...)
	for i := range others {
		others[i].id = fmt.Sprintf("q%d", i)
	}
	other := named("other", others...)
	s := rank(t, whole, half, other)[0]
	if v := s.Pairs[0]; v.N != 20 || v.NotSignificant {
		t.Errorf("half of the items: %+v", v)
	}
	for _, v := range s.Pairs[1:] {
		if v.P != nil || v.Holm != nil || !v.NotSignificant || v.N != 0 {
			t.Errorf("no items in common: %+v", v)
		}
	}
	if !is(s.Pairs[0].Holm, *s.Pairs[0].P) {
		t.Errorf("Holm is over the tests that there are: %+v", s.Pairs[0])
	}
	if none, err := scoring.Rank(nil, stats.DefaultBootstrap); len(none) != 0 || err != nil {
		t.Errorf("of no runs: %v, %v", none, err)
	}
	if one := rank(t, whole)[0]; lettersOf(one) != "" || len(one.Pairs) != 0 {
		t.Errorf("of one run: %+v", one)
	}
}

// Each protocol has its headlines, and runs of two protocols are no condition.
func TestRankingOfProtocols(t *testing.T) {
	for _, k := range judging.Protocols() {
		m := manifestOf(k.Name, 1)
		if _, err := scoring.Rank([]*scoring.Run{gather(t, m, nil), gather(t, m, nil)}, quick); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	runs := []*scoring.Run{gather(t, manifestOf("pairwise", 1), nil), gather(t, manifestOf("reversed", 1), nil)}
	if _, err := scoring.Rank(runs, quick); err == nil || !strings.Contains(err.Error(), "have different protocols") {
		t.Errorf("of two protocols: %v", err)
	}
}

// Answers: right or wrong, question by question.
func TestRankingOfAnswers(t *testing.T) {
	a, b := answersTo(t, 0, 18), answersTo(t, 0, 6)
	s := rank(t, a, b)
	if len(s) != 1 || s[0].Metric != "generation-accuracy" || !is(s[0].Runs[0].Value, 90) || !is(s[0].Pairs[0].P, 2.0/4096) || lettersOf(s[0]) != "a b" {
		t.Errorf("%+v", s)
	}
	agrees(t, s, a, b)
}

// answersTo is a run over the questions from one on to the twentieth, of which the first so many are answered
// right each time.
func answersTo(t *testing.T, from int, right ...int) *scoring.Run {
	var records []*judging.Record
	for time, right := range right {
		for i := from; i < 20; i++ {
			reply := "the answer is (B)"
			if i < right {
				reply = "the answer is (A)"
			}
			r := choice(fmt.Sprintf("q%02d", i), "g", "A", reply, 4)
			r.Repetition = time
			records = append(records, r)
		}
	}
	m := manifestOf("answer", 20)
	m.Spec.Parameters.NumRepetitions = len(right)
	return gather(t, m, records)
}

// Of 20 questions one judge has 18 right, and 4 when it is asked again; the other has 6: p is 2/4096, but 60 points are
// no more than what asking again makes, 70. Where the second time has 17 the floor is 5 points, and they are told
// apart; on the questions that both have, 8 to 20, the first judge's two times are 10 and 9 of 12.
func TestRankingWithinTheNoise(t *testing.T) {
	run := func(from int, right ...int) *scoring.Run { return answersTo(t, from, right...) }
	for _, tt := range []struct {
		a, b          *scoring.Run
		letters       string
		floor, floor2 float64 // of the pair and of a
	}{
		{run(0, 18, 4), run(0, 6), "a a", 70, 70},
		{run(0, 6), run(0, 18, 4), "a a", 70, 0},
		{run(0, 18, 17), run(0, 6), "a b", 5, 5},
		{run(0, 18, 17), run(8, 8), "a b", 8.3333, 5},
	} {
		s := rank(t, tt.a, tt.b)
		v, a := s[0].Pairs[0], s[0].Runs[0]
		if lettersOf(s[0]) != tt.letters || v.NotSignificant != (tt.letters == "a a") || !is(v.NoiseFloor, tt.floor) || *v.Holm >= 0.05 {
			t.Errorf("%s: %+v, floor %v, Holm %v; want %s, %v", lettersOf(s[0]), v, number(v.NoiseFloor), number(v.Holm), tt.letters, tt.floor)
		}
		if tt.floor2 > 0 &&
			(!is(a.NoiseFloor, tt.floor2) || !is(a.SelfAgreement.Value, 100-tt.floor2) || a.SelfAgreement.N != 20) ||
			tt.floor2 == 0 && (a.NoiseFloor != nil || a.SelfAgreement != nil) {
			t.Errorf("noise floor %v, self-agreement %+v; want %v", number(a.NoiseFloor), a.SelfAgreement, tt.floor2)
		}
		agrees(t, s, tt.a, tt.b)
	}
	if v := rank(t, run(0, 18), run(0, 6))[0].Pairs[0]; v.NoiseFloor != nil || v.NotSignificant {
		t.Errorf("asked once: %+v", v)
	}
}

// Self-reference: F1 in each mode. Twelve questions by one agent, all right; one
// judge calls all Correct, the other four of them. Of the 2⁸ exchanges of the eight
// on which they differ, all eight or none are as far: p = 2/2⁸, and twice that among two modes.
func TestRankingOfSelfReference(t *testing.T) {
	run := func(correct int) *scoring.Run {
		var rows []judgedAnswer
		for i := range 12 {
			word := "I"
			if i < correct {
				word = "C"
			}
			rows = append(rows, judgedAnswer{question: fmt.Sprintf("q%d", i), agent: "agent", group: "g", right: true, cot: word, self: "C"})
		}
		return judgedRun(t, rows...)
	}
	s := rank(t, run(12), run(4))
	if len(s) != 2 || s[0].Metric != "f1" || s[0].Mode != "cot" || s[1].Mode != "self" || s[0].Test != "paired permutation" {
		t.Fatalf("%+v", s)
	}
	if v := s[0].Pairs[0]; !is(v.P, 2.0/256) || !is(v.Holm, 4.0/256) || v.N != 12 || v.NotSignificant || lettersOf(s[0]) != "a b" {
		t.Errorf("cot: %+v, p %v", v, number(v.P))
	}
	if v := s[1].Pairs[0]; !is(v.P, 1) || !v.NotSignificant || lettersOf(s[1]) != "a a" {
		t.Errorf("self: %+v", v)
	}
	agrees(t, s, run(12), run(4))
}

// However many judges there are, enough exchanges are drawn that Holm can tell
// some of them apart.
func TestRankingOfManyJudges(t *testing.T) {
	var runs []*scoring.Run
	for k := range 8 {
		var rows []judgedAnswer
		for i := range 40 {
			word := "I"
			if i < 36-24*(k/4) {
				word = "C"
			}
			rows = append(rows, judgedAnswer{question: fmt.Sprintf("q%d", i), agent: "agent", group: "g", right: true, cot: word, self: word})
		}
		runs = append(runs, judgedRun(t, rows...))
	}
	s, err := scoring.Rank(runs, quick) // of 100 rounds
	if err != nil || lettersOf(s[0]) != "a a a a b b b b" {
		t.Errorf("%s, %v", lettersOf(s[0]), err)
	}
}

// Several options: by what is correct in every order, where items have a label; else by the Grade score. A judge that
// always names the same option has a Grade score of 1 on every item, one that always names the first position 0. Of the
// 2⁸ exchanges of eight items all or none are as far: p = 2/2⁸. A coin that is tossed once an item, and so keeps to
// its choice, has a Grade score of 1 too, and stands below a judge that knows, and wavers once.
func TestRankingOfOptions(t *testing.T) {
	run := func(name, gold string, places func(i int) []int) *scoring.Run {
		var items []optionItem
		for i := range 8 {
			items = append(items, optionItem{id: fmt.Sprintf("i%d", i), gold: gold, places: places(i)})
		}
		r := optionRun(t, nil, items...)
		r.Manifest.Spec.Model.Name = name
		return r
	}
	kept := []int{2, 3, 1} // where the first option stands
	same := func(int) []int { return kept }
	place := func(int) []int { return []int{1, 1, 1} }
	coin := func(i int) []int { return [][]int{kept, {3, 1, 2}}[i%2] }
	wavers := func(i int) []int { return [][]int{kept, {2, 3, 2}}[max(0, i-6)] }
	for _, c := range []struct {
		gold         string
		a, b         func(i int) []int
		metric, unit string
		want         string
		p            float64
	}{
		{"01", same, place, "right-every-order", "", "a b", 2.0 / 256},
		{"", same, place, "grade", "score", "a b", 2.0 / 256},
		{"01", coin, wavers, "right-every-order", "", "a a", 0.25},
	} {
		runs := []*scoring.Run{run("a", c.gold, c.a), run("b", c.gold, c.b)}
		s := rank(t, runs...)
		if len(s) != 1 || s[0].Metric != c.metric || s[0].Unit != c.unit || lettersOf(s[0]) != c.want {
			t.Fatalf("%+v: %+v", c, s)
		}
		if v := s[0].Pairs[0]; !is(v.P, c.p) || v.N != 8 {
			t.Errorf("p %v, n %d", number(v.P), v.N)
		}
		agrees(t, s, runs...)
		if board := report.NewBoard(s[0], nil); c.want == "a a" {
			if board.Rows[0].Name != "b" || board.Rows[1].Level != scoring.LevelUnusable && board.Rows[1].Level != scoring.LevelUnknown {
				t.Errorf("the coin stands at the top, or is usable: %+v", board.Rows)
			}
		}
	}
}

// Of several conditions in one table Holm's correction is over all of them: what is told apart in one alone need not be
// among four.
func TestRankingsOfATable(t *testing.T) {
	a, b := judged("a", 20, upTo(10)), judged("b", 20, upTo(17)) // p = 2/2⁷
	var all [][]scoring.Ranking
	for range 4 {
		s := rank(t, a, b)
		if lettersOf(s[0]) != "b a" || s[0].FamilyText != "every two runs by every headline: 1 test" {
			t.Errorf("alone: %s, %s", lettersOf(s[0]), s[0].FamilyText)
		}
		all = append(all, s)
	}
	scoring.ApplyHolmToRankings(all...)
	for _, of := range all {
		s := of[0]
		if lettersOf(s) != "a a" || !is(s.Pairs[0].Holm, 4*2.0/128) || s.FamilyText != "every two runs by every headline: 4 tests" {
			t.Errorf("of four: %s, %+v, %s", lettersOf(s), s.Pairs, s.FamilyText)
		}
	}
}
