package datasets

import (
	"cmp"
	"encoding/json"
	"slices"

	"gavel/datasets/references"
)

// Digest identifies the item by its id, texts and label, independent of file, format and group. It ignores the judge's
// own answer, since each judge has another.
func (item Item) Digest() uint64 {
	if i, ok := references.LLMBar().ItemIndex(item.ID); ok &&
		item.Source == LLMBarFormat.Name && item.Question == QuestionPlaceholder(item.ID) {
		return references.LLMBarDigest(i)
	}
	candidates := slices.Clone(item.Candidates)
	for i := range candidates {
		candidates[i].Model = ""
	}
	answered := cmp.Or(item.Answered, &AgentAnswer{})
	fields := []any{item.ID, item.Shape, item.Question, candidates, item.GoldID(), answered.Agent, answered.Text}
	if item.People != nil && len(item.People.Scores) > 0 {
		fields = append(fields, item.People)
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err) // only strings and numbers: cannot happen
	}
	return hash("%s", raw)
}

// QuestionPlaceholder returns the text that stands for the question of an LLMBar pair, by its id, in runs made of the
// published verdicts that gavel ships without the pairs' texts.
func QuestionPlaceholder(id string) string { return "LLMBar " + id }
