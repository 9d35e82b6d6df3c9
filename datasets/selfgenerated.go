package datasets

import "errors"

// OwnAnswer holds the judge's own answer to the question of a pair, under the key "own_answer". No dataset has it:
// gavel adds it from a run in which the judge answered the questions.
type OwnAnswer struct {
	Text  *string `json:"text"`
	Value string  `json:"value,omitempty"` // the final answer, if one could be read
	// the judge's own metrics of a good response, questions about it; then text may be empty
	Metrics string `json:"metrics,omitempty"`
	Right   *bool  `json:"right,omitempty"` // whether the answer equals the correct response's; null: unknown
}

// setOwnAnswer sets the judge's own answer in a pair's item, if there is one.
func (o *OwnAnswer) setOwnAnswer(item *Item) error {
	if o == nil {
		return nil
	}
	if o.Text == nil {
		return errors.New(`"own_answer" has no "text"`)
	}
	item.Answered = &AgentAnswer{QuestionID: item.ID, Reference: *o.Text, Metrics: o.Metrics}
	if o.Right != nil {
		item.Answered.Own = &Answer{Value: o.Value, Right: *o.Right}
	}
	return nil
}
