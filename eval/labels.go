package eval

import "strings"

// labels are what forms call the fields. A field that is not here goes by its name.
var labels = map[string]string{
	"prompt": "Prompt", "limit": "Only the first items", "sample": "Items drawn at random", "seed": "Seed of what is drawn", "group": "Only one group",
	"turns": "Turns of a conversation", "agents": "Whose answers are judged", "own": "The judge's own answers", "unrelated": "Add an unrelated option",
	"max-options": "Most options of an item", "goal": "What is asked for", "orders": "Orders of the options", "mode": "Ways of asking", "marker": "What marks the answer",
	"self-reference": "Judge with its own answer at hand", "max-tokens": "Longest reply, in tokens", "num-ctx": "Context of Ollama, in tokens", "system-role": "Who says the system text",
	"accept-cut": "Count verdicts of replies that were cut", "think": "Thinking", "constrain": "Hold the verdict to the labels", "logprobs": "Ask how probable each label was",
	"repeat": "Ask each prompt so often", "canaries": "Prompts mixed in whose replies are known", "strict-determinism": "One request at a time, no prompt cache", "concurrency": "Items judged at once", "attempts": "Attempts at a verdict",
	"timeout": "Time limit of a call", "retry-for": "How long a failed call is tried again", "stop-on-alarm": "Stop when the first judgments say it is no use",
}

// Label is what forms call the field.
func (f Field) Label() string {
	if l, ok := labels[f.Name]; ok {
		return l
	}
	words := strings.ReplaceAll(f.Name, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
