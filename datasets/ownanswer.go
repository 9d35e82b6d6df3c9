package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
)

// OwnAnswer is the key "own_answer" of a pair: what the judge that is to compare
// the responses has itself answered to the question. It is not published: a
// stage adds it (see judging).
type OwnAnswer struct {
	Text  *string `json:"text"`
	Value string  `json:"value,omitempty"` // the final answer, where one could be read
	Right *bool   `json:"right,omitempty"` // null where nobody can tell
}

var ownAnswerKey = []byte(`"own_answer"`)

// withOwnAnswer reads the key, where a pair's line has it.
func withOwnAnswer(it Item, line []byte) (Item, error) {
	if !bytes.Contains(line, ownAnswerKey) { // quoted inside a text it is escaped
		return it, nil
	}
	var keys struct {
		Own *OwnAnswer `json:"own_answer"`
	}
	if err := json.Unmarshal(line, &keys); err != nil {
		return Item{}, describe(line, err)
	}
	if keys.Own == nil {
		return it, nil
	}
	if keys.Own.Text == nil {
		return Item{}, errors.New(`"own_answer" has no "text"`)
	}
	it.Answered = &Answered{Question: it.ID, Reference: *keys.Own.Text}
	if keys.Own.Right != nil {
		it.Answered.Own = &Answer{Value: keys.Own.Value, Right: *keys.Own.Right}
	}
	return it, nil
}
