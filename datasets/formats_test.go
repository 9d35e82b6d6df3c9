package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// object is a row of JSON with these keys; change may spoil it.
func object(keys map[string]any, change ...func(map[string]any)) string {
	row := map[string]any{}
	for k, v := range keys {
		row[k] = v
	}
	for _, f := range change {
		f(row)
	}
	line, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	return string(line)
}

func question(change ...func(map[string]any)) string {
	return object(map[string]any{
		"question_id": 70, "question": "Which one?", "options": []any{"this", "that", "the other"}, "answer": "B", "answer_index": 1,
		"cot_content": "", "category": "law", "src": "ori_mmlu-law",
	}, change...)
}

func problem(change ...func(map[string]any)) string {
	return object(map[string]any{"question": "How many?", "answer": "2 + 2 = <<2+2=4>>4\n#### 4"}, change...)
}

func llmBarPair(change ...func(map[string]any)) string {
	return object(map[string]any{"input": "Name a metal.", "output_1": "Wood", "output_2": "Iron", "label": 2}, change...)
}

func symbolicProblem(change ...func(map[string]any)) string {
	return object(map[string]any{
		"id": 7, "instance": 3, "question": "How many?", "answer": "4 * 6 = 24\n24 - 2.5 = 21.5\n#### 21.5",
		"original_id": 99, "original_question": "…", "original_answer": "…\n#### 10", "canary": "…",
	}, change...)
}

