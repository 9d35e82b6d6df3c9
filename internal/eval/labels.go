package eval

import (
	"strings"

	"gavel/judging"
)

// labels are what forms call the fields that all protocols share; options have theirs in their protocol.
var labels = map[string]string{
	"prompt":             "Prompt",
	"limit":              "Only the first items",
	"sample":             "Items drawn at random",
	"seed":               "Seed of what is drawn",
	"group":              "Only one group",
	"turns":              "Turns of a conversation",
	"agents":             "Whose answers are judged",
	"own":                "The judge's own answers",
	"unrelated":          "Add an unrelated option",
	"max-options":        "Most options of an item",
	"max-tokens":         "Longest reply, in tokens",
	"num-ctx":            "Context of Ollama, in tokens",
	"system-role":        "Who says the system text",
	"accept-cut":         "Count verdicts of replies that were cut",
	"think":              "Thinking",
	"constrain":          "Hold the verdict to the labels",
	"logprobs":           "Ask how probable each label was",
	"repeat":             "Ask each prompt so often",
	"think-budget":       "Tokens of thinking at most",
	"finish-thinking":    "Ask for the verdict after thinking that was cut",
	"strict-determinism": "One request at a time, no prompt cache",
	"concurrency":        "Items judged at once",
	"attempts":           "Attempts at a verdict",
	"timeout":            "Time limit of a call",
	"retry-for":          "How long a failed call is tried again",
	"ask-again":          "Ask again where there is no verdict",
	"stop-on-alarm":      "Stop when the first judgments say it is no use",
}

// Label is what forms call the field.
func (f Field) Label() string {
	if l := labels[f.Name]; l != "" {
		return l
	}
	for _, p := range judging.Protocols() {
		for _, o := range p.Options {
			if o.Name == f.Name && o.Label != "" {
				return o.Label
			}
		}
	}
	words := strings.ReplaceAll(f.Name, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
