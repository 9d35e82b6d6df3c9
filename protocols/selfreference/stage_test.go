package selfreference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/answer"
	"gavel/protocols/pairwise"
	"gavel/protocols/protocoltest"
)

// modelSaying is a model with the same reply to every question, or listed replies.
func modelSaying(all string, exceptions map[string]string) func(string) (backends.Response, error) {
	return func(id string) (backends.Response, error) {
		if text, ok := exceptions[id]; ok {
			return judgingtest.Reply(text)
		}
		return judgingtest.Reply(all)
	}
}

// stageOf returns a stage with its lines.
func stageOf(questions *datasets.Set, rows []int, ownAnswers *judging.ModelAnswers, agents []*judging.ModelAnswers) (lines [][]byte, staged *judging.StageCounts, err error) {
	report, err := newAsker(judgmentTemplate, nil).writeJudgmentLines(questions, rows, ownAnswers, agents, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	if err != nil {
		return lines, nil, err
	}
	return lines, report.(*judging.StageCounts), nil
}

// lineCount returns the number of lines of a stage.
func lineCount(s *judging.StageCounts) int {
	n := 0
	for _, a := range s.Agents {
		n += a.Judged
	}
	return n
}

// questions returns one question of each shape.
func questions() []datasets.Item {
	return []datasets.Item{judgingtest.ChoiceItem(), numberItem(), preferenceItem()}
}

func TestStage(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	ownAnswers := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("", map[string]string{"c1": "Birds fly. The answer is (C).", "n1": "The answer is 1,446", "m1": "[[B]]"})))
	x := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "x", modelSaying("", map[string]string{"c1": "The answer is (A).", "n1": "The answer is $1,447.00", "m1": "[[B]]"})))
	y := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "y", modelSaying("I cannot say <b>.", nil)))
	lines, staged, err := stageOf(set, []int{2, 0, 1}, ownAnswers, []*judging.ModelAnswers{x, y})
	if err != nil {
		t.Fatal(err)
	}
	m1 := `"category":"writing","source":"ours","question":"[User Question]\nWrite a line on rain.\n[The Start of Assistant A's Answer]\nIt rains.\n[The End of Assistant A's Answer]\n[The Start of Assistant B's Answer]\nRain drums on tin.\n[The End of Assistant B's Answer]"`
	c1 := `"category":"biology","source":"ours","question":"Which of these is a bird?\nOptions:\nA. a bat\nB. a bee\nC. a robin"`
	want := []string{
		`{"id":"m1@x",` + m1 + `,"gold":"Correct","question_id":"m1","of":"preference","agent":"x","answer":"[[B]]","reference":"[[B]]","own":{"value":"B","right":true}}`,
		`{"id":"m1@y",` + m1 + `,"gold":"Incorrect","question_id":"m1","of":"preference","agent":"y","answer":"I cannot say <b>.","reference":"[[B]]","own":{"value":"B","right":true}}`,
		`{"id":"c1@x",` + c1 + `,"gold":"Incorrect","question_id":"c1","of":"choice","agent":"x","answer":"The answer is (A).","reference":"Birds fly. The answer is (C).","own":{"value":"C","right":true}}`,
		`{"id":"c1@y",` + c1 + `,"gold":"Incorrect","question_id":"c1","of":"choice","agent":"y","answer":"I cannot say <b>.","reference":"Birds fly. The answer is (C).","own":{"value":"C","right":true}}`,
		`{"id":"n1@x","category":"sums","source":"ours","question":"What is 1,450 less 3?","gold":"Correct","question_id":"n1","of":"number","agent":"x","answer":"The answer is $1,447.00","reference":"The answer is 1,446","own":{"value":"1446","right":false}}`,
		`{"id":"n1@y","category":"sums","source":"ours","question":"What is 1,450 less 3?","gold":"Incorrect","question_id":"n1","of":"number","agent":"y","answer":"I cannot say <b>.","reference":"The answer is 1,446","own":{"value":"1446","right":false}}`,
	}
	for i, line := range lines {
		if i >= len(want) || string(line) != want[i] {
			t.Errorf("line %d: %s", i, line)
		}
	}
	wantStaged := &judging.StageCounts{Questions: 3, NoOwn: map[judging.NoAnswerReason]int{}, Warnings: []string{}, Agents: []judging.AgentAnswerCounts{
		{Name: "x", Run: x.Run, Judged: 3, RightCount: 2, OmittedAnswers: map[judging.NoAnswerReason]int{}},
		{Name: "y", Run: y.Run, Judged: 3, OmittedAnswers: map[judging.NoAnswerReason]int{}},
	}}
	if len(lines) != len(want) || !reflect.DeepEqual(staged, wantStaged) || lineCount(staged) != 6 {
		t.Errorf("%d lines, %+v", len(lines), staged)
	}
	if ownAnswers.Unfinished() || ownAnswers.Name != "judge" {
		t.Errorf("%+v", ownAnswers)
	}
}

