package datasets

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"gavel/datasets/references"
)

// Digest identifies the item by its id, texts and label, whatever its file, its format and its group are called. The
// judge's own answer is left out: each judge has another.
func (it Item) Digest() uint64 {
	if i, ok := references.LLMBar().Index(it.ID); ok && it.Source == LLMBar.Name && it.Question == Unpublished(it.ID) {
		return references.Digest(i)
	}
	candidates := slices.Clone(it.Candidates)
	for i := range candidates {
		candidates[i].Model = ""
	}
	answered := cmp.Or(it.Answered, &Answered{})
	raw, err := json.Marshal([]any{
		it.ID, it.Shape, it.Question, candidates, it.GoldID(), answered.Agent, answered.Text,
	})
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	sum := sha256.Sum256(raw)
	return binary.BigEndian.Uint64(sum[:])
}

// Unpublished stands for the question of a pair of LLMBar of which gavel has published verdicts alone.
func Unpublished(id string) string { return "LLMBar " + id }
