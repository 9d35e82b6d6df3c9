package selfreference

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/answer"
	"gavel/protocols/protocoltest"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// scorerOf returns a scorer of judgments in both modes.
func scorerOf(rows ...*judgment) *selfReferenceScorer {
	return &selfReferenceScorer{manifest: &judging.Manifest{}, hasMode: [2]bool{true, true}, rows: rows}
}

var (
	boot   = stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1}
	ownRow = func(u scoring.Unit) []float64 { return u.Row }
)

// reportOf returns a report without results of a run with these settings.
func reportOf(settings string, missing scoring.MissingPolicy) *scoring.Report {
	rep := &scoring.Report{Protocol: name, RunSetup: scoring.RunSetup{Settings: settings}}
	rep.Missing = missing
	rep.Bootstrap.Unit = "question"
	return rep
}

// errorPropagation returns a report with the accuracies and the metric Misled of judgments with a kind of reference.
func errorPropagation(kind string, f *selfReferenceScorer, missing scoring.MissingPolicy) *scoring.Report {
	rep := reportOf("mode both, reference "+kind, missing)
	sheet := f.Sheet(missing, 1)
	accuracy := slices.DeleteFunc(slices.Clone(sheet.Metrics), func(m scoring.Metric) bool { return m.Name != Accuracy })
	rep.Results = sheet.WithMetrics(accuracy, judgmentColumnCount, ownRow).ScoreAsGroup(scoring.Overall, "question", boot)
	rep.Results = append(rep.Results, f.misledResults(rep, sheet, boot)...)
	return rep
}

// TestMisledByHand: of right answers 5 are called Correct alone, and of wrong ones 4 Incorrect. With the reference 2
// and 1 of them are wrong, and one has no verdict.
func TestMisledByHand(t *testing.T) {
	var rows []*judgment
	add := func(n int, right bool, cot, self int8) {
		for range n {
			id := fmt.Sprint(len(rows))
			rows = append(rows, &judgment{item: id, question: id, agent: "x", answerIsRight: right, verdicts: [2]int8{cot, self}})
		}
	}
	add(2, true, calledCorrect, calledCorrect)
	add(2, true, calledCorrect, calledIncorrect)
	add(1, true, calledCorrect, noVerdict)
	add(3, false, calledIncorrect, calledIncorrect)
	add(1, false, calledIncorrect, calledCorrect)
	add(3, true, calledIncorrect, calledCorrect) // wrong alone: no error can spread
	add(1, true, noVerdict, calledIncorrect)
	add(1, true, calledCorrect, notAsked)
	for missing, want := range map[scoring.MissingPolicy]struct {
		n     int
		value float64
	}{scoring.MissingWrong: {9, 400.0 / 9}, scoring.MissingDrop: {8, 300.0 / 8}} {
		x := errorPropagation(ReferenceWrong, scorerOf(rows...), missing).Overall(Misled)
		if x.N != want.n || x.Value == nil || math.Abs(*x.Value-want.value) > 0.01 || *x.Low >= *x.Value || *x.High <= *x.Value {
			t.Errorf("%s: %+v, want %v", missing, x, want)
		}
	}
	for _, kind := range []string{ReferenceOwn, ReferenceGold} {
		if x := errorPropagation(kind, scorerOf(rows...), scoring.MissingWrong).Overall(Misled); (x.Value != nil) != (kind == ReferenceGold) {
			t.Errorf("%s: %+v", kind, x)
		}
	}
	x := errorPropagation(ReferenceWrong, scorerOf(rows[9:12]...), scoring.MissingWrong).Overall(Misled)
	if x.Value != nil || x.N != 0 {
		t.Errorf("where nothing is right alone: %+v", x)
	}
	f := scorerOf(rows...)
	f.hasMode[0] = false
	if got := f.misledResults(reportOf("reference wrong", ""), nil, boot); got != nil {
		t.Errorf("in one mode: %+v", got)
	}
}