// The same runs give the same bytes, whatever the order of their records: otherwise a judging run could not be resumed.
func TestStageIsTheSameAgain(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	dir := protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("The answer is (C)", nil))
	agent := protocoltest.MakeAnswerRun(t, set, "x", modelSaying("The answer is 7 [[A]]", nil))
	stage := func() []byte {
		lines, _, err := stageOf(set, judgingtest.FirstIndexes(3), protocoltest.ReadAnswers(t, dir), []*judging.ModelAnswers{protocoltest.ReadAnswers(t, agent)})
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Join(lines, []byte{'\n'})
	}
	first := stage()
	for _, run := range []string{dir, agent} {
		path := filepath.Join(run, judging.RecordsFile)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		records := strings.SplitAfter(string(raw), "\n")
		slices.Reverse(records)
		if err := os.WriteFile(path, []byte(strings.Join(records, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if second := stage(); !bytes.Equal(first, second) || len(first) == 0 {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
}

// Answers that cannot be judged are left out and counted by reason.
func TestStageLeavesOut(t *testing.T) {
	var items []datasets.Item
	for i := range 8 {
		item := judgingtest.ChoiceItem()
		item.ID = fmt.Sprintf("q%d", i)
		items = append(items, item)
	}
	items[7].Gold = datasets.NoGold
	set, labelled := judgingtest.OpenItems(t, items...), judgingtest.OpenItems(t, items[:7]...)
	ownAnswers := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, labelled, "judge", func(id string) (backends.Response, error) {
		switch id {
		case "q0":
			return backends.Response{}, errors.New("gone")
		case "q1":
			return backends.Response{Text: "The answer is", Finish: backends.FinishLength}, nil // cut: an answer, a wrong one
		}
		return judgingtest.Reply("The answer is (C)")
	}))
	x := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, labelled, "x", func(id string) (backends.Response, error) {
		switch id {
		case "q1":
			return judgingtest.Reply("The answer is (J)") // beyond the options: wrong
		case "q2":
			return backends.Response{Finish: backends.FinishPromptTooLong}, nil
		case "q3":
			return judgingtest.Reply(" \n")
		case "q4":
			return backends.Response{Finish: backends.FinishRefused}, nil
		case "q5":
			return backends.Response{}, errors.New("gone")
		}
		return judgingtest.Reply("The answer is (C)")
	}))
	y := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, judgingtest.OpenItems(t, items[1:3]...), "y", modelSaying("The answer is (C)", nil)))
	if ownAnswers.Failed != 1 || x.Failed != 1 || !ownAnswers.Unfinished() || y.Unfinished() {
		t.Errorf("failed: own %d, x %d, y %d", ownAnswers.Failed, x.Failed, y.Failed)
	}
	lines, staged, err := stageOf(set, judgingtest.FirstIndexes(8), ownAnswers, []*judging.ModelAnswers{x, y})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, l := range lines {
		var line datasets.JudgmentLine
		if err := json.Unmarshal(l, &line); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, line.ID+" "+line.Gold)
		if line.Own.Right == strings.HasPrefix(line.ID, "q1") { // of the judge's own, that was cut
			t.Errorf("%s", l)
		}
	}
	if want := []string{"q1@x Incorrect", "q1@y Correct", "q2@y Correct", "q6@x Correct"}; !slices.Equal(ids, want) {
		t.Errorf("judged %q, want %q", ids, want)
	}
	if staged.NoGold != 1 || !reflect.DeepEqual(staged.NoOwn, map[judging.NoAnswerReason]int{judging.NoAnswerCallFailed: 1}) ||
		!reflect.DeepEqual(staged.Agents[0].OmittedAnswers, map[judging.NoAnswerReason]int{judging.NoAnswerNoText: 3, judging.NoAnswerCallFailed: 1}) ||
		!reflect.DeepEqual(staged.Agents[1].OmittedAnswers, map[judging.NoAnswerReason]int{judging.NoAnswerNoRecord: 4}) {
		t.Errorf("%+v", staged)
	}
	want := []string{
		"left out 1 of 8 questions: no label says what is right",
		"left out 1 of 8 questions, to which the judge has no answer of its own: the call failed",
		"x: left out 1 of 8 questions: the call failed",
		"x: left out 3 of 8 questions: there is no text (the prompt was too long, or the reply refused or empty)",
		"y: left out 4 of 8 questions: its run has no record of them",
	}
	if !slices.Equal(staged.Warnings, want) {
		t.Errorf("%q", staged.Warnings)
	}
}

