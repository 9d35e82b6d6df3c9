package answer

import (
	"strings"
	"testing"

	"gavel/datasets"
)

// FuzzImportedRows checks that for any row of another harness's file no importer panics, an error is one line, and an
// accepted item has a line that reads back as the same item.
func FuzzImportedRows(f *testing.F) {
	for _, s := range []string{
		`{"question_id": 70, "question": "?", "options": ["x", "y"], "answer": "B", "answer_index": 1, "category": "c", "src": "s", "pred": "B", "generated_text": "The answer is (B)."}`,
		`{"question_id": 70, "question": "?", "options": ["x", "N/A"], "answer": "A", "model_outputs": null, "pred": null}`,
		`{"question": "?", "ground_truth": "x\nA: 18", "6b": {"is_correct": true, "solution": "A: 18"}, "7b": {"solution": null}}`,
		`{"judge": "expert_1", "model_a": "y", "model_b": "x", "question_id": 81, "turn": 1, "winner": "tie (inconsistent)"}`,
		`{"question_id": 81, "turn": 1, "judge": ["gpt-4", "pair-v2"], "model_1": "x", "model_2": "y", "g1_winner": "model_1",` +
			` "g2_winner": "error", "g1_judgment": "[[A]]"}`,
		`{"id": "q1", "question": "?", "options": ["3", "4"], "gold": "B", "answer": "The answer is (B)", "model": "m"}`,
		`{"id": 1e3, "question": "\ud800", "gold": -4.50, "answer": null}`,
		`{"a": {"solution": ""}}`, "null", "[1]", `{"id":`, "\xff", `{"question_id":{"a":[1,{}]}}`, `{"A":1,"a":2,"A":3}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		check := func(kind string, format datasets.Format, item datasets.Item, err error) {
			if err != nil {
				if strings.ContainsAny(err.Error(), "\r\n") {
					t.Errorf("%s: the message is longer than a line: %q", kind, err)
				}
				return
			}
			reparsed, err := format.Parse(item.Raw)
			if err != nil || reparsed.ID != item.ID || reparsed.ID == "" || reparsed.Shape != item.Shape || reparsed.Gold != item.Gold ||
				strings.Contains(string(item.Raw), "\n") {
				t.Errorf("%s: %+v, its line %q reads as %+v, %v", kind, item, item.Raw, reparsed, err)
			}
		}
		row, err := mmluProRow(raw)
		check("mmlu-pro", datasets.MMLUProFormat, row.item, err)
		item, _, err := readSolutions(raw, 3)
		check("gsm8k", datasets.GSM8KFormat, item, err)
		row, err = judgmentRow(raw, map[string]int{})
		check("fastchat", datasets.QuestionsFormat, row.item, err)
		row, err = parseAnswerLine(raw, nil)
		check("answers", datasets.QuestionsFormat, row.item, err)
	})
}
