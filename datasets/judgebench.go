package datasets

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// JudgeBenchFormat reads the pair file of JudgeBench (arXiv 2410.12784): one JSON object per line with pair_id,
// original_id, source, question, response_model, response_A, response_B and label ("A>B" or "B>A"). Its output files
// add judge_name and judgments to the same lines, and can be read as pair files too.
var JudgeBenchFormat = newFormat("judgebench", Format{
	Parse: parsePair,
})

// noLabel is the label of a pair without a preferred response, in files that gavel writes.
const noLabel = "none"

// pairLabels lists the labels of a pair: A is better, B is better, none.
var pairLabels = []string{"A>B", "B>A", noLabel}

// pairLine holds the keys of a JudgeBench line that gavel uses.
type pairLine struct {
	PairID        *string `json:"pair_id" must:"id"`
	Source        string  `json:"source,omitempty"`
	Question      *string `json:"question" must:"be"`
	ResponseModel string  `json:"response_model,omitempty"`
	ModelA        string  `json:"model_A,omitempty"` // instead of response_model, for two different models
	ModelB        string  `json:"model_B,omitempty"`
	ResponseA     *string `json:"response_A" must:"be"`
	ResponseB     *string `json:"response_B" must:"be"`
	Label         *string `json:"label" must:"be"`
	Reference     string  `json:"reference,omitempty"` // a right answer, in users' own files

	Own *OwnAnswer `json:"own_answer,omitempty"` // the judge's own answer, added by gavel
}

var parsePair = parser((*pairLine).item)

func (p *pairLine) item() (Item, error) {
	gold := slices.Index(pairLabels, *p.Label)
	if gold < 0 {
		return Item{}, fmt.Errorf("label %q is neither \"A>B\" nor \"B>A\"", *p.Label)
	}
	if *p.Label == noLabel {
		gold = NoGold
	}
	item := Item{
		ID:         *p.PairID,
		Shape:      ShapePair,
		Source:     p.Source,
		Group:      category(p.Source),
		Question:   *p.Question,
		Candidates: lettered(*p.ResponseA, *p.ResponseB),
		Gold:       gold,
		Reference:  p.Reference,
	}
	item.Candidates[0].Model = cmp.Or(p.ModelA, p.ResponseModel)
	item.Candidates[1].Model = cmp.Or(p.ModelB, p.ResponseModel)
	return item, p.Own.setOwnAnswer(&item)
}

// categories maps the prefixes of JudgeBench's sources to the four categories of its paper (Table 1).
var categories = []struct{ prefix, category string }{
	{"mmlu-pro", "Knowledge"},
	{"livebench-reasoning", "Reasoning"},
	{"livebench-math", "Math"},
	{"livecodebench", "Coding"},
}

// category returns the group of a source: JudgeBench's category for its own sources, else the source itself.
func category(source string) string {
	for _, c := range categories {
		if strings.HasPrefix(source, c.prefix) {
			return c.category
		}
	}
	if source == "" {
		return "(no source)"
	}
	return strings.TrimPrefix(source, SourceVicuna)
}

// CompareGroups compares groups: first JudgeBench's four in the paper's order, then the rest by name. Numbers in names
// compare by value: "10 options" comes after "2 options".
func CompareGroups(a, b string) int {
	if a == b { // names may be long, and are mostly equal
		return 0
	}
	return cmp.Or(
		categoryRank(a)-categoryRank(b),
		strings.Compare(padNumbers(a), padNumbers(b)),
		strings.Compare(a, b), // "2" and "02"
	)
}

var digits = regexp.MustCompile(`[0-9]+`)

// padNumbers pads the numbers in a name with zeros to 20 digits.
func padNumbers(name string) string {
	if !strings.ContainsAny(name, "0123456789") {
		return name
	}
	return digits.ReplaceAllStringFunc(name, func(number string) string {
		return strings.Repeat("0", max(0, 20-len(number))) + number
	})
}

// categoryRank returns the place of a group among JudgeBench's categories, from 0; after them for any other.
func categoryRank(group string) int {
	for i, c := range categories {
		if c.category == group {
			return i
		}
	}
	return len(categories)
}
