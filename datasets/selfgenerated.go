package datasets

import "errors"

// SelfGenerated is a self-generated answer, the key "own_answer" of a pair: what the judge that is to compare the
// responses has itself answered to the question. It is not published: a stage adds it (see judging).
type SelfGenerated struct {
	Text  *string `json:"text"`
	Value string  `json:"value,omitempty"` // the final answer, where one could be read
	Right *bool   `json:"right,omitempty"` // null where nobody can tell
}

// of gives a pair's item the judge's own answer to its question, where there is one.
func (o *SelfGenerated) of(it *Item) error {
	if o == nil {
		return nil
	}
	if o.Text == nil {
		return errors.New(`"own_answer" has no "text"`)
	}
	it.Answered = &Answered{Question: it.ID, Reference: *o.Text}
	if o.Right != nil {
		it.Answered.Own = &Answer{Value: o.Value, Right: *o.Right}
	}
	return nil
}