// talk is a conversation of texts, of user and assistant in turn.
func talk(texts ...any) []any {
	var c []any
	for i, text := range texts {
		c = append(c, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	return c
}

func mtVote(change ...func(map[string]any)) string {
	return object(map[string]any{
		"question_id": 81, "model_a": "alpaca", "model_b": "vicuna", "winner": "model_a", "judge": "expert_1", "turn": 1,
		"conversation_a": talk("q1", "a1", "q2", "a2"), "conversation_b": talk("q1", "b1", "q2", "b2"),
	}, change...)
}

func battle(change ...func(map[string]any)) string {
	return object(map[string]any{
		"question_id": "0123456789abcdef", "model_a": "model-x", "model_b": "model-y", "winner": "tie (bothbad)", "judge": "arena_user_1",
		"conversation_a": talk("Hi", "Hello"), "conversation_b": talk("Hi", "Hey"), "turn": 1, "anony": true, "language": "English", "tstamp": 1682351591.1,
		"openai_moderation": map[string]any{"categories": map[string]any{"harassment/threatening": false}, "flagged": false},
		"toxic_chat_tag":    map[string]any{"roberta-large": map[string]any{"flagged": false, "probability": 0.01}},
	}, change...)
}

func judgment(change ...func(map[string]any)) string {
	return object(map[string]any{
		"id": "70@m", "category": "law", "source": "ori_mmlu-law", "question": "Which one?\nA. this", "gold": "Incorrect", "question_id": "70", "of": "choice",
		"agent": "m", "answer": "The answer is (A).", "reference": "The answer is (B).", "own": map[string]any{"value": "B", "right": true},
	}, change...)
}

// What a good row of each format becomes.
func TestItems(t *testing.T) {
	ab := func(a, b string) []Candidate {
		return []Candidate{{ID: "A", Model: "alpaca", Text: a}, {ID: "B", Model: "vicuna", Text: b}, {ID: "C"}}
	}
	xy := []Candidate{{ID: "A", Model: "model-x", Text: "Hello"}, {ID: "B", Model: "model-y", Text: "Hey"}, {ID: "C"}}
	abc := []Candidate{{ID: "A", Text: "this"}, {ID: "B", Text: "that"}, {ID: "C", Text: "the other"}}
	bar := func(id, group string) Item {
		return Item{ID: id, Shape: Pair, Source: "llmbar", Group: group, Question: "Name a metal.", Candidates: []Candidate{{ID: "A", Text: "Wood"}, {ID: "B", Text: "Iron"}}, Gold: 1}
	}
	verdicts := []Candidate{{ID: "Correct"}, {ID: "Incorrect"}}
	for name, tc := range map[string]struct {
		file, line, format string
		want               Item
	}{
		"mmlu-pro": {"x.jsonl", question(), "mmlu-pro", Item{ID: "70", Shape: Choice, Source: "ori_mmlu-law", Group: "law", Question: "Which one?", Candidates: abc, Gold: 1}},
		"mmlu-pro, letter and index differ": {"x.jsonl", question(with("answer_index", 2)), "mmlu-pro", Item{ID: "70", Shape: Choice, Source: "ori_mmlu-law", Group: "law", Question: "Which one?", Candidates: abc, Gold: 1,
			Note: "the answer is B, but answer_index is 2: the letter counts"}},
		"mmlu-pro, fewest keys":     {"x.jsonl", question(without("answer_index"), without("category"), without("src")), "mmlu-pro", Item{ID: "70", Shape: Choice, Group: "(no category)", Question: "Which one?", Candidates: abc, Gold: 1}},
		"mmlu-pro, id of one's own": {"x.jsonl", question(with("question_id", "own-1")), "mmlu-pro", Item{ID: "own-1", Shape: Choice, Source: "ori_mmlu-law", Group: "law", Question: "Which one?", Candidates: abc, Gold: 1}},
		"mmlu-pro, filled up":       {"x.jsonl", question(with("options", []any{"this", "that", "N/A", "N/A"})), "mmlu-pro", Item{ID: "70", Shape: Choice, Source: "ori_mmlu-law", Group: "law", Question: "Which one?", Candidates: abc[:2], Gold: 1}},
		"mmlu-pro, the answer is N/A": {"x.jsonl", question(with("options", []any{"this", "N/A", "N/A"})), "mmlu-pro", Item{ID: "70", Shape: Choice, Source: "ori_mmlu-law", Group: "law", Question: "Which one?",
			Candidates: []Candidate{{ID: "A", Text: "this"}, {ID: "B", Text: "N/A"}}, Gold: 1}},
		"llmbar":                   {"Natural/dataset.json", llmBarPair(), "llmbar", bar("Natural#0", "Natural")},
		"llmbar, adversarial":      {"Adversarial/Neighbor/dataset.json", llmBarPair(), "llmbar", bar("Adversarial/Neighbor#0", "Adversarial/Neighbor")},
		"llmbar, library":          {"llmbar-gptinst.json", llmBarPair(), "llmbar", bar("Adversarial/GPTInst#0", "Adversarial/GPTInst")},
		"llmbar, no subset":        {"x.jsonl", llmBarPair(), "llmbar", bar("LLMBar#0", "LLMBar")},
		"llmbar, its own id":       {"Natural/dataset.json", llmBarPair(with("id", "Adversarial/Manual#7")), "llmbar", bar("Adversarial/Manual#7", "Adversarial/Manual")},
		"llmbar, id of one's own":  {"Natural/dataset.json", llmBarPair(with("id", 7)), "llmbar", bar("7", "LLMBar")},
		"gsm8k":                    {"test.jsonl", problem(), "gsm8k", Item{ID: "0", Shape: Number, Source: "gsm8k", Group: "GSM8K", Question: "How many?", Gold: NoGold, Answer: "4"}},
		"gsm8k, id and category":   {"x.jsonl", problem(with("id", "n-1"), with("category", "Money")), "gsm8k", Item{ID: "n-1", Shape: Number, Source: "gsm8k", Group: "Money", Question: "How many?", Gold: NoGold, Answer: "4"}},
		"gsm8k, thousands":         {"x.jsonl", problem(with("answer", "#### 1,450,000")), "gsm8k", Item{ID: "0", Shape: Number, Source: "gsm8k", Group: "GSM8K", Question: "How many?", Gold: NoGold, Answer: "1,450,000"}},
		"gsm8k, negative":          {"x.jsonl", problem(with("answer", "x\n#### -10\n")), "gsm8k", Item{ID: "0", Shape: Number, Source: "gsm8k", Group: "GSM8K", Question: "How many?", Gold: NoGold, Answer: "-10"}},
		"gsm-symbolic":             {"GSM_symbolic.jsonl", symbolicProblem(), "gsm-symbolic", Item{ID: "7-3", Shape: Number, Source: "gsm-symbolic", Group: "GSM-Symbolic", Question: "How many?", Gold: NoGold, Answer: "21.5"}},
		"gsm-symbolic p1":          {"GSM_p1.jsonl", symbolicProblem(), "gsm-symbolic", Item{ID: "7-3", Shape: Number, Source: "gsm-symbolic", Group: "GSM-Symbolic-P1", Question: "How many?", Gold: NoGold, Answer: "21.5"}},
		"gsm-symbolic p2, library": {"gsm-symbolic-p2.jsonl", symbolicProblem(with("answer", "#### 45.0")), "gsm-symbolic", Item{ID: "7-3", Shape: Number, Source: "gsm-symbolic", Group: "GSM-Symbolic-P2", Question: "How many?", Gold: NoGold, Answer: "45.0"}},
		"gsm-symbolic, its own":    {"GSM_p1.jsonl", symbolicProblem(with("category", "Mine")), "gsm-symbolic", Item{ID: "7-3", Shape: Number, Source: "gsm-symbolic", Group: "Mine", Question: "How many?", Gold: NoGold, Answer: "21.5"}},
		"mt-bench":                 {"x.jsonl", mtVote(), "mt-bench", Item{ID: "81:1:alpaca:vicuna", Shape: Preference, Source: "mt-bench", Group: "Writing", Question: "q1", Candidates: ab("a1", "b1"), Gold: 0}},
		"mt-bench, other order": {"x.jsonl", mtVote(with("model_a", "vicuna"), with("model_b", "alpaca"), with("winner", "model_b"), with("question_id", 160)), "mt-bench",
			Item{ID: "160:1:alpaca:vicuna", Shape: Preference, Source: "mt-bench", Group: "Humanities", Question: "q1", Candidates: ab("b1", "a1"), Gold: 0}},
		"mt-bench, tie, judge is a list": {"x.jsonl", mtVote(with("winner", "tie"), with("judge", []any{"gpt-4", "pair-v2"}), with("question_id", 161)), "mt-bench",
			Item{ID: "161:1:alpaca:vicuna", Shape: Preference, Source: "mt-bench", Group: "(no category)", Question: "q1", Candidates: ab("a1", "b1"), Gold: 2}},
		"mt-bench, its own category": {"x.jsonl", mtVote(with("question_id", "own"), with("category", "Letters")), "mt-bench", Item{ID: "own:1:alpaca:vicuna", Shape: Preference, Source: "mt-bench", Group: "Letters", Question: "q1", Candidates: ab("a1", "b1"), Gold: 0}},
		"chatbot-arena":              {"x.jsonl", battle(), "chatbot-arena", Item{ID: "0123456789abcdef", Shape: Preference, Source: "chatbot-arena", Group: "Chatbot Arena", Question: "Hi", Candidates: xy, Gold: 2}},
		"chatbot-arena, model_b":     {"x.jsonl", battle(with("winner", "model_b")), "chatbot-arena", Item{ID: "0123456789abcdef", Shape: Preference, Source: "chatbot-arena", Group: "Chatbot Arena", Question: "Hi", Candidates: xy, Gold: 1}},
		"chatbot-arena, tie":         {"x.jsonl", battle(with("winner", "tie")), "chatbot-arena", Item{ID: "0123456789abcdef", Shape: Preference, Source: "chatbot-arena", Group: "Chatbot Arena", Question: "Hi", Candidates: xy, Gold: 2}},
		"judgment": {"items.jsonl", judgment(), "judgment", Item{ID: "70@m", Shape: Judgment, Source: "ori_mmlu-law", Group: "law", Question: "Which one?\nA. this", Candidates: verdicts, Gold: 1,
			Answered: &Answered{Question: "70", Of: Choice, Agent: "m", Text: "The answer is (A).", Reference: "The answer is (B).", Own: &Answer{Value: "B", Right: true}}}},
		"judgment without own": {"items.jsonl", judgment(without("own"), without("reference"), without("category"), with("gold", "Correct"), with("of", "number")), "judgment", Item{ID: "70@m", Shape: Judgment, Source: "ori_mmlu-law", Group: "(no category)",
			Question: "Which one?\nA. this", Candidates: verdicts, Gold: 0, Answered: &Answered{Question: "70", Of: Number, Agent: "m", Text: "The answer is (A)."}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, content := range []string{tc.line, "[" + tc.line + "]"} {
				s := open(t, write(t, tc.file, content))
				if s.Len() != 1 || s.Format != tc.format || s.Skipped != 0 || s.SHA256 != hexSum([]byte(content)) {
					t.Fatalf("%d items, %d skipped, format %s, SHA-256 %s", s.Len(), s.Skipped, s.Format, s.SHA256)
				}
				it := item(t, s, 0)
				// The line of a run's items.jsonl gives the same item again.
				again := open(t, write(t, "items.jsonl", string(it.Raw)))
				if other := item(t, again, 0); other.Line != 1 || string(other.Raw) != string(it.Raw) || !reflect.DeepEqual(without2(other), without2(it)) {
					t.Errorf("from its own line it is\n%+v, not\n%+v", other, it)
				}
				if it.ID != s.ID(0) || it.Group != s.Group(0) || it.Line != 1 {
					t.Errorf("id %q, group %q, line %d", s.ID(0), s.Group(0), it.Line)
				}
				if !reflect.DeepEqual(without2(it), tc.want) {
					t.Errorf("got\n%+v, want\n%+v", without2(it), tc.want)
				}
				if tc.want.Note != "" && (len(s.Notes) != 1 || !strings.Contains(s.Notes[0], tc.want.Note)) {
					t.Errorf("notes %q", s.Notes)
				}
			}
		})
	}
}

// without2 is an item without the two fields that say where it stands.
func without2(it Item) Item {
	it.Line, it.Raw = 0, nil
	return it
}

// What is wrong with a row is said, and the rows around it are read.
func TestBadRows(t *testing.T) {
	set := func(k string, v any) func(map[string]any) { return with(k, v) }
	for name, tc := range map[string]struct{ good, bad, want string }{
		"mmlu-pro, no options":         {question(), question(with("question_id", 1), without("options")), `key "options" is missing`},
		"mmlu-pro, null id":            {question(), question(with("question_id", nil)), `key "question_id" is missing`},
		"mmlu-pro, empty id":           {question(), question(with("question_id", "")), `"question_id" is empty`},
		"mmlu-pro, boolean id":         {question(), question(with("question_id", true)), `an id is a text or a number, not a boolean`},
		"mmlu-pro, answer out":         {question(), question(with("question_id", 1), set("answer", "D")), "the answer is D, of 3 options"},
		"mmlu-pro, answer no letter":   {question(), question(with("question_id", 1), set("answer", "b")), `answer "b" is no letter from A`},
		"mmlu-pro, answer of two":      {question(), question(with("question_id", 1), set("answer", "AB")), `answer "AB" is no letter from A`},
		"mmlu-pro, index out":          {question(), question(with("question_id", 1), set("answer_index", 3)), "answer_index is 3, of 3 options"},
		"mmlu-pro, index below":        {question(), question(with("question_id", 1), set("answer_index", -1)), "answer_index is -1, of 3 options"},
		"mmlu-pro, one option":         {question(), question(with("question_id", 1), set("options", []any{"x"}), set("answer", "A"), set("answer_index", 0)), "1 option: a choice needs two"},
		"mmlu-pro, no option":          {question(), question(with("question_id", 1), set("options", []any{})), "the answer is B, of 0 options"},
		"mmlu-pro, null option":        {question(), question(with("question_id", 1), set("options", []any{"x", nil})), "option B is null"},
		"mmlu-pro, many options":       {question(), question(with("question_id", 1), set("options", make([]string, 27))), "27 options, there are letters for 26"},
		"mmlu-pro, options as text":    {question(), question(with("question_id", 1), set("options", "x")), `key "options" is of type string, expected an array`},
		"llmbar, label":                {llmBarPair(), llmBarPair(set("label", 0)), "label 0 is neither 1 nor 2"},
		"llmbar, label as text":        {llmBarPair(), llmBarPair(set("label", "1")), `key "label" is of type string, expected int`},
		"llmbar, no output":            {llmBarPair(), llmBarPair(set("output_2", nil)), `key "output_2" is missing`},
		"llmbar, empty id":             {llmBarPair(), llmBarPair(set("id", "")), `"id" is empty`},
		"gsm8k, no ####":               {problem(), problem(set("answer", "4")), `the answer has no "####"`},
		"gsm8k, no number":             {problem(), problem(set("answer", "#### four")), `what follows "####" is no number: "four"`},
		"gsm8k, a unit":                {problem(), problem(set("answer", "#### $4")), `what follows "####" is no number: "$4"`},
		"gsm8k, two numbers":           {problem(), problem(set("answer", "#### 4 #### 5")), `what follows "####" is no number: "4 #### 5"`},
		"gsm8k, nothing":               {problem(), problem(set("answer", "####")), `what follows "####" is no number: ""`},
		"gsm8k, no question":           {problem(), problem(without("question")), `key "question" is missing`},
		"gsm8k, empty id":              {problem(), problem(set("id", "")), `"id" is empty`},
		"gsm8k, no object":             {problem(), `"text"`, "not a JSON object"},
		"gsm8k, of gsm-symbolic":       {problem(), symbolicProblem(), "a row of gsm-symbolic in a file of gsm8k"},
		"gsm-symbolic, no instance":    {symbolicProblem(), symbolicProblem(without("instance")), `key "instance" is missing`},
		"gsm-symbolic, empty id":       {symbolicProblem(), symbolicProblem(set("id", "")), `"id" is empty`},
		"mt-bench, votes alone":        {mtVote(), mtVote(without("conversation_a"), without("conversation_b")), "the conversations are missing: this is a file of votes alone, take the full one"},
		"mt-bench, winner":             {mtVote(), mtVote(set("winner", "model_c")), `winner "model_c" is none of model_a, model_b, tie and tie (bothbad)`},
		"mt-bench, turn 0":             {mtVote(), mtVote(set("turn", 0)), "turn is 0"},
		"mt-bench, short conversation": {mtVote(), mtVote(set("conversation_a", []any{})), "a conversation is empty"},
		"mt-bench, no answer":          {mtVote(), mtVote(set("conversation_b", talk("q1", "b1", "q2"))), "a conversation does not end with an answer"},
		"mt-bench, roles":              {mtVote(), mtVote(set("conversation_a", append(talk("q1", "a1"), talk("q2", "a2")[1], talk("q2")[0]))), "messages 3 and 4 of a conversation are not of user and assistant"},
		"mt-bench, null content":       {mtVote(), mtVote(set("conversation_a", talk("q1", nil))), "message 1 or 2 of a conversation has no content"},
		"mt-bench, another question":   {mtVote(), mtVote(set("conversation_a", talk("q9", "a1"))), "in turn 1 the user says something else to each model"},
		"mt-bench, no model":           {mtVote(), mtVote(without("model_a")), `key "model_a" is missing`},
		"chatbot-arena, lengths":       {battle(), battle(set("conversation_a", talk("q1", "a1")), set("conversation_b", talk("q1", "b1", "q2")[:2:2]), set("question_id", "")), `"question_id" is empty`},
		"chatbot-arena, no winner":     {battle(), battle(set("winner", nil)), `key "winner" is missing`},
		"judgment, no gold":            {judgment(), judgment(without("gold")), `key "gold" is missing`},
		"judgment, gold":               {judgment(), judgment(set("gold", "correct")), `gold "correct" is neither "Correct" nor "Incorrect"`},
		"judgment, of":                 {judgment(), judgment(set("of", "pair")), `of "pair" is none of choice, number and preference`},
		"judgment, empty id":           {judgment(), judgment(set("id", "")), `"id" is empty`},
		"judgment, no question":        {judgment(), judgment(set("question_id", "")), `"question_id" is empty`},
		"judgment, no answer":          {judgment(), judgment(set("answer", nil)), `key "answer" is missing`},
		"judgment, own":                {judgment(), judgment(set("own", 1)), `key "own" is of type number, expected an object`},
		"not UTF-8":                    {question(), strings.Replace(question(), "Which", "Wh\xff", 1), "not UTF-8: save the file in that encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "rows.jsonl", lines(tc.good, tc.bad))
			s := open(t, path)
			if s.Len() != 1 || s.Skipped != 1 {
				t.Fatalf("%d items, %d skipped", s.Len(), s.Skipped)
			}
			oneLine(t, s.Bad[0], path, "FILE:2: "+tc.want)
		})
	}
}

// A file in which no row is good says what its format is to hold.
func TestNoGoodRow(t *testing.T) {
	for name, tc := range map[string]struct{ line, want string }{
		"mmlu-pro":      {question(with("answer", "Z")), "FILE:1: the answer is Z, of 3 options (no usable line among 1; expected " + MMLUPro.About + ")"},
		"gsm8k":         {problem(with("answer", "4")), `FILE:1: the answer has no "####" (no usable line among 1; expected ` + GSM8K.About + ")"},
		"chatbot-arena": {battle(with("winner", "")), `FILE:1: winner "" is none of model_a, model_b, tie and tie (bothbad) (no usable line among 1; expected ` + chatbotArena.About + ")"},
		"votes alone": {mtVote(without("conversation_a"), without("conversation_b")),
			"FILE:1: the conversations are missing: this is a file of votes alone, take the full one (no usable line among 1; expected " + anyFormat() + ")"},
		"only later turns": {mtVote(with("turn", 2)), "FILE: no item is left: Left out: 1 of the votes, on a later turn (--turns all takes them, with the whole conversation)."},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "rows.jsonl", tc.line)
			_, err := OpenFile(path)
			oneLine(t, err, path, tc.want)
		})
	}
}

