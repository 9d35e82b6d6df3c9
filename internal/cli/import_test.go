package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging/judgingtest"
)

// mmluRow is a row of MMLU-Pro's model outputs.
func mmluRow(id int, answer, pred, text string) string {
	return fmt.Sprintf(`{"question_id": %d, "question": "?", "options": ["x", "y", "z"], "answer": %q, "answer_index": %d, "category": "math", "src": "ours", "pred": %q, "generated_text": %q}`,
		id, answer, answer[0]-'A', pred, text)
}

// saysInOrder checks what a command says, in this order.
func saysInOrder(t *testing.T, stderr string, want ...string) {
	t.Helper()
	rest := stderr
	for _, w := range want {
		at := strings.Index(rest, w)
		if at < 0 {
			t.Errorf("stderr lacks %q, or has it too early:\n%s", w, stderr)
			return
		}
		rest = rest[at+len(w):]
	}
}

func TestImportMMLUPro(t *testing.T) {
	home(t)
	var rows []string
	for i := range 25 { // more than are said one by one
		rows = append(rows, mmluRow(100+i, "A", "C", "The answer is (B)"))
	}
	rows = append(rows, mmluRow(1, "A", "A", "The answer is (A)"), mmluRow(2, "A", "G", "no idea"), strings.Replace(mmluRow(3, "A", "A", "x"), `"answer_index": 0`, `"answer_index": 7`, 1))
	write(t, "outputs.zip", judgingtest.Zip(t, "model_outputs_my-model_5shots.json", "["+strings.Join(rows, ",\n")+"]"))
	stdout, stderr, code := call(t, "import", "mmlu-pro", "outputs.zip", "--out", "r", "--list", "differ.txt")
	if code != 0 || !strings.HasPrefix(stdout, "my-model · answer") {
		t.Fatalf("exit status %d, stdout %q\n%s", code, stdout, stderr)
	}
	saysInOrder(t, stderr, "my-model: 27 rows, run written to r", "1 rows were skipped", "outputs.zip: row 28: answer_index is 7, of 3 options", "answers in 26 of 27",
		"26 replies have an answer; the file's pred is the same for 1 of them", `in 1 replies they find none: the file has "G" there`,
		"row 1, question 100 (its answer is A): the file has C, the reply says B, “…The answer is (B)…”", "… and 5 more", "25 disagreements written to differ.txt")
	if list := read(t, "differ.txt"); strings.Count(list, "\n") != 25 || !strings.Contains(list, "row 25, question 124") {
		t.Errorf("%s", list)
	}
	if results := read(t, "r/results.json"); !strings.Contains(results, `"model": "my-model"`) || !strings.Contains(results, `"diagnosis"`) || strings.Contains(results, `"run":`) {
		t.Errorf("results.json: %s", results)
	}
	shows(t, `"model": "my-model" … "items": 27`, "score", "r", "--json", "--rounds", "100")
	for extract, want := range map[string]string{"strict": "generation-accuracy,overall,50,2,", "lenient": "generation-accuracy,overall,100,2,"} {
		write(t, "alone.json", "["+mmluRow(1, "A", "A", "The answer is (A)")+","+mmluRow(2, "B", "B", "I take B")+"]")
		mustCall(t, "import", "mmlu-pro", "alone.json", "--out", "alone")
		shows(t, want, "score", "alone", "--csv", "--rounds", "100", "--extract", extract)
	}
	ends(t, 2, "strict, lenient", "score", "alone", "--extract", "loose")
	ends(t, 1, "holds another run … --out", "import", "mmlu-pro", "outputs.zip", "--out", "r", "--model", "other")
	mustCall(t, "import", "mmlu-pro", "outputs.zip", "--out", "r")
}

func TestImportGSM8K(t *testing.T) {
	home(t)
	write(t, "s.jsonl", `{"question": "?", "ground_truth": "so\nA: 18", "6b": {"is_correct": true, "solution": "A: 19"}, "175b": {"is_correct": true, "solution": "A: 18"}}`+"\n")
	stderr := ends(t, 0, "", "import", "gsm8k", "s.jsonl", "--out", "r", "--list", "differ.txt")
	saysInOrder(t, stderr, "6b: 1 rows, run written to "+filepath.Join("r", "6b"), "is_correct is as read from the solution in 0 of 1", "175b: 1 rows", "in 1 of 1", "6b: row 1 (its answer is 18): the file has is_correct true; read from it is 19 (rule marker)")
	if list := read(t, "differ.txt"); !strings.HasPrefix(list, "6b: row 1") || strings.Count(list, "\n") != 1 {
		t.Errorf("%s", list)
	}
	mustCall(t, "import", "gsm8k", "s.jsonl", "--out", "alone", "--model", "175b")
	if out := mustCall(t, "score", "alone", filepath.Join("r", "6b"), "--csv", "--rounds", "100"); strings.Count(out, ",generation-accuracy,overall,") != 2 {
		t.Errorf("%s", out)
	}
}