// Runs over another file are joined by id, and their questions are compared.
func TestStageOfAnotherFile(t *testing.T) {
	var items, theirs []datasets.Item
	for i := range 4 {
		item := judgingtest.ChoiceItem()
		item.ID = fmt.Sprintf("q%d", i)
		items = append(items, item)
		item.Candidates = slices.Clone(item.Candidates)
		theirs = append(theirs, item)
	}
	theirs[0].Question = "  Which of these\tis a bird? " // the same, but for white space
	theirs[1].Gold = 0                                   // another label: ours decides
	theirs[2].Question = "Which of these is a fish?"
	theirs[3].Candidates[0], theirs[3].Candidates[1] = datasets.Candidate{ID: "A", Text: "a bee"}, datasets.Candidate{ID: "B", Text: "a bat"}
	set, other := judgingtest.OpenItems(t, items...), judgingtest.OpenItems(t, theirs...)
	ownAnswers := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("The answer is (C)", nil)))
	x := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, other, "x", modelSaying("The answer is (C)", nil)))
	lines, staged, err := stageOf(set, judgingtest.FirstIndexes(4), ownAnswers, []*judging.ModelAnswers{x})
	if err != nil {
		t.Fatal(err)
	}
	if a := staged.Agents[0]; len(lines) != 2 || a.Judged != 2 || a.RightCount != 2 || a.OtherGold != 1 || a.OmittedAnswers[judging.NoAnswerQuestionChanged] != 2 {
		t.Errorf("%d lines, %+v", len(lines), staged)
	}
	want := []string{
		"x: left out 2 of 4 questions: its run has another question under that id",
		"x: its run has another label for 1 of 4 questions; its answers are held to this dataset's",
	}
	if !slices.Equal(staged.Warnings, want) {
		t.Errorf("%q", staged.Warnings)
	}
	// The judge's own answers are checked in the same way.
	if _, staged, err := stageOf(set, judgingtest.FirstIndexes(4), x, []*judging.ModelAnswers{ownAnswers}); err != nil || staged.NoOwn[judging.NoAnswerQuestionChanged] != 2 || staged.Agents[0].Judged != 2 {
		t.Errorf("%+v, %v", staged, err)
	}
	// Without the items this cannot be checked.
	if err := os.Remove(filepath.Join(x.Run, judging.ItemsFile)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := stageOf(set, judgingtest.FirstIndexes(4), ownAnswers, []*judging.ModelAnswers{protocoltest.ReadAnswers(t, x.Run)}); err == nil || !strings.Contains(err.Error(), "what it was asked cannot be read") {
		t.Errorf("error %v", err)
	}
}