// Rows without an id have the number of their row, which those before them, good
// or bad, count for; a sample's lines keep it.
func TestRowNumbers(t *testing.T) {
	path := write(t, "test.jsonl", lines(problem(), "", problem(with("answer", "bad")), problem(with("question", "a <b> & c\u2028")), "{}", problem(with("question", "last"))))
	s := open(t, path)
	if s.Len() != 3 || s.Skipped != 2 || s.Bad[0].Line != 3 || s.Bad[1].Line != 5 {
		t.Fatalf("%d items, %v", s.Len(), s.Bad)
	}
	oneLine(t, s.Bad[1], path, `FILE:5: key "question" is missing`)
	var raw []string
	for i, want := range []struct {
		id, question string
		line         int
	}{{"0", "How many?", 1}, {"2", "a <b> & c\u2028", 4}, {"4", "last", 6}} {
		it := item(t, s, i)
		if it.ID != want.id || it.Question != want.question || it.Line != want.line {
			t.Errorf("item %d: %q %q of line %d, want %v", i, it.ID, it.Question, it.Line, want)
		}
		raw = append(raw, string(it.Raw))
	}
	if want := `{"id":2,"answer":`; !strings.HasPrefix(raw[1], want) {
		t.Errorf("line %s does not begin %s", raw[1], want)
	}
	part := open(t, write(t, "items.jsonl", lines(raw[2], raw[1])))
	if part.ID(0) != "4" || part.ID(1) != "2" {
		t.Errorf("ids of a part: %s, %s", part.ID(0), part.ID(1))
	}
}

