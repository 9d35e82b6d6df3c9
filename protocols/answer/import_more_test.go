package answer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/imports"
	"gavel/protocols/protocoltest"
)

// solutionLine is a row of GSM8K's solutions; models are names and solutions in
// turn, each right or not as it ends in "!".
func solutionLine(question, truth string, namesAndSolutions ...string) string {
	line := fmt.Sprintf(`{"question": %q, "ground_truth": %q`, question, truth)
	for i := 0; i < len(namesAndSolutions); i += 2 {
		text, right := strings.CutSuffix(namesAndSolutions[i+1], "!")
		line += fmt.Sprintf(`, %q: {"is_correct": %t, "solution": %q}`, namesAndSolutions[i], right, text)
	}
	return line + "}\n"
}

func TestImportGSM8K(t *testing.T) {
	text := solutionLine("Eggs?", "16 - 7 = <<16-7=9>>9\nA: 18", "6b", "9 * 2 = 26\nA: 26", "175b", "She has 9.\nA: $18!") +
		"\n" +
		solutionLine("Cows?", "A: 1,450,000", "6b", "3 + 3 = 6 and then 3 + 3 = 6", "175b", "A: 3\nso\nA: 1450000")
	path := file(t, "solutions.jsonl", text)
	out := filepath.Join(t.TempDir(), "runs")
	runs, err := importGSM8K(path, out, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Dir != filepath.Join(out, "6b") || runs[1].Dir != filepath.Join(out, "175b") {
		t.Fatalf("%d runs", len(runs))
	}
	same(t, "6b", importedIn(t, runs[0].Dir), []string{"0 decided 26 marker", "1 decided 6 last-number"})
	same(t, "175b", importedIn(t, runs[1].Dir), []string{"0 decided 18 marker", "1 decided 3 marker"})
	for _, r := range runs {
		checkRun(t, r.Dir)
		if r.Told != 2 || r.Same != 2 || len(r.Differ) > 0 {
			t.Errorf("%s: %d of %d, %q", r.Dir, r.Same, r.Told, r.Differ)
		}
	}
	if r := recordsOf(t, runs[1].Dir)[1]; r.Gold != "1,450,000" || r.Shape != datasets.Number || *r.Imported.Decision != "false" {
		t.Errorf("%+v", r)
	}
	alone := filepath.Join(t.TempDir(), "alone")
	runs, err = importGSM8K(path, alone, "175b", "test")
	if err != nil || len(runs) != 1 || runs[0].Dir != alone || runs[0].Manifest.Spec.Model.Name != "175b" {
		t.Errorf("one model alone: %v, %v", runs, err)
	}
	if _, err = importGSM8K(path, alone, "7b", "test"); err == nil || !strings.Contains(err.Error(), `no solutions by "7b": there are 6b, 175b`) {
		t.Errorf("an unknown model: %v", err)
	}
	single := filepath.Join(t.TempDir(), "single")
	runs, err = importGSM8K(file(t, "s.jsonl", solutionLine("?", "A: 1", "my/model", "A: 1!")), single, "", "test")
	if err != nil || len(runs) != 1 || runs[0].Dir != single {
		t.Errorf("a file of one model: %v, %v", runs, err)
	}
	if got := folderName("my/model:7b"); got != "my_model_7b" || folderName("..") != "_.." {
		t.Errorf("folder %q", got)
	}
}

// TestImportGSM8KDiffers: what the file says otherwise is said, and what was read.
func TestImportGSM8KDiffers(t *testing.T) {
	runs, err := importGSM8K(file(t, "s.jsonl",
		solutionLine("?", "A: 18", "m", "A: 18")+solutionLine("?", "A: 5", "m", "no idea!")+`{"question":"?","ground_truth":"A: 5","m":{"solution":"A: 5"}}`+"\n"+solutionLine("?", "A: 5", "n", "A: 5!")),
		filepath.Join(t.TempDir(), "run"), "m", "test")
	if err != nil {
		t.Fatal(err)
	}
	r := runs[0]
	same(t, "records", importedIn(t, r.Dir), []string{"0 decided 18 marker", "1 no-verdict", "2 decided 5 marker", "3 failed"})
	if r.Told != 2 || r.Same != 0 || len(r.Differ) != 2 || r.Missing != 1 ||
		!strings.Contains(r.Differ[0], "row 1 (its answer is 18): the file has is_correct false; read from it is 18 (rule marker), “…A: 18…”") ||
		!strings.Contains(r.Differ[1], "row 2 (its answer is 5): the file has is_correct true; no answer is read from it") {
		t.Errorf("%+v", r)
	}
}

func TestGSM8KRowsThatCannotBeUsed(t *testing.T) {
	good := solutionLine("Cows?", "A: 5", "m", "A: 5!")
	for _, c := range []struct{ name, line, want string }{
		{"no question", `{"ground_truth": "A: 1", "m": {"is_correct": true, "solution": "A: 1"}}`, `"question"`},
		{"no truth", `{"question": "?", "m": {"is_correct": true, "solution": "A: 1"}}`, `"ground_truth"`},
		{"a truth without its last line", solutionLine("?", "it is 1", "m", "A: 1"), `does not end in a line "A: …"`},
		{"the dataset's own ending", solutionLine("?", "it is\n#### 1", "m", "A: 1"), `does not end in a line "A: …"`},
		{"no number", solutionLine("?", "A: one", "m", "A: 1"), "no number"},
		{"no models", `{"question": "?", "ground_truth": "A: 1"}`, "no model's solution"},
		{"a number for a solution", `{"question": "?", "ground_truth": "A: 1", "m": {"is_correct": true, "solution": 1}}`, "no model's solution"},
		{"half a line", good[:20], "broken JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")
			runs, err := importGSM8K(file(t, "s.jsonl", strings.TrimSpace(c.line)+"\n"+good), run, "", "test")
			if err != nil {
				t.Fatal(err)
			}
			d := runs[0].Manifest.Dataset
			if d.Skipped != 1 || !strings.Contains(d.Bad[0], "s.jsonl: row 1: ") || !strings.Contains(d.Bad[0], c.want) {
				t.Errorf("%q, want one with %q", d.Bad, c.want)
			}
			same(t, "records", importedIn(t, run), []string{"1 decided 5 marker"})
		})
	}
	if _, err := importGSM8K(file(t, "s.jsonl", `{"question": "?", "answer": "#### 1"}`), filepath.Join(t.TempDir(), "run"), "", "test"); err == nil || !strings.Contains(err.Error(), "ground_truth") {
		t.Errorf("the dataset itself: %v", err)
	}
}