func TestImportAnswers(t *testing.T) {
	home(t)
	write(t, "questions.jsonl", `{"id": "a", "question": "?", "gold": 18}
{"id": "b", "question": "?", "gold": 5}
`)
	write(t, "answers.jsonl", `{"id": "a", "answer": "Result: 18"}
{"id": "z", "answer": "Result: 18"}
`)
	stderr := ends(t, 0, "", "import", "answers", "answers.jsonl", "--dataset", "questions.jsonl", "--model", "m", "--out", "r", "--marker", "Result:")
	saysInOrder(t, stderr, "m: 1 rows, run written to r", "1 answers are to ids that questions does not have, and were left out: z", "1 of the 2 questions of questions have no answer here", "answers in 1 of 1")
	if records := read(t, "r/records.jsonl"); !strings.Contains(records, `"answer":"18","rule":"marker"`) {
		t.Errorf("%s", records)
	}
	if manifest := read(t, "r/run.json"); !strings.Contains(manifest, `"marker": "Result:"`) {
		t.Errorf("%s", manifest)
	}
}

const fewVotes = `{"judge":"expert_1","model_a":"x","model_b":"y","question_id":81,"turn":1,"winner":"model_a"}
{"judge":"expert_2","model_a":"y","model_b":"x","question_id":81,"turn":1,"winner":"model_a"}
{"judge":"expert_3","model_a":"y","model_b":"x","question_id":81,"turn":1,"winner":"model_b"}
{"judge":"author_1","model_a":"x","model_b":"y","question_id":82,"turn":2,"winner":"tie"}
{"judge":"expert_1","model_a":"x","model_b":"y","question_id":99,"turn":1,"winner":"tie"}
{"judge":"expert_1","model_a":"x","model_b":"x","question_id":81,"turn":1,"winner":"tie"}
`

const fewJudgments = `{"judge":"gpt4_pair","model_a":"y","model_b":"x","question_id":81,"turn":1,"winner":"model_b"}
{"judge":"gpt4_pair","model_a":"x","model_b":"y","question_id":82,"turn":2,"winner":"tie (inconsistent)"}
{"judge":"gpt4_pair","model_a":"x","model_b":"y","question_id":83,"turn":1,"winner":"model_a"}
{"judge":"gpt4_pair","model_a":"x","model_b":"y","question_id":84,"turn":1,"winner":"error"}
`

func TestAgree(t *testing.T) {
	home(t)
	write(t, "pair.jsonl", fewJudgments)
	write(t, "human.jsonl", fewVotes)
	stderr := ends(t, 0, "", "import", "fastchat", "pair.jsonl", "--human", "human.jsonl", "--out", "r")
	saysInOrder(t, stderr, "gpt4_pair: 4 rows, run written to r", "answers in 3 of 4", "1 verdicts are ties, 1 of them because the two games differ",
		"1 rows of votes were skipped", "human.jsonl: row 6: both models are", "2 pairs have what more than half of the votes are for as gold; on 0 people are divided")
	for _, flag := range []string{"--missing=drop", "--extract=lenient"} { // of other protocols: they would do nothing
		ends(t, exitUsage, "unknown flag "+strings.Split(flag, "=")[0], "agree", "r", "--labels", "human.jsonl", flag)
	}
	stdout, stderr, code := call(t, "agree", "r", "--labels", "human.jsonl", "--rounds", "100")
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, stderr)
	}
	saysInOrder(t, stderr, "human.jsonl: row 6")
	saysInOrder(t, stdout, "Cohen's κ", "author_1", "expert_1", "gpt4_pair (r)")
}

// TestAgreeOfARun: gavel's own runs on MT-Bench's items join with the votes too.
func TestAgreeOfARun(t *testing.T) {
	home(t)
	talk := `[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]`
	row := func(judge, winner string) string {
		return fmt.Sprintf(`{"question_id":81,"model_a":"y","model_b":"x","winner":%q,"judge":%q,"turn":1,"conversation_a":%s,"conversation_b":%s}`+"\n", winner, judge, talk, talk)
	}
	write(t, "votes.jsonl", row("expert_1", "model_a")+row("expert_2", "model_a")+row("expert_3", "model_b"))
	mustCall(t, "run", "answer", "--backend", "sim", "--model", "right", "--dataset", "votes.jsonl", "--out", "r")
	stdout := mustCall(t, "agree", "r", "--labels", "votes.jsonl", "--rounds", "100")
	saysInOrder(t, stdout, "r  ", "expert_1", "expert_2", "expert_3")
}