// TestMisledJudges: a judge that follows one in five wrong references is found, one that follows none rarely, although
// one in ten of its verdicts changes whenever it is asked again.
func TestMisledJudges(t *testing.T) {
	const n, worlds = 350, 200
	rnd := rand.New(rand.NewPCG(7, 19))
	for misled, bounds := range map[float64][2]int{0: {0, 10}, 0.2: {190, 200}} {
		hits, holds := 0, 0
		for range worlds {
			var rows []*judgment
			for i := range n {
				j := &judgment{item: fmt.Sprint(i), question: fmt.Sprint(i), answerIsRight: rnd.Float64() < 0.5}
				knows := rnd.Float64() < 0.8
				for m := range j.verdicts {
					right := knows != (rnd.Float64() < 0.1)
					if m == 1 && rnd.Float64() < misled {
						right = false
					}
					j.verdicts[m] = int8(scoring.Indicator(right != j.answerIsRight))
				}
				rows = append(rows, j)
			}
			rep := errorPropagation(ReferenceWrong, scorerOf(rows...), scoring.MissingWrong)
			text, _ := referenceSentences(rep, scoring.Diagnosis{Code: scoring.CodeUsableJudge})
			if strings.HasPrefix(text, "A wrong answer misleads it") {
				hits++
			} else if misled > 0 && !strings.HasPrefix(text, "A wrong answer does not significantly change") {
				t.Fatal(text)
			}
			// right alone are 0.8·0.9 + 0.2·0.1 = 0.74, of these 0.8·0.9·0.9 + 0.2·0.1·0.1 = 0.65 when asked again
			stays := 0.65 / 0.74
			x := rep.Overall(Misled)
			if truth := 100 * (1 - stays*(1-misled)); *x.Low <= truth && truth <= *x.High {
				holds++
			}
		}
		if hits < bounds[0] || hits > bounds[1] || holds < 182 || holds > 199 {
			t.Errorf("misled %v: found in %d of %d worlds, the interval holds the true share in %d", misled, hits, worlds, holds)
		}
	}
}

// TestReferences: what a stage writes as reference of each kind, and how it is asked.
func TestReferences(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	x := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "x", modelSaying("The answer is (C)", nil)))
	for kind, settings := range map[string]judging.Settings{
		ReferenceGold: {"reference": "gold"}, ReferenceWrong: {"reference": "wrong"}, ReferenceNone: {"reference": "none"},
	} {
		asker := newAsker(judgmentTemplate, settings)
		for row := range set.Len() {
			question, err := set.Item(row)
			if err != nil {
				t.Fatal(err)
			}
			var line datasets.JudgmentLine
			if _, err := asker.writeJudgmentLines(set, []int{row}, nil, []*judging.ModelAnswers{x}, func(text []byte) error { return json.Unmarshal(text, &line) }); err != nil {
				t.Fatal(err)
			}
			value := answer.ReadValue(question.Shape, line.Reference)
			if (value == "") != (kind == ReferenceNone) || answer.IsRightAnswer(question, value) != (kind == ReferenceGold) || line.ReferenceKind != kind {
				t.Errorf("%s: the reference to %s is %q", kind, question.ID, line.Reference)
			}
			if kind == ReferenceWrong && question.Shape == datasets.ShapeChoice && !slices.ContainsFunc(question.Candidates, func(c datasets.Candidate) bool { return c.ID == value }) {
				t.Errorf("%s has no option %s", question.ID, value)
			}
			item := judgmentOf(question, line.Text, line.Reference)
			item.Answered.ReferenceKind = line.ReferenceKind
			item.Answered.Own.Right = kind == ReferenceWrong // the judge's own answer is not shown
			presentations := asker.Presentations(item)
			last := asker.Prompt(item, presentations[len(presentations)-1])
			alone := newAsker(judgmentTemplate, judging.Settings{"mode": ModeCoT})
			plain := alone.Prompt(item, alone.Presentations(item)[0])
			if kind == ReferenceNone {
				if len(presentations) != 1 || presentations[0].Mode != ModeSelf || last.User != plain.User || last.System != plain.System || last.Oracle.ReferenceVerdict != "" {
					t.Errorf("without a reference %d presentations, the last %+v", len(presentations), last)
				}
				continue
			}
			right := last.Oracle.ReferenceVerdict == last.Oracle.VerdictLabels[last.Oracle.CorrectPosition]
			if len(presentations) != 2 || !strings.Contains(last.User, "Reference Answer]\n"+line.Reference+"\n") || right != (kind == ReferenceGold) {
				t.Errorf("%s: %d presentations, the last %+v", kind, len(presentations), last)
			}
		}
	}
	odd := numberItem()
	odd.Answer = "nobody knows"
	if text := referenceText(odd, ReferenceWrong); text != "" {
		t.Errorf("where there is no other number: %q", text)
	}
	var letters []string
	for i := range 200 {
		item := judgingtest.ChoiceItem()
		item.ID = fmt.Sprint(i)
		letters = append(letters, referenceText(item, ReferenceWrong))
	}
	slices.Sort(letters)
	if kinds := slices.Compact(letters); len(kinds) != len(judgingtest.ChoiceItem().Candidates)-1 {
		t.Errorf("wrong references to 200 questions are only %q", kinds)
	}
}