// TestGSM8KPublished: for every model and row of the published solutions our
// reading is right exactly where the file says so; five solutions end in a loop
// without a line "A:".
func TestGSM8KPublished(t *testing.T) {
	runs, err := importGSM8K(judgingtest.Needs(t, gsmSolutions), filepath.Join(t.TempDir(), "runs"), "", "test")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	rules := map[string]int{}
	var looped []string
	for _, r := range runs {
		names = append(names, filepath.Base(r.Dir))
		if r.Told != 400 || r.Same != 400 || r.Rows != 400 {
			t.Errorf("%s: %d of %d of %d rows", r.Dir, r.Same, r.Told, r.Rows)
		}
		for _, d := range r.Differ {
			t.Error(d)
		}
		checkRun(t, r.Dir)
		for _, rec := range recordsOf(t, r.Dir) {
			rules[rec.Rule]++
			if rec.Rule != ruleMarker {
				looped = append(looped, filepath.Base(r.Dir)+" "+rec.Item)
			}
		}
	}
	same(t, "models", names, []string{"6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"})
	same(t, "without a marker", looped, []string{"6b_finetuning 150", "175b_finetuning 5", "175b_finetuning 48", "175b_finetuning 150", "175b_finetuning 162"})
	if rules[ruleMarker] != 1595 {
		t.Errorf("%v", rules)
	}
	// The questions are the dataset's, so that the runs join with runs on it.
	const test = "../../../shared/data/gsm8k/test.jsonl"
	set, err := datasets.OpenFile(judgingtest.Needs(t, test))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	own, err := datasets.OpenFile(filepath.Join(runs[0].Dir, judging.ItemsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for i := range own.Len() {
		a, err := own.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		b, err := set.Item(i)
		if err != nil || a.ID != b.ID || a.Question != b.Question || a.Answer != b.Answer || a.Group != b.Group || a.Source != b.Source {
			t.Fatalf("%s %q is in the dataset %s %q, %v", a.ID, a.Question, b.ID, b.Question, err)
		}
	}
}

func TestMarker(t *testing.T) {
	number := judging.Presentation{Shape: datasets.Number}
	choice := judging.Presentation{Shape: datasets.Choice, Order: []int{0, 1, 2}}
	for _, c := range []struct {
		name, marker, reply string
		presentation        judging.Presentation
		last, first         string
	}{
		{"a number", "A:", "9 * 2 = 18\nA: 18", number, "18 marker", "18 marker"},
		{"of two the first binds in imported files", "A:", "A: 1\nA: 2", number, "2 marker", "1 marker"},
		{"the marker begins the line", "A:", "so A: 3\n  A: 4\nBA: 5", number, "4 marker", "4 marker"},
		{"a line without a number is passed over", "A:", "A: 4\nA: none", number, "4 marker", "4 marker"},
		{"no marker: the usual rules", "A:", "The answer is 7. It was 9", number, "7 answer-is", "7 answer-is"},
		{"thousands, currency and words", "A:", "A: $1,450,000 a year", number, "1450000 marker", "1450000 marker"},
		{"a marker of one's own", "####", "It is 3.\n#### 5", number, "5 marker", "5 marker"},
		{"no marker asked for", "", "A: 4 or 5", number, "5 last-number", "5 last-number"},
		{"a letter", "Final:", "Final: **(B)**", choice, "B marker", "B marker"},
		{"a letter alone", "Final:", "Final: C", choice, "C marker", "C marker"},
		{"a word is no letter", "Final:", "Final: Both\nThe answer is (A)", choice, "A answer-is", "A answer-is"},
		{"a letter that is not on offer", "Final:", "Final: D", choice, "no-verdict", "no-verdict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := judging.Settings{}
			if c.marker != "" {
				var err error
				if settings, err = markerSettings(c.marker); err != nil {
					t.Fatal(err)
				}
			}
			p := Protocol.New(answerTexts, settings)
			for first, want := range map[bool]string{false: c.last, true: c.first} {
				v := p.Parse(c.presentation, c.reply, judging.Reading{Policy: judging.Unique, First: first})
				got := string(v.Outcome)
				if v.Outcome == judging.Decided {
					got = v.Answer
					if v.Choice != judging.Nobody {
						got = letter(v.Choice)
					}
					got += " " + v.Rule
				}
				if got != want {
					t.Errorf("first %t: %q, want %q", first, got, want)
				}
			}
		})
	}
	for _, bad := range []string{"", "  ", "A:\nB:"} {
		if _, err := markerSettings(bad); err == nil {
			t.Errorf("marker %q", bad)
		}
	}
}

func FuzzMarker(f *testing.F) {
	for _, s := range []string{"A: 18", "A: (B)", "x\nA:", "A: 1\nA: -2.5e3", "A: \xff9", "A: Σ"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	p := Protocol.New(answerTexts, judging.Settings{"marker": "A:"})
	f.Fuzz(func(t *testing.T, reply string, first bool) {
		for _, s := range []judging.Presentation{{Shape: datasets.Number}, {Shape: datasets.Choice, Order: []int{1, 0}}} {
			v := protocoltest.Placeless(t, reply, p.Parse(s, reply, judging.Reading{Policy: judging.Unique, First: first}))
			if v.Outcome == judging.Decided && (v.Choice == judging.Nobody) != (s.Shape == datasets.Number) || v.Choice > 1 || v.Outcome == judging.Decided && v.Choice == judging.Nobody && v.Answer == "" {
				t.Errorf("%+v of %q", v, reply)
			}
		}
	})
}

// gameRow is a row of FastChat's own judge.
func gameRow(question int, m1, m2, g1, g2, reply1, reply2 string) string {
	b, _ := json.Marshal(map[string]any{
		"question_id": question, "model_1": m1, "model_2": m2, "g1_winner": g1, "g2_winner": g2, "judge": []string{"gpt-4", "pair-v2"}, "turn": 1,
		"g1_user_prompt": "p1", "g1_judgment": reply1, "g2_user_prompt": "p2", "g2_judgment": reply2, "tstamp": 1.5,
	})
	return string(b) + "\n"
}

func voteLine(question any, turn int, judge, a, b, winner string) string {
	row, _ := json.Marshal(map[string]any{"question_id": question, "turn": turn, "judge": judge, "model_a": a, "model_b": b, "winner": winner})
	return string(row) + "\n"
}

func importVotes(t *testing.T, text, human string) (*fastChat, string, error) {
	t.Helper()
	if human != "" {
		human = file(t, "human.jsonl", human)
	}
	run := filepath.Join(t.TempDir(), "run")
	im, err := importFastChat(file(t, "pair.jsonl", text), human, run, "", "test")
	return im, run, err
}

func TestImportFastChatLabels(t *testing.T) {
	text := voteLine(81, 1, "gpt4_pair", "x", "y", "model_a") + voteLine(81, 2, "gpt4_pair", "y", "x", "model_a") +
		voteLine(82, 1, "gpt4_pair", "y", "x", "tie (inconsistent)") + voteLine("82", 2, "gpt4_pair", "x", "y", "tie") + voteLine(160, 1, "gpt4_pair", "x", "y", "error")
	human := voteLine(81, 1, "expert_1", "y", "x", "model_b") + voteLine(81, 1, "expert_2", "x", "y", "model_a") + voteLine(81, 1, "expert_3", "x", "y", "tie") +
		voteLine(82, 1, "expert_1", "x", "y", "model_b") + voteLine(82, 1, "author_2", "x", "y", "tie") + voteLine(99, 1, "expert_1", "x", "y", "tie")
	im, run, err := importVotes(t, text, human)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "records", importedIn(t, run), []string{benchID(81, 1) + " decided A", benchID(81, 2) + " decided B", benchID(82, 1) + " decided C", benchID(82, 2) + " decided C", benchID(160, 1) + " no-verdict"})
	checkRun(t, run)
	var golds, labels, groups []string
	for _, r := range recordsOf(t, run) {
		golds, labels, groups = append(golds, r.Gold), append(labels, r.Label), append(groups, strings.ToLower(r.Group))
		if r.Shape != datasets.Preference || !slices.Equal(r.Order, []string{"A", "B", "C"}) || !r.Imported.Stored {
			t.Errorf("%+v", r)
		}
	}
	same(t, "golds", golds, []string{"A", "", "", "", ""})
	same(t, "labels", labels, []string{"model_a", "model_a", "tie (inconsistent)", "tie", "error"})
	same(t, "groups", groups, []string{"writing", "writing", "writing", "writing", "humanities"})
	if im.Ties != 2 || im.Inconsistent != 1 || im.Golds != 1 || im.Split != 1 || im.Manifest.Spec.Model.Name != "gpt4_pair" || im.Told != 0 {
		t.Errorf("%+v", im)
	}
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	item, err := set.Item(1)
	if err != nil || item.Candidates[0].Model != "x" || item.Candidates[1].Model != "y" || item.Gold != datasets.NoGold {
		t.Errorf("%+v, %v", item, err)
	}
}

// benchID is the id of x against y.
func benchID(question, turn int) string {
	return judging.Vote{Question: fmt.Sprint(question), Turn: turn, A: "x", B: "y"}.Item()
}

func TestImportFastChatGames(t *testing.T) {
	im, run, err := importVotes(t,
		gameRow(81, "x", "y", "model_1", "model_1", "so [[A]]", "so [[B]]")+
			gameRow(82, "y", "x", "model_1", "model_1", "[[A]]", "[[B]]")+
			gameRow(83, "x", "y", "model_1", "model_2", "[[A]]", "[[A]]")+
			gameRow(84, "x", "y", "tie", "tie", "[[C]]", "[[C]]")+
			gameRow(85, "x", "y", "error", "model_1", "none", "[[B]]")+
			gameRow(86, "x", "y", "model_1", "model_1", "[[A]] … [[B]]", "[[A]]")+
			gameRow(87, "x", "y", "model_1", "tie", "[[A]]", "[[C]]"), "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "records", importedIn(t, run), []string{
		benchID(81, 1) + " decided A", benchID(82, 1) + " decided B", benchID(83, 1) + " decided C", benchID(84, 1) + " decided C", benchID(85, 1) + " no-verdict", benchID(86, 1) + " decided A", benchID(87, 1) + " decided C",
	})
	checkRun(t, run)
	if im.Manifest.Spec.Model.Name != "gpt-4" || im.Told != 7 || im.Same != 6 || len(im.Differ) != 1 || im.Ties != 3 || im.Inconsistent != 2 {
		t.Errorf("%+v", im.importedRun)
	}
	for _, want := range []string{"row 6", "game 1: the file has model_1, the reply says two verdicts that differ", "game 2: the file has model_1, the reply says model_2"} {
		if !strings.Contains(im.Differ[0], want) {
			t.Errorf("%q lacks %q", im.Differ[0], want)
		}
	}
	if r := recordsOf(t, run)[0]; len(r.Replies) != 2 || r.Replies[1].Text != "so [[B]]" || r.Imported.Prompt != "p1" {
		t.Errorf("%+v", r)
	}
}

