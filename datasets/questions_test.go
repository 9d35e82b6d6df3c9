package datasets

import (
	"bytes"
	"strings"
	"testing"
)

func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		name, line string
		shape      Shape
		gold       int
		answer     string
		err        string
	}{
		{name: "a choice", line: `{"id":"q1","question":"2 + 2?","options":["4","5"],"gold":"B"}`, shape: Choice, gold: 1},
		{name: "a number, written as one", line: `{"id":7,"question":"2 + 2?","gold":4.50}`, shape: Number, gold: NoGold, answer: "4.50"},
		{name: "a number, written as text", line: `{"id":"7","question":"?","gold":"1,450,000"}`, shape: Number, gold: NoGold, answer: "1,450,000"},
		{name: "a preference", line: `{"id":"p","question":"Hi","response_a":"x","response_b":"y","model_a":"m","gold":"C"}`, shape: Preference, gold: 2},
		{name: "a preference that nobody stated", line: `{"id":"p","question":"","response_a":"","response_b":"","gold":null}`, shape: Preference, gold: NoGold},
		{name: "no id", line: `{"question":"?","gold":"4"}`, err: `"id" is missing`},
		{name: "an empty id", line: `{"id":"","question":"?","gold":"4"}`, err: `"id" is missing`},
		{name: "an id that is none", line: `{"id":["a"],"question":"?","gold":"4"}`, err: `"id" is missing`},
		{name: "no question", line: `{"id":"q","gold":"4"}`, err: `"question" is missing`},
		{name: "one option", line: `{"id":"q","question":"?","options":["4"],"gold":"A"}`, err: "1 options: a choice has from 2 to 26"},
		{name: "no options", line: `{"id":"q","question":"?","options":[],"gold":"A"}`, err: "0 options"},
		{name: "a letter too far", line: `{"id":"q","question":"?","options":["4","5"],"gold":"C"}`, err: `"gold" is "C": it is the letter of an option, from A to B`},
		{name: "a choice without gold", line: `{"id":"q","question":"?","options":["4","5"]}`, err: `"gold" is ""`},
		{name: "a number that is none", line: `{"id":"q","question":"?","gold":"four"}`, err: `"gold" is "four"`},
		{name: "a number that is not one", line: `{"id":"q","question":"?","gold":"NaN"}`, err: `"gold" is "NaN"`},
		{name: "a number without gold", line: `{"id":"q","question":"?"}`, err: `"gold" is ""`},
		{name: "one response", line: `{"id":"q","question":"?","response_a":"x","gold":"A"}`, err: "go together"},
		{name: "options and responses", line: `{"id":"q","question":"?","options":["x","y"],"response_a":"x","response_b":"y","gold":"A"}`, err: "one or the other"},
		{name: "a preference for a fourth", line: `{"id":"q","question":"?","response_a":"x","response_b":"y","gold":"D"}`, err: `"gold" is "D": it is A, B or C`},
		{name: "a preference for two", line: `{"id":"q","question":"?","response_a":"x","response_b":"y","gold":"AB"}`, err: `"gold" is "AB"`},
		{name: "not UTF-8", line: "{\"id\":\"q\",\"question\":\"\xff\",\"gold\":1}", err: "not UTF-8"},
		{name: "not an object", line: `["q"]`, err: "not a JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			it, err := parseQuestion([]byte(c.line))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if it.Shape != c.shape || it.Gold != c.gold || it.Answer != c.answer || it.ID == "" {
				t.Errorf("%+v", it)
			}
		})
	}
	it, err := parseQuestion([]byte(`{"id":"q","category":"sums","source":"mine","question":"2 + 2?","options":["4","5","6"],"gold":"A"}`))
	if err != nil || it.Group != "sums" || it.Source != "mine" || len(it.Candidates) != 3 || it.Candidates[2].ID != "C" || it.Candidates[2].Text != "6" {
		t.Errorf("%+v, %v", it, err)
	}
	it, err = parseQuestion([]byte(`{"id":"q","source":"mine","question":"?","response_a":"x","response_b":"y","model_a":"m","model_b":"n","gold":"B"}`))
	if err != nil || it.Group != "mine" || len(it.Candidates) != 3 || it.Candidates[0].Model != "m" || it.Candidates[1].Text != "y" || it.Candidates[1].Model != "n" {
		t.Errorf("%+v, %v", it, err)
	}
}

func FuzzParseQuestion(f *testing.F) {
	for _, s := range []string{
		`{"id":"q1","question":"?","options":["4","5"],"gold":"B"}`, `{"id":7,"question":"?","gold":4.5}`, `{"id":"p","question":"","response_a":"x","response_b":"y","gold":null}`,
		`{"id":1e3,"question":"?","gold":"1,450,000"}`, "null", "[1,2]", `{"id":1}`, "a,b", "{", "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		it, err := parseQuestion(line)
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\r\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		bad := it.ID == "" || it.Group == "" || it.Gold < NoGold || it.Gold >= len(it.Candidates) && it.Gold != NoGold
		switch it.Shape {
		case Choice:
			bad = bad || it.Gold == NoGold || len(it.Candidates) < 2
		case Number:
			bad = bad || it.Answer == "" || len(it.Candidates) > 0
		case Preference:
			bad = bad || len(it.Candidates) != 3
		default:
			bad = true
		}
		if bad {
			t.Errorf("not an item: %+v", it)
		}
	})
}
