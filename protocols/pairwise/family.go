package pairwise

import (
	"path"
	"slices"
	"strings"

	"gavel/judging"
)

// families are words in the names of models that one maker trained from the ground up. What others made of its weights
// under a name of their own is not told.
var families = []string{
	"gpt chatgpt o1 o3 o4 davinci",
	"claude",
	"llama llama2 llama3",
	"qwen qwen2 qwen3 qwq qvq",
	"gemini gemma palm bard",
	"mistral mixtral ministral magistral codestral devstral",
	"deepseek",
	"phi",
	"command aya",
	"glm chatglm",
	"vicuna",
	"alpaca",
	"falcon",
	"smollm smollm2 smollm3",
	"granite",
	"olmo tulu",
	"yi",
	"nemotron",
	"grok",
	"kimi",
}

// familyOf is which family a model's name has a word of, the first in the name; −1 where it is none's.
func familyOf(model string) int {
	name := strings.ToLower(path.Base(model))
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.:@ ", r) })
	for _, word := range words {
		i := slices.IndexFunc(families, func(family string) bool { return slices.Contains(strings.Fields(family), word) })
		if i >= 0 {
			return i
		}
	}
	return -1
}

// own tells of responses whether the judge's family wrote them.
type own struct {
	family int // of the judge
	named  bool
	differ bool // a pair has responses of two models
	told   bool // a pair has a response of the judge's family, and one that is not
}

// more is 1 where the first of two responses alone is by the judge's family, −1 where the second alone is.
func (o *own) more(of []judging.Response) float64 {
	if of[0].Model == "" || of[1].Model == "" {
		return 0
	}
	o.named = true
	o.differ = o.differ || of[0].Model != of[1].Model
	first := familyOf(of[0].Model) == o.family
	second := familyOf(of[1].Model) == o.family
	if o.family < 0 || first == second {
		return 0
	}
	o.told = true
	if first {
		return 1
	}
	return -1
}

// why says why it cannot be told whether the judge prefers what it wrote itself.
func (o *own) why() string {
	switch {
	case o.told:
		return ""
	case !o.named:
		return "the dataset does not say which models wrote the responses"
	case !o.differ:
		return "both responses of each pair are by one model"
	case o.family < 0:
		return "the name of the judge tells no family of models"
	}
	return "in no pair just one response is by a model of the judge's family"
}
