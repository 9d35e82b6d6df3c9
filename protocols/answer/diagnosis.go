package answer

import "gavel/scoring"

// Diagnose says how well a model answers by itself, which is what chance is held against.
func (f *answers) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, found := r.Silence("answer"); found {
		return d
	}
	chance := 0.0
	if x := r.Overall(Chance); x.Value != nil {
		chance = *x.Value
	}
	right, ok := r.Overall(scoring.GenerationAccuracy).Held(chance)
	if !ok {
		return scoring.Diagnosis{Level: scoring.Unknown, Code: scoring.CodeNothing, Text: "No question with a label has been answered.", Evidence: []scoring.Evidence{}}
	}
	return right.Diagnose(map[string]string{
		"":                   "Answers %s of questions right (chance %.0f).",
		scoring.CodeInverted: "Right less often than chance: %s, chance %.0f. Are the labels those of these options?",
		scoring.CodeFew:      "Too few questions to tell it from chance: right on %s, chance %.0f.",
		scoring.CodeChance:   "No better than chance: right on %s, chance %.0f.",
	}, right, chance)
}