func TestSymbolicSetIsInThePath(t *testing.T) {
	for path, want := range map[string]string{
		"GSM_symbolic.jsonl": "", "GSM_p1.jsonl": "1", "GSM_p2.jsonl.gz": "2", "/data/p1/test.jsonl": "1", `C:\data\p2\test.jsonl`: "2", "gsm-symbolic-p2": "2",
		"main/test.jsonl": "", "mp1.jsonl": "", "p12.jsonl": "", "/p1/x/test.jsonl": "", "GSM-P1.parquet": "1",
	} {
		got := strings.TrimPrefix(strings.TrimPrefix(symbolicGroup(path), gsmSymbolic), "-P")
		if got != want {
			t.Errorf("%s: set %q, want %q", path, got, want)
		}
	}
}

func openWith(t *testing.T, o OpenOptions, rows ...string) *Set {
	t.Helper()
	s, err := openFileWith(write(t, "rows.jsonl", lines(rows...)), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestVotes(t *testing.T) {
	turned := func(m map[string]any) {
		m["model_a"], m["model_b"], m["conversation_a"], m["conversation_b"] = m["model_b"], m["model_a"], m["conversation_b"], m["conversation_a"]
	}
	vote := func(winner string) string { return mtVote(with("winner", winner)) }
	other := func(winner string) string { return mtVote(turned, with("winner", winner)) }
	for name, tc := range map[string]struct {
		rows []string
		want string // candidate, and votes for A, B and C; "" for none
	}{
		"one":                  {[]string{vote("model_b")}, "B 0 1 0"},
		"both orders":          {[]string{vote("model_a"), other("model_b"), vote("model_b")}, "A 2 1 0"},
		"the first is turned":  {[]string{other("model_a"), vote("model_b"), vote("tie")}, "B 0 2 1"},
		"ties":                 {[]string{vote("tie"), vote("tie"), vote("model_a")}, "C 1 0 2"},
		"one each":             {[]string{vote("model_a"), vote("model_b")}, ""},
		"half":                 {[]string{vote("model_a"), vote("model_a"), vote("tie"), vote("model_b")}, ""},
		"three of five":        {[]string{vote("model_a"), vote("model_a"), vote("tie"), vote("model_b"), other("model_b")}, "A 3 1 1"},
		"no verdict is none":   {[]string{vote("tie (inconsistent)"), vote("model_b")}, "B 0 1 0"},
		"bad row is none":      {[]string{mtVote(with("conversation_a", talk("x", "y"))), vote("model_b")}, "B 0 1 0"},
		"votes already united": {[]string{mtVote(with("votes", map[string]int{"model_a": 2, "model_b": 1, "tie": 0})), vote("model_b"), vote("model_b")}, "B 2 3 0"},
	} {
		t.Run(name, func(t *testing.T) {
			sure := mtVote(with("question_id", 91))
			s := openWith(t, OpenOptions{}, append(tc.rows, sure)...)
			got := ""
			if s.Len() == 2 {
				it := item(t, s, 0)
				var l battleLine
				if err := json.Unmarshal(it.Raw, &l); err != nil {
					t.Fatal(err)
				}
				got = strings.Join(strings.Fields(it.Candidates[it.Gold].ID+strings.NewReplacer("{", " ", "}", "").Replace(sprint(l.Votes))), " ")
				if it.Candidates[0].Model != "alpaca" || it.Candidates[0].Text != "a1" || it.Candidates[1].Text != "b1" {
					t.Errorf("candidates %+v", it.Candidates)
				}
			} else if len(s.Notes) != 1 || s.Notes[0] != "Left out: 1 of the pairs of answers, on which no more than half of the votes agree." {
				t.Errorf("notes %q", s.Notes)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if name == "no verdict is none" && (len(s.Notes) != 1 || s.Notes[0] != `Left out: 1 of the votes, "tie (inconsistent)", which is no verdict.`) {
				t.Errorf("notes %q", s.Notes)
			}
		})
	}
}

func sprint(v votes) string {
	b, _ := json.Marshal([]int{v.A, v.B, v.Tie})
	return " " + strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(b))
}

const wholeQuestion, wholeA = "[Turn 1]\nq1\n\n[Turn 2]\nq2", "[Turn 1]\na1\n\n[Turn 2]\na2"

func TestTurns(t *testing.T) {
	rows := []string{mtVote(), mtVote(with("turn", 2), with("winner", "model_b"))}
	s := openWith(t, OpenOptions{}, rows...)
	if s.Len() != 1 || len(s.Notes) != 1 || s.Notes[0] != "Left out: 1 of the votes, on a later turn (--turns all takes them, with the whole conversation)." {
		t.Errorf("%d items, notes %q", s.Len(), s.Notes)
	}
	s = openWith(t, OpenOptions{Turns: TurnsAll}, rows...)
	if s.Len() != 2 || len(s.Notes) != 0 {
		t.Fatalf("%d items, notes %q", s.Len(), s.Notes)
	}
	it := item(t, s, 1)
	if it.ID != "81:2:alpaca:vicuna" || it.Gold != 1 || it.Question != wholeQuestion || it.Candidates[0].Text != wholeA {
		t.Errorf("the second turn: %+v", it)
	}
	if it := item(t, s, 0); it.Question != "q1" || it.Candidates[0].Text != "a1" {
		t.Errorf("the first turn: %+v", it)
	}

	long := battle(with("question_id", "long"), with("conversation_a", talk("q1", "a1", "q2", "a2")), with("conversation_b", talk("q1", "b1", "q2", "b2")), with("turn", 2))
	rows = []string{battle(), long, battle(with("question_id", "fr"), with("language", "French"))}
	for _, tc := range []struct {
		o    OpenOptions
		ids  string
		note string
	}{
		{OpenOptions{}, "0123456789abcdef fr", "Left out: 1 of the conversations, of more than one turn (--turns all judges them whole)."},
		{OpenOptions{Turns: TurnsAll}, "0123456789abcdef long fr", ""},
		{OpenOptions{Turns: TurnsAll, Lang: "English"}, "0123456789abcdef long", "Left out: 1 of the conversations, in other languages than English."},
	} {
		s := openWith(t, tc.o, rows...)
		if got := strings.Join(pick(t, Selection{}, s), " "); got != tc.ids || strings.Join(s.Notes, "|") != tc.note {
			t.Errorf("%+v: %s, notes %q", tc.o, got, s.Notes)
		}
		if !reflect.DeepEqual(s.Options, tc.o) {
			t.Errorf("options %+v", s.Options)
		}
		if i, ok := s.IDs().Find("long"); ok {
			if it := item(t, s, i); it.Question != wholeQuestion || it.Candidates[0].Text != wholeA {
				t.Errorf("the whole conversation: %+v", it)
			}
		}
	}
	for _, row := range []string{battle(), mtVote()} {
		path := write(t, "x", row)
		_, err := openFileWith(path, OpenOptions{Turns: "last"})
		oneLine(t, err, path, `FILE: turns "last": it is one of first and all`)
	}
}

func TestOpenGroups(t *testing.T) {
	rows := []string{question(), question(with("question_id", 2), with("category", "math")), question(with("question_id", 3)), "{"}
	s := openWith(t, OpenOptions{Groups: []string{"math"}}, rows...)
	if s.Len() != 1 || s.ID(0) != "2" || strings.Join(s.Groups(), " ") != "math" || s.Skipped != 1 {
		t.Errorf("%d items, groups %q", s.Len(), s.Groups())
	}
	if it := item(t, s, 0); it.Line != 2 {
		t.Errorf("line %d", it.Line)
	}
	path := write(t, "rows.jsonl", lines(rows...))
	_, err := openFileWith(path, OpenOptions{Groups: []string{"art", "music"}})
	oneLine(t, err, path, "FILE: no item is of the group art or music; there are law, math")
}

func TestFromLines(t *testing.T) {
	two := [][]byte{[]byte(judgment()), []byte(judgment(with("id", "71@m")))}
	s, err := FromLines("stage", "judgment", two)
	if err != nil {
		t.Fatal(err)
	}
	clear(two[0]) // its memory is the caller's
	if s.Len() != 2 || s.Name != "stage" || s.Path != "" || s.Format != "judgment" || s.SHA256 != hexSum([]byte(lines(judgment(), judgment(with("id", "71@m"))))) {
		t.Errorf("%+v", s)
	}
	if it := item(t, s, 0); it.Answered.Question != "70" || it.Shape != Judgment {
		t.Errorf("%+v", it)
	}
	for name, tc := range map[string]struct {
		format string
		lines  []string
		want   string
	}{
		"no lines":       {"judgment", nil, "stage: the file is empty; expected " + Judgments.About},
		"no such format": {"judgement", nil, `stage: there is no format "judgement"`},
		"another format": {"judgment", []string{question()}, `stage:1: key "id" is missing (no usable line among 1; expected ` + Judgments.About + ")"},
		"an id twice":    {"judgment", []string{judgment(), judgment()}, `stage:2: duplicate id "70@m", first seen in line 1: remove one of the two lines`},
	} {
		t.Run(name, func(t *testing.T) {
			var in [][]byte
			for _, l := range tc.lines {
				in = append(in, []byte(l))
			}
			_, err := FromLines("stage", tc.format, in)
			oneLine(t, err, "FILE", tc.want)
		})
	}
}

// A judgment is written as it is read.
func TestJudgmentLine(t *testing.T) {
	line, err := json.Marshal(JudgmentLine{
		ID: "70@m", Category: "law", Source: "s", Prompt: "Which one?", Gold: Correct,
		Answered: Answered{Question: "70", Of: Choice, Agent: "m", Text: "(A)", Own: &Answer{"", false}},
	})
	want := `{"id":"70@m","category":"law","source":"s","question":"Which one?","gold":"Correct","question_id":"70","of":"choice","agent":"m","answer":"(A)","own":{"right":false}}`
	if err != nil || string(line) != want {
		t.Errorf("%s, %v; want %s", line, err, want)
	}
	it, err := Judgments.Parse(line)
	if err != nil || it.Gold != 0 || it.Question != "Which one?" || it.Answered.Question != "70" || it.Answered.Own == nil {
		t.Errorf("%+v, %v", it, err)
	}
}

// Many notes are counted and not all kept.
func TestManyNotes(t *testing.T) {
	var rows []string
	for i := range 50 {
		rows = append(rows, question(with("question_id", i), with("answer_index", 0)))
	}
	s := openWith(t, OpenOptions{}, rows...)
	if n := len(s.Notes); n != maxSkipped+1 || s.Notes[n-1] != "There are 30 more notes on items like these." || !strings.Contains(s.Notes[0], ":1: the answer is B, but answer_index is 0: the letter counts.") {
		t.Errorf("%d notes: %q", n, s.Notes)
	}
}

// No format takes rows of another.
func TestFormatsAreToldApart(t *testing.T) {
	for want, row := range map[string]string{
		"judgebench": pair("x"), "llmbar": llmBarPair(), "mmlu-pro": question(), "gsm8k": problem(), "gsm-symbolic": symbolicProblem(), "mt-bench": mtVote(), "chatbot-arena": battle(), "judgment": judgment(),
	} {
		for bad := range 3 { // bad rows before it change nothing
			s := openWith(t, OpenOptions{}, append(strings.Split(strings.Repeat("{}\n", bad), "\n"), row)...)
			if s.Format != want || s.Len() != 1 || s.Skipped != bad {
				t.Errorf("after %d bad rows a row of %s is taken for %s", bad, want, s.Format)
			}
		}
	}
}

// A format may put lines in any order, make several of a row, and give up.
func TestAssemble(t *testing.T) {
	before := Formats
	t.Cleanup(func() { Formats = before })
	fail := error(nil)
	words := Format{Name: "words", About: "rows with word", Keys: []string{"word"}, Parse: func(line []byte) (Item, error) {
		var r struct{ Word string }
		err := decode(line, &r)
		return Item{ID: r.Word, Group: "words"}, err
	}}
	words.Assemble = func(rows Rows) ([]string, error) {
		numbers, texts := []int{}, [][]byte{}
		for r := range rows.All {
			numbers, texts = append(numbers, r.Line), append(texts, bytes.Clone(r.Text))
		}
		for i, text := range slices.Backward(texts) {
			for _, end := range []string{"", "-again"} {
				rows.Emit(numbers[i], bytes.Replace(text, []byte(`"}`), []byte(end+`"}`), 1))
			}
		}
		return []string{"Turned."}, fail
	}
	Formats = append(before[:len(before):len(before)], words)
	content := lines(`{"word":"a"}`, "", `{"word":"b"}`)
	s := openWith(t, OpenOptions{}, strings.Split(content, "\n")...)
	var got []string
	for i := range s.Len() {
		it := item(t, s, i)
		got = append(got, fmt.Sprintf("%s of line %d", it.ID, it.Line))
	}
	if want := "b of line 3, b-again of line 3, a of line 1, a-again of line 1"; strings.Join(got, ", ") != want || strings.Join(s.Notes, "") != "Turned." {
		t.Errorf("got %q, notes %q, want %s", got, s.Notes, want)
	}
	s = openWith(t, OpenOptions{}, `{"word":"a"}`)
	if a, b := item(t, s, 0), item(t, s, 1); a.Line != 1 || b.Line != 1 {
		t.Errorf("two of one row have the lines %d and %d", a.Line, b.Line)
	}
	fail = errors.New("there is no sense in it")
	path := write(t, "words", content)
	_, err := OpenFile(path)
	oneLine(t, err, path, "FILE: there is no sense in it")
}
