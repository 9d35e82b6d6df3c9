package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// LLMBarFormat reads the pairs of LLMBar (arXiv 2310.07641): an instruction, two outputs, and the better one (1 or 2).
//
// Its rows have no id. An item's id is "SUBSET#INDEX" with the index from 0, added to the line as the key "id". Only
// the path tells the subset (Natural/dataset.json, llmbar-natural.json); the subset is the group.
var LLMBarFormat = newFormat("llmbar", Format{
	Parse: parser((*llmBarRow).item),
	Assemble: func(rows FileRows) ([]string, error) {
		return addKeyToRows(rows, "id", func(row int) any { return LLMBarID(cmp.Or(LLMBarSubset(rows.Path), llmBar), row) })
	},
})

const llmBar = "LLMBar"

// LLMBarSubsets lists the subsets of the paper.
var LLMBarSubsets = strings.Fields(
	"Natural Adversarial/Neighbor Adversarial/GPTInst Adversarial/GPTOut Adversarial/Manual",
)

// LLMBarID returns the id of a subset's row, counted from 0.
func LLMBarID(subset string, row int) string { return fmt.Sprintf("%s#%d", subset, row) }

// pathElements splits a path as of any system.
func pathElements(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
}

// LLMBarSubset returns the subset that a file's name or one of its folders tells; "": none.
func LLMBarSubset(path string) string {
	for _, name := range slices.Backward(pathElements(path)) {
		name = strings.ToLower(name)
		name = strings.TrimPrefix(strings.TrimSuffix(name, extension(name)), "llmbar-")
		for _, s := range LLMBarSubsets {
			if strings.ToLower(s[strings.Index(s, "/")+1:]) == name {
				return s
			}
		}
	}
	return ""
}

type llmBarRow struct {
	Input  *string       `json:"input" must:"be"`
	First  *string       `json:"output_1" must:"be"`
	Second *string       `json:"output_2" must:"be"`
	Label  *int          `json:"label" must:"be"`
	ID     *textOrNumber `json:"id" must:"id"`

	Own *OwnAnswer `json:"own_answer"`
}

func (r *llmBarRow) item() (Item, error) {
	if *r.Label != 1 && *r.Label != 2 {
		return Item{}, fmt.Errorf("label %d is neither 1 nor 2", *r.Label)
	}
	subset, _, ok := strings.Cut(string(*r.ID), "#")
	if !ok || subset == "" {
		subset = llmBar
	}
	item := Item{
		ID: string(*r.ID), Shape: ShapePair, Source: "llmbar", Group: subset, Question: *r.Input,
		Candidates: lettered(*r.First, *r.Second),
		Gold:       *r.Label - 1,
	}
	return item, r.Own.setOwnAnswer(&item)
}
