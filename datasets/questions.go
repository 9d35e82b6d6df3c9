package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// QuestionsFormat reads gavel's own format for questions of any origin: one JSON object per line with id, question and
// gold. With options it is a choice and gold a letter. With response_a and response_b it is a preference and gold A, B
// or C (a tie), or null if unknown. Otherwise gold is a number. category is the item's group, source its origin.
var QuestionsFormat = newFormat("questions", Format{
	Parse: parser((*questionLine).item),
})

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

func (q *questionLine) item() (Item, error) {
	item := Item{ID: ScalarText(q.ID), Source: q.Source, Group: cmp.Or(q.Category, category(q.Source)), Gold: NoGold}
	switch {
	case item.ID == "":
		return Item{}, errors.New(`key "id" is missing or empty`)
	case (q.ResponseA == nil) != (q.ResponseB == nil):
		return Item{}, errors.New(`"response_a" and "response_b" go together`)
	case q.Options != nil && q.ResponseA != nil:
		return Item{}, errors.New(`"options" and "response_a": a question has only one of them`)
	}
	item.Question = *q.Question
	gold := ScalarText(q.Gold)
	var err error
	switch {
	case q.Options != nil:
		err = item.setChoice(q.Options, gold)
	case q.ResponseA != nil:
		err = item.setPreference(q, gold)
	default:
		item.Shape, item.Answer = ShapeNumber, gold
		if _, bad := strconv.ParseFloat(strings.ReplaceAll(gold, ",", ""), 64); bad != nil ||
			strings.ContainsAny(gold, "xXnN_") {
			// no 0x1p3, no NaN
			err = fmt.Errorf(`"gold" is %q: a question without options or responses needs a number; `+
				"--field names the columns of others", gold)
		}
	}
	return item, err
}

func (item *Item) setChoice(options []string, gold string) error {
	item.Shape = ShapeChoice
	if len(options) < 2 || len(options) > maxOptions {
		return fmt.Errorf("%d options: a choice has from 2 to %d", len(options), maxOptions)
	}
	item.Candidates = lettered(options...)
	item.Gold = item.candidateIndex(gold)
	if item.Gold < 0 {
		return fmt.Errorf(`"gold" is %q: use the letter of an option, A to %c`, gold, 'A'+len(options)-1)
	}
	return nil
}

func (item *Item) setPreference(q *questionLine, gold string) error {
	item.Shape = ShapePreference
	item.Candidates = preferenceCandidates(q.ModelA, *q.ResponseA, q.ModelB, *q.ResponseB)
	item.Gold = item.candidateIndex(gold)
	if item.Gold < 0 && gold != "" {
		return fmt.Errorf(`"gold" is %q: use A, B or C (a tie)`, gold)
	}
	return nil
}

// ScalarText returns the text of a JSON string or number, since files have ids and numbers with or without quotes; ""
// for null and any other value.
func ScalarText(raw json.RawMessage) string {
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
