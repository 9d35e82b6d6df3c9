package checks

import (
	"strings"

	"gavel/datasets"
	"gavel/scoring"
)

// identityOf returns what identifies the judge of a run and its items, by name. KEY=VALUE parts of the model's
// identity, such as template=872be4, have names of their own.
func identityOf(run *scoring.Run) map[string]string {
	parts := map[string]string{"items": shortSum(string(run.ItemSet()))}
	for _, d := range scoring.JudgeMetadata(run.Manifest) {
		parts[d.Name] = d.Value
		for word := range strings.FieldsSeq(parts["identity"]) {
			if name, value, ok := strings.Cut(word, "="); ok {
				parts[name] = value
				delete(parts, "identity")
			}
		}
	}
	return parts
}

// shortSum returns the beginning of the SHA-256 of a text.
func shortSum(text string) string { return datasets.HexSum([]byte(text))[:12] }
