package scoring_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
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

func numeric(id, group, gold, reply string, _ int) *judging.Record {
	r := answered(id, group, gold, reply)
	r.Shape = "number"
	r.Answer = regexp.MustCompile(`[0-9]+`).FindString(reply)
	return r
}

func preferred(id, group, gold, reply string, options int) *judging.Record {
	r := choice(id, group, gold, reply, options)
	r.Shape = "preference"
	return r
}

func answered(id, group, gold, reply string) *judging.Record {
	return &judging.Record{Schema: 1, Protocol: "answer", Item: id, Group: group, Gold: gold, Presentations: 1, Outcome: judging.Decided, Replies: []judging.Reply{{Text: reply, Finish: backends.FinishStop}}}
}

// The first of two records of one answer stands, and judgments are none.
func TestRecordsOfAnswers(t *testing.T) {
	first := choice("c1", "law", "A", "The answer is (A).", 10)
	run := gather(t, manifestOf("answer", 1), []*judging.Record{first, choice("c1", "law", "A", "The answer is (B).", 10)})
	expect(t, run.Score(quick), "generation-accuracy: 100 of 1")
	load, err := scoring.NewLoader(manifestOf("answer", 1), judging.ReadingOptions{})
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
		records = append(records, preferred(fmt.Sprintf("p%02d", i), "talk", "A", "[[A]]", 3))
	}
	says := gather(t, manifestOf("answer", 60), records).Score(quick).Says
	if !strings.HasPrefix(says, "Agrees with people on 100 %") {
		t.Error(says)
	}
}

// TestHalfWithoutAVerdict: where half of few judgments have no verdict, that is said first.
func TestHalfWithoutAVerdict(t *testing.T) {
	for lost, want := range map[int]string{
		4: "About half of the judgments have no verdict (50 % [10, 90]): fix the prompt format first (try --constrain).",
		3: "",
	} {
		rep := scoring.Report{Items: 4, Outcomes: map[string]int{scoring.OutcomeDecided: 8 - lost, "no-verdict": lost}}
		d, _ := rep.DiagnoseMissing("judgment")
		if d.Text != want || want != "" && d.Level != scoring.LevelUnknown {
			t.Errorf("%d of 8: %s, %q", lost, d.Level, d.Text)
		}
	}
}

// Where nobody said which answer is right, none is wrong.
func TestAnswersWithoutALabel(t *testing.T) {
	records := []*judging.Record{preferred("p1", "talk", "A", "[[A]]", 3), preferred("p2", "talk", "", "[[A]]", 3)}
	run := gather(t, manifestOf("answer", 2), records)
	if d := compare(t, quick, run, run).Comparisons[0].Differences[0]; d.N != 1 || d.Table.Both != 1 {
		t.Errorf("compared: %+v", d)
	}
}