func TestStageOfOneself(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	ownAnswers := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("The answer is (C)", nil)))
	lines, staged, err := stageOf(set, judgingtest.FirstIndexes(3), ownAnswers, []*judging.ModelAnswers{ownAnswers})
	if err != nil || len(lines) != 3 || len(staged.Warnings) != 1 || !strings.Contains(staged.Warnings[0], "judge is judged by itself") {
		t.Errorf("%d lines, %+v, %v", len(lines), staged, err)
	}
	other := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "other", modelSaying("The answer is (C)", nil)))
	if _, staged, err = stageOf(set, judgingtest.FirstIndexes(3), ownAnswers, []*judging.ModelAnswers{other}); err != nil || len(staged.Warnings) != 0 {
		t.Errorf("%+v, %v", staged, err)
	}
}

func TestStageRefuses(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	ownAnswers := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("The answer is (C)", nil)))
	x, x2 := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "x", modelSaying("x", nil))), protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "x", modelSaying("y", nil)))
	if _, _, err := stageOf(set, judgingtest.FirstIndexes(3), ownAnswers, []*judging.ModelAnswers{x, x2}); err == nil || !strings.Contains(err.Error(), `two agents are called "x"`) || !strings.Contains(err.Error(), x.Run) || !strings.Contains(err.Error(), x2.Run) {
		t.Errorf("two of one name: %v", err)
	}
	x2.Name = "x, later"
	if _, staged, err := stageOf(set, judgingtest.FirstIndexes(3), ownAnswers, []*judging.ModelAnswers{x, x2}); err != nil || lineCount(staged) != 6 {
		t.Errorf("with a name of its own: %+v, %v", staged, err)
	}
	pairs := judgingtest.Pairs(t, 1)
	if _, _, err := stageOf(pairs, []int{0}, nil, []*judging.ModelAnswers{x}); err == nil || !strings.Contains(err.Error(), "p1: is not a question") {
		t.Errorf("a pair: %v", err)
	}
	full := errors.New("disk full")
	if _, err := newAsker(judgmentTemplate, nil).writeJudgmentLines(set, judgingtest.FirstIndexes(3), ownAnswers, []*judging.ModelAnswers{x}, func([]byte) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	// Without answers of its own a judge can still judge.
	lines, _, err := stageOf(set, judgingtest.FirstIndexes(3), nil, []*judging.ModelAnswers{x})
	if err != nil || len(lines) != 3 || bytes.Contains(lines[0], []byte(`"own"`)) || bytes.Contains(lines[0], []byte(`"reference"`)) {
		t.Errorf("%s, %v", lines, err)
	}
}

func TestReadAnswersRefuses(t *testing.T) {
	j, _ := protocoltest.Job(pairwise.Protocol, nil, judgingtest.Pairs(t, 1), nil)
	dir := filepath.Join(t.TempDir(), "pairs")
	d, err := judging.OpenDir(dir, j.Manifest, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(j.Manifest); err != nil {
		t.Fatal(err)
	}
	d.Close()
	if _, err := judging.ReadAnswers(dir, judging.ReadingOptions{}); err == nil || !strings.Contains(err.Error(), "is a run of pairwise") {
		t.Errorf("a run of another protocol: %v", err)
	}
	if _, err := judging.ReadAnswers(t.TempDir(), judging.ReadingOptions{}); err == nil || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("no run: %v", err)
	}
}

