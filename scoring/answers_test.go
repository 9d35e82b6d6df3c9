package scoring_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// choice is a reply to a question with so many options.
func choice(id, group, gold, reply string, options int) *judging.Record {
	r := answered(id, group, gold, reply)
	r.Shape = "choice"
	for i := range options {
		r.Order = append(r.Order, string(rune('A'+i)))
	}
	r.Choice = letter(reply)
	if r.Choice == "" {
		r.Outcome = judging.NoVerdict
	}
	return r
}

// letter is the answer of a reply, as run would have read and recorded it.
func letter(reply string) string {
	if m := regexp.MustCompile(`\(([A-J])\)|\[\[([ABC])\]\]|answer is ([A-J])`).FindStringSubmatch(reply); m != nil {
		return m[1] + m[2] + m[3]
	}
	return ""
}

func numeric(id, group, gold, reply string) *judging.Record {
	r := answered(id, group, gold, reply)
	r.Shape = "number"
	r.Answer = regexp.MustCompile(`[0-9]+`).FindString(reply)
	return r
}

func preferred(id, group, gold, reply string) *judging.Record {
	r := choice(id, group, gold, reply, 3)
	r.Shape = "preference"
	return r
}

func answered(id, group, gold, reply string) *judging.Record {
	return &judging.Record{Schema: 1, Protocol: "answer", Item: id, Group: group, Gold: gold, Presentations: 1, Outcome: judging.Decided, Replies: []judging.Reply{{Text: reply, Finish: backends.Stop}}}
}

// The first of two records of one answer stands, and judgments are none.
func TestRecordsOfAnswers(t *testing.T) {
	first := choice("c1", "law", "A", "The answer is (A).", 10)
	run := gather(t, manifestOf("answer", 1), []*judging.Record{first, choice("c1", "law", "A", "The answer is (B).", 10)})
	expect(t, run.Score(quick), "generation-accuracy: 100 of 1")
	load, err := scoring.NewLoader(manifestOf("answer", 1), judging.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if first.Shape = "judgment"; load.Add(first) == nil {
		t.Error("a judgment is taken for an answer")
	}
}

// TestPreferencesAgreeWithPeople: whom people prefer is no answer that is right.
func TestPreferencesAgreeWithPeople(t *testing.T) {
	var records []*judging.Record
	for i := range 60 {
		records = append(records, preferred(fmt.Sprintf("p%02d", i), "talk", "A", "[[A]]"))
	}
	says := gather(t, manifestOf("answer", 60), records).Score(quick).Says
	if !strings.HasPrefix(says, "Agrees with people on 100 %") {
		t.Error(says)
	}
}

// TestHalfWithoutAVerdict: where half of few judgments have no verdict, that is said first.
func TestHalfWithoutAVerdict(t *testing.T) {
	for lost, want := range map[int]string{
		4: "Half of the judgments are without a verdict (50 % [10, 90]): fix the prompt format first (try --constrain).",
		3: "",
	} {
		rep := scoring.Report{Items: 4, Outcomes: map[string]int{scoring.Decided: 8 - lost, "no-verdict": lost}}
		d, _ := rep.Silence("judgment")
		if d.Text != want || want != "" && d.Level != scoring.Unknown {
			t.Errorf("%d of 8: %s, %q", lost, d.Level, d.Text)
		}
	}
}

// Where nobody said which answer is right, none is wrong.
func TestAnswersWithoutALabel(t *testing.T) {
	records := []*judging.Record{preferred("p1", "talk", "A", "[[A]]"), preferred("p2", "talk", "", "[[A]]")}
	run := gather(t, manifestOf("answer", 2), records)
	if d := compare(t, quick, run, run).Comparisons[0].Differences[0]; d.N != 1 || d.Table.Both != 1 {
		t.Errorf("compared: %+v", d)
	}
}

func TestCompareAnswers(t *testing.T) {
	var a, b []*judging.Record
	for i := range 40 {
		group := []string{"law", "math"}[i%2]
		reply := func(right bool) string { return map[bool]string{true: "answer is A", false: "answer is B"}[right] }
		a = append(a, choice(fmt.Sprintf("q%02d", i), group, "A", reply(i < 20), 4))
		if i > 0 {
			b = append(b, choice(fmt.Sprintf("q%02d", i), group, "A", reply(i < 30), 4))
		}
	}
	b = append(b, choice("q99", "law", "A", "answer is A", 4))
	runA, runB := gather(t, manifestOf("answer", 40), a), gather(t, manifestOf("answer", 40), b)
	runB.Manifest.ID = "other"
	all, err := scoring.Compare([]*scoring.Run{runA, runB}, stats.Default)
	if err != nil {
		t.Fatal(err)
	}
	c := all.Comparisons[0]
	if c.N != 39 || c.OnlyA != 1 || c.OnlyB != 1 || c.Unit != "answer" {
		t.Errorf("%d in both, %d, %d, %s", c.N, c.OnlyA, c.OnlyB, c.Unit)
	}
	d := differenceIn(t, c, scoring.GenerationAccuracy, scoring.Overall, "")
	// 19 and 29 of 39 right; ten only by B: p = 2·2⁻¹⁰.
	if want := (scoring.Table2x2{Both: 19, OnlyB: 10, Neither: 10}); *d.Table != want || *d.P != 2.0/1024 || *d.Holm < 3*(*d.P) || d.Noise || *d.Diff != 25.641 || d.N != 39 {
		t.Errorf("%+v, table %+v", d, d.Table)
	}
	if *d.Low < 5 || *d.Low > 15 || *d.High < 35 || *d.High > 45 { // ±1.96·√(10/39·29/39/39) = 13.7
		t.Errorf("[%v, %v]", *d.Low, *d.High)
	}
	if law, math := differenceIn(t, c, scoring.GenerationAccuracy, "law", ""), differenceIn(t, c, scoring.GenerationAccuracy, "math", ""); law.N != 19 || math.N != 20 || law.Holm == nil {
		t.Errorf("law %d, math %d", law.N, math.N)
	}
	if all.Family != "all 3 differences of 1 comparison" {
		t.Error(all.Family)
	}
	wrong := choice("q01", "law", "B", "answer is A", 4)
	if _, err := scoring.Compare([]*scoring.Run{runA, gather(t, manifestOf("answer", 1), []*judging.Record{wrong})}, quick); err == nil {
		t.Error("runs that disagree on the right answer are compared")
	}
}