func TestVotesThatCannotBeUsed(t *testing.T) {
	good := voteLine(81, 1, "j", "x", "y", "model_a")
	for _, c := range []struct{ name, line, want string }{
		{"no question", `{"turn":1,"judge":"j","model_a":"x","model_b":"y","winner":"tie"}`, `"question_id"`},
		{"no models", `{"question_id":1,"turn":1,"judge":"j","winner":"tie"}`, "two models"},
		{"a model against itself", voteLine(82, 1, "j", "x", "x", "tie"), `both models are "x"`},
		{"no winner", `{"question_id":1,"turn":1,"judge":"j","model_a":"x","model_b":"y"}`, `"winner" is missing`},
		{"an unknown winner", voteLine(82, 1, "j", "x", "y", "model_c"), `"model_c" is none of`},
		{"a game's winner", voteLine(82, 1, "j", "x", "y", "model_1"), `"model_1" is none of`},
		{"a winner of other games", gameRow(82, "x", "y", "model_a", "model_1", "", ""), `"model_a" is none of`},
		{"no turn", `{"question_id":1,"judge":"j","model_a":"x","model_b":"y","winner":"tie"}`, `"turn" is missing`},
		{"turn 0", voteLine(82, 0, "j", "x", "y", "tie"), `"turn" is missing or below 1`},
		{"one game", `{"question_id":1,"turn":1,"judge":"j","model_1":"x","model_2":"y","g1_winner":"tie"}`, `"g1_winner" or "g2_winner"`},
		{"single grades", `{"question_id":1,"turn":1,"judge":["gpt-4","single-v1"],"model":"x","score":7}`, "two models"},
	} {
		t.Run(c.name, func(t *testing.T) {
			im, run, err := importVotes(t, good+c.line, "")
			if err != nil {
				t.Fatal(err)
			}
			d := im.Manifest.Dataset
			if d.Skipped != 1 || !strings.Contains(d.Bad[0], "pair.jsonl: row 2: ") || !strings.Contains(d.Bad[0], c.want) {
				t.Errorf("%q, want one with %q", d.Bad, c.want)
			}
			same(t, "records", importedIn(t, run), []string{benchID(81, 1) + " decided A"})
			if _, err := imports.ReadVotes(file(t, "votes.jsonl", c.line)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("votes: %v", err)
			}
		})
	}
	for _, c := range []struct{ name, text, want string }{
		{"two judges", good + voteLine(82, 1, "k", "x", "y", "tie"), `judge is "k", before it was "j"`},
		{"one pair twice", good + voteLine(81, 1, "j", "y", "x", "tie"), `duplicate id`},
		{"an empty file", "", "empty"},
	} {
		if _, _, err := importVotes(t, c.text, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, _, err := importVotes(t, good, "hello\n"); err == nil || !strings.Contains(err.Error(), "human.jsonl: row 1") {
		t.Errorf("votes that are none: %v", err)
	}
}

// TestVotesInAnyContainer: the rows of an older revision are one JSON array, and
// a judge may be a list.
func TestVotesInAnyContainer(t *testing.T) {
	row := `{"question_id": 81, "model_a": "y", "model_b": "x", "winner": "model_a", "judge": ["gpt-4", "pair-v2"], "turn": 2, "conversation_a": [{"role": "user", "content": "Hi"}], "conversation_b": []}`
	for name, text := range map[string]string{"lines": row, "array": "[\n" + row + "\n]"} {
		v, err := imports.ReadVotes(file(t, "votes", text))
		if err != nil || len(v.Votes) != 1 || v.Votes[0] != (judging.Vote{Question: "81", Turn: 2, A: "x", B: "y", Judge: "gpt-4 pair-v2", Winner: judging.VoteB, Label: "model_a"}) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// TestFastChatPublished: GPT-4's pair judgments and people's votes as published.
func TestFastChatPublished(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	im, err := importFastChat(judgingtest.Needs(t, gpt4Judgments), judgingtest.Needs(t, humanVotes), run, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	if im.Rows != 2400 || im.Ties != 600 || im.Inconsistent != 380 || im.Read != 2400 || len(im.Human.Votes) != 3355 || im.Manifest.Dataset.Skipped != 0 {
		t.Errorf("%+v", im)
	}
	checkRun(t, run)
}

func importLines(t *testing.T, text string, o answersOptions) (*importedRun, string, error) {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	r, err := importAnswers(file(t, "answers.jsonl", text), run, o, "test")
	return r, run, err
}

func TestImportAnswersWithTheirQuestions(t *testing.T) {
	r, run, err := importLines(t, `{"id": "q1", "question": "2 + 2?", "options": ["3", "4"], "gold": "B", "answer": "The answer is (B). The answer is (A).", "model": "m", "category": "sums"}
{"id": 2, "question": "2 + 2?", "gold": 4, "answer": "The answer is 4.0", "model": "m"}
{"id": "q3", "question": "Hi", "response_a": "x", "response_b": "y", "gold": "C", "answer": "so [[A]]", "model": "m"}
{"id": "q4", "question": "Hi", "response_a": "x", "response_b": "y", "gold": null, "answer": null}
{"id": "q5", "question": "2 + 2?", "options": ["3"], "gold": "A", "answer": "The answer is (A)"}
`, answersOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "records", importedIn(t, run), []string{"q1 decided B answer-is", "2 decided 4 answer-is", "q3 decided A", "q4 failed"})
	checkRun(t, run)
	d := r.Manifest.Dataset
	if r.Manifest.Spec.Model.Name != "m" || d.Skipped != 1 || !strings.Contains(d.Bad[0], "answers.jsonl: row 5: 1 options") || len(r.Notes) > 0 || r.Missing != 1 || r.Read != 3 {
		t.Errorf("%+v %+v", r, d)
	}
	items, _ := os.ReadFile(filepath.Join(run, judging.ItemsFile))
	if strings.Contains(string(items), "answer") || !strings.HasPrefix(string(items), `{"id": "q1", "question": "2 + 2?", "options": ["3","4"], "gold": "B", "category": "sums"}`+"\n") {
		t.Errorf("%s", items)
	}
}

func TestImportAnswersToADataset(t *testing.T) {
	set, err := datasets.OpenFile(file(t, "questions.jsonl", `{"id": "a", "question": "?", "options": ["3", "4"], "gold": "B"}
{"id": "b", "question": "?", "options": ["3", "4"], "gold": "A"}
{"id": "c", "question": "?", "options": ["3", "4"], "gold": "A"}
`))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	o := answersOptions{Questions: set, Dataset: judging.DatasetInfo{Name: "mine", Format: set.Format, Rows: set.Len()}, Model: "m"}
	r, run, err := importLines(t, `{"id": "c", "answer": "The answer is (A)"}
{"id": "a", "answer": "The answer is (B)"}
{"id": "a", "answer": "The answer is (B)"}
{"id": "zz", "answer": "The answer is (B)"}
{"id": "b", "answer": "The answer is (B)", "model": "other"}
{"id": "b", "anwser": "The answer is (B)"}
{"id": "b", "answer": 4}
{"answer": "x"}
`, o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "records", importedIn(t, run), []string{"a decided B answer-is", "c decided A answer-is"})
	checkRun(t, run)
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{
		"3 rows of the file were skipped", `row 6: key "answer" is missing`, `row 7: "answer" is no text`, `row 8: key "id" is missing`,
		"1 answers are to ids that mine does not have, and were left out: zz", "1 of the 3 questions of mine have no answer here",
		"1 rows repeat an earlier row", "1 rows are by other models",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q lacks %q", notes, want)
		}
	}
	if s := r.Manifest.Spec; s.Dataset.SHA256 != set.SHA256 || s.Dataset.Items != 2 || s.Model.Name != "m" {
		t.Errorf("%+v", s)
	}
}

func TestAnswersThatCannotBeUsed(t *testing.T) {
	set, err := datasets.OpenFile(file(t, "questions.jsonl", `{"id": "a", "question": "?", "gold": 1}`+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	pairs := judgingtest.Pairs(t, 2)
	to := answersOptions{Questions: set, Dataset: judging.DatasetInfo{Name: "mine"}, Model: "m"}
	for _, c := range []struct {
		name, text string
		o          answersOptions
		want       string
	}{
		{"nobody's answers", `{"id": "a", "answer": "1"}`, answersOptions{Questions: set}, "--model"},
		{"two models", `{"id": "a", "answer": "1", "model": "x"}` + "\n" + `{"id": "b", "answer": "1", "model": "y"}`, answersOptions{Questions: set}, `model is "y", before it was "x"`},
		{"another model's", `{"id": "a", "answer": "1", "model": "x"}`, to, `no answer by "m": there are x`},
		{"two answers", `{"id": "a", "answer": "1"}` + "\n" + `{"id": "a", "answer": "2"}`, to, `row 2: another answer to "a" than in row 1`},
		{"other questions", `{"id": "b", "answer": "1"}`, to, `none of its 1 ids is one of mine (the first is "b")`},
		{"no question", `{"id": "b", "answer": "1"}`, answersOptions{Model: "m"}, `"question" is missing`},
		{"pairs", `{"id": "p1", "answer": "1"}`, answersOptions{Questions: pairs, Model: "m"}, "shapes choice, number, preference"},
		{"an empty file", "", to, "empty"},
	} {
		if _, run, err := importLines(t, c.text, c.o); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "answers.jsonl") && c.name != "pairs" {
			t.Errorf("%s: %v", c.name, err)
		} else if _, err := os.Stat(run); err == nil {
			t.Errorf("%s: a folder was left behind", c.name)
		}
	}
}