// A run that was stopped half way has no answers to the rest.
func TestAnswersOfAnUnfinishedRun(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	dir := protocoltest.MakeAnswerRun(t, set, "x", modelSaying("The answer is (C)", nil))
	path := filepath.Join(dir, judging.RecordsFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw[:bytes.IndexByte(raw, '\n')+1], 0o644); err != nil {
		t.Fatal(err)
	}
	if a := protocoltest.ReadAnswers(t, dir); a.Missing != 2 || a.Failed != 0 || !a.Unfinished() {
		t.Errorf("%+v", a)
	}
}

// For a question asked several times the first reply counts, and a lenient reading counts as read.
func TestReadAnswersByReading(t *testing.T) {
	set := judgingtest.OpenItems(t, judgingtest.ChoiceItem())
	dir := protocoltest.MakeAnswerRun(t, set, "x", modelSaying("It is C", nil))
	path := filepath.Join(dir, judging.RecordsFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	later := strings.Replace(string(raw), "It is C", "It is A", 1)
	later = strings.Replace(later, `"showing":0`, `"repeat":1,"showing":0`, 1)
	if err := os.WriteFile(path, []byte(later+string(raw)+strings.Replace(string(raw), "It is C", "It is B", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for how, want := range map[judging.ReadingOptions]string{{LabelPolicy: judging.PolicyUniqueLabel}: "", {LabelPolicy: judging.PolicyUniqueLabel, Lenient: true}: "C"} {
		a, err := judging.ReadAnswers(dir, how)
		if err != nil {
			t.Fatal(err)
		}
		lines, _, err := stageOf(set, []int{0}, a, []*judging.ModelAnswers{a})
		if err != nil {
			t.Fatal(err)
		}
		var line datasets.JudgmentLine
		if err := json.Unmarshal(lines[0], &line); err != nil {
			t.Fatal(err)
		}
		if line.Own.Value != want || line.Text != "It is C" || line.Own.Right != (want == "C") {
			t.Errorf("%+v: %s", how, lines[0])
		}
	}
}

// The judging run reads what a stage writes: the item asks about the answer, has its label, and its judgments belong to
// the question.
func TestStagedLinesAreJudgments(t *testing.T) {
	set := judgingtest.OpenItems(t, questions()...)
	ownAnswers := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "judge", modelSaying("The answer is (C) 1447", nil)))
	x := protocoltest.ReadAnswers(t, protocoltest.MakeAnswerRun(t, set, "x", modelSaying("The answer is (A) 1447 [[B]]", nil)))
	lines, _, err := stageOf(set, judgingtest.FirstIndexes(3), ownAnswers, []*judging.ModelAnswers{x})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "judgments.jsonl")
	if err := os.WriteFile(path, append(bytes.Join(lines, []byte{'\n'}), '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	judgments, err := datasets.OpenFile(path)
	if err != nil {
		if !slices.ContainsFunc(datasets.Formats, func(f datasets.Format) bool { return f.Name == "judgment" }) {
			t.Skip("datasets has no format judgment")
		}
		t.Fatal(err)
	}
	defer judgments.Close()
	for i, q := range questions() {
		item, err := judgments.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		var line datasets.JudgmentLine
		if err := json.Unmarshal(lines[i], &line); err != nil {
			t.Fatal(err)
		}
		want := datasets.Item{
			ID: q.ID + "@x", Shape: datasets.ShapeJudgment, Source: q.Source, Group: q.Group, Question: answer.QuestionText(q), Gold: item.Gold,
			Candidates: []datasets.Candidate{{ID: "Correct"}, {ID: "Incorrect"}}, Answered: &line.AgentAnswer, Line: i + 1, Raw: lines[i],
		}
		if !reflect.DeepEqual(item, want) || item.Candidates[item.Gold].ID != line.Gold || item.Answered.QuestionID != q.ID {
			t.Errorf("read\n%+v\nwant\n%+v", item, want)
		}
	}
}
