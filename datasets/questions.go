package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Questions is gavel's own format for questions of any other origin: one JSON object a line with id, question and gold.
// With options it is a choice and gold a letter; with response_a and response_b a preference and gold A, B or C (a
// tie), or null where nobody said; else gold is a number. category and source are as elsewhere.
var Questions = Format{
	Name:  "questions",
	About: "JSON lines with id, question, gold and, where there are any, options or response_a and response_b",
	Keys:  []string{"id", "question", "gold"},
	Parse: parseQuestion,
}

type questionLine struct {
	ID        json.RawMessage `json:"id"`
	Category  string          `json:"category,omitempty"`
	Source    string          `json:"source,omitempty"`
	Question  *string         `json:"question" must:"be"`
	Options   []string        `json:"options,omitempty"`
	ResponseA *string         `json:"response_a,omitempty"`
	ResponseB *string         `json:"response_b,omitempty"`
	ModelA    string          `json:"model_a,omitempty"`
	ModelB    string          `json:"model_b,omitempty"`
	Gold      json.RawMessage `json:"gold"`
}

var parseQuestion = parser((*questionLine).item)

func (q *questionLine) item() (Item, error) {
	it := Item{ID: Scalar(q.ID), Source: q.Source, Group: q.Category, Gold: NoGold}
	if it.Group == "" {
		it.Group = category(q.Source)
	}
	switch {
	case it.ID == "":
		return Item{}, errors.New(`key "id" is missing or empty`)
	case (q.ResponseA == nil) != (q.ResponseB == nil):
		return Item{}, errors.New(`"response_a" and "response_b" go together`)
	case q.Options != nil && q.ResponseA != nil:
		return Item{}, errors.New(`"options" and "response_a": a question has one or the other`)
	}
	it.Question = *q.Question
	gold := Scalar(q.Gold)
	var err error
	switch {
	case q.Options != nil:
		err = it.choice(q.Options, gold)
	case q.ResponseA != nil:
		err = it.preference(q, gold)
	default:
		it.Shape, it.Answer = Number, gold
		if _, bad := strconv.ParseFloat(strings.ReplaceAll(gold, ",", ""), 64); bad != nil ||
			strings.ContainsAny(gold, "xXnN_") {
			// no 0x1p3, no NaN
			err = fmt.Errorf(`"gold" is %q: a question without options has a number for an answer`, gold)
		}
	}
	return it, err
}

func (it *Item) choice(options []string, gold string) error {
	it.Shape = Choice
	if len(options) < 2 || len(options) > maxOptions {
		return fmt.Errorf("%d options: a choice has from 2 to %d", len(options), maxOptions)
	}
	it.Candidates = lettered(options...)
	it.Gold = it.candidate(gold)
	if it.Gold < 0 {
		return fmt.Errorf(`"gold" is %q: it is the letter of an option, from A to %c`, gold, 'A'+len(options)-1)
	}
	return nil
}

func (it *Item) preference(q *questionLine, gold string) error {
	it.Shape = Preference
	it.Candidates = preferred(q.ModelA, *q.ResponseA, q.ModelB, *q.ResponseB)
	it.Gold = it.candidate(gold)
	if it.Gold < 0 && gold != "" {
		return fmt.Errorf(`"gold" is %q: it is A, B or C, a tie`, gold)
	}
	return nil
}

// Scalar is an id or a number as a file has it, which write them with quotes or
// without; "" for anything else, and for null.
func Scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