// TestSimulatedMisled: a simulated judge follows wrong references as often as it is told to, and right ones as before.
func TestSimulatedMisled(t *testing.T) {
	for kind, want := range map[string]float64{ReferenceGold: 0.85, ReferenceWrong: 0.7 * 0.8} {
		var items []datasets.Item
		for i := range 3000 {
			item := judgmentOf(numberItem(), "a", "b")
			item.ID, item.Gold = fmt.Sprint(i), i%2
			item.Answered.ReferenceKind = kind
			items = append(items, item)
		}
		p := Protocol
		p.NewAsker = func(t judging.Template, _ judging.Settings) judging.Asker {
			return newAsker(t, judging.Settings{"reference": kind})
		}
		got := ask(t, &backends.SimulatedJudge{Accuracy: 0.7, FollowsWrongReference: 0.2, Seed: 3}, p, items)
		if got[ModeSelf] < want-0.03 || got[ModeSelf] > want+0.03 || got[ModeCoT] < 0.67 || got[ModeCoT] > 0.73 {
			t.Errorf("%s: %v, want 0.7 and %v", kind, got, want)
		}
	}
}

// TestOptions: each option of a question is judged, and the label decides which is right.
func TestOptions(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()[0])
	asker := newAsker(judgmentTemplate, judging.Settings{"options": "true"})
	question, err := set.Item(0)
	if err != nil {
		t.Fatal(err)
	}
	var right []string
	n := 0
	counts, err := asker.writeJudgmentLines(set, []int{0}, nil, nil, func(text []byte) error {
		var line datasets.JudgmentLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		n++
		if value := answer.ReadValue(question.Shape, line.Text); line.Agent != "option "+value || line.ID != question.ID+"@option "+value {
			t.Errorf("%s", text)
		} else if line.Gold == datasets.CandidateCorrect {
			right = append(right, value)
		}
		return nil
	})
	if err != nil || n != len(question.Candidates) || !slices.Equal(right, []string{question.GoldID()}) {
		t.Errorf("%d options, right %v, %v", n, right, err)
	}
	if a := counts.(*judging.StageCounts).Agents; len(a) != 1 || a[0].Judged != n || a[0].RightCount != 1 {
		t.Errorf("%+v", a)
	}
	// On a page they are one agent, not one for each letter.
	f := scorerOf(&judgment{agent: "option A"}, &judgment{agent: "option B"}, &judgment{agent: "x"})
	var groups []string
	for _, u := range f.Sheet(scoring.MissingWrong, 1).Units {
		groups = append(groups, u.Groups[1])
	}
	if want := []string{"agent: options", "agent: options", "agent: x"}; !slices.Equal(groups, want) {
		t.Errorf("groups %q", groups)
	}
}
