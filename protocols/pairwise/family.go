package pairwise

import (
	"path"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
)

// modelFamilies lists words in the names of models, a line for each maker's models that were trained from scratch.
// Derived models under other names are not recognized.
var modelFamilies = strings.Split(`gpt chatgpt o1 o3 o4 davinci
claude
llama llama2 llama3
qwen qwen2 qwen3 qwq qvq
gemini gemma palm bard
mistral mixtral ministral magistral codestral devstral
deepseek
phi
command aya
glm chatglm
vicuna
alpaca
falcon
smollm smollm2 smollm3
granite
olmo tulu
yi
nemotron
grok
kimi`, "\n")

// familyOf returns the index of the first family that a word of the model's name belongs to, or −1.
func familyOf(model string) int {
	name := strings.ToLower(path.Base(model))
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.:@ ", r) })
	for _, word := range words {
		for i, family := range modelFamilies {
			if slices.Contains(strings.Fields(family), word) {
				return i
			}
		}
	}
	return -1
}

// familyFeature compares responses by whether a model of the judge's own family (the models of one maker) wrote them.
type familyFeature struct {
	family       int  // index of the judge's family in families; −1 if unknown
	hasModels    bool // a pair names the models of its responses
	hasTwoModels bool // a pair has responses of two models
	hasContrast  bool // a pair has one response of the judge's family and one of another family
}

// difference returns 1 if only the first of two responses is by the judge's family, −1 if only the second is, 0
// otherwise.
func (o *familyFeature) difference(responses []judging.Candidate) float64 {
	if responses[0].Model == "" || responses[1].Model == "" {
		return 0
	}
	o.hasModels = true
	o.hasTwoModels = o.hasTwoModels || responses[0].Model != responses[1].Model
	first := familyOf(responses[0].Model) == o.family
	second := familyOf(responses[1].Model) == o.family
	if o.family < 0 || first == second {
		return 0
	}
	o.hasContrast = true
	if first {
		return 1
	}
	return -1
}

// unmeasurableReason explains why the judge's preference for its family's responses cannot be measured; "" if it can.
func (o *familyFeature) unmeasurableReason() string {
	switch {
	case o.hasContrast:
		return ""
	case !o.hasModels:
		return phrases.Sentence("family.no-models")
	case !o.hasTwoModels:
		return phrases.Sentence("family.one-model")
	case o.family < 0:
		return phrases.Sentence("family.unknown")
	}
	return phrases.Sentence("family.no-contrast")
}
