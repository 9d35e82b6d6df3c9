package answer

import (
	"cmp"

	"gavel/scoring"
)

// Diagnose rates a model's own answers against chance.
func (f *answers) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("answer"); ok {
		return d
	}
	chance := r.Overall(Chance).Value
	accuracy := r.Overall(scoring.GenerationAccuracy)
	if accuracy.Value == nil {
		return scoring.UnknownDiagnosis(scoring.CodeNothing, "No question with a label has been answered.")
	}
	right, ok := accuracy.Against(*cmp.Or(chance, new(0.0)))
	if !ok {
		return r.DiagnoseWithoutInterval("Right on", accuracy, "question")
	}
	if chance == nil { // numbers: a guess is hardly ever right
		return right.Diagnose(map[string]string{
			"":                 "Answers %s of questions right.",
			scoring.CodeFew:    "Too few questions to say how many it answers right: %s.",
			scoring.CodeChance: "Answers next to none right: %s.",
		}, right)
	}
	better := "Answers %s of questions right (chance %.0f)."
	if r.Preferences {
		better = "Agrees with people on %s of pairs (chance %.0f)."
	}
	return right.Diagnose(map[string]string{
		"":                   better,
		scoring.CodeInverted: "Right less often than chance: %s, chance %.0f. Check whether the labels are of these options.",
		scoring.CodeFew:      "Too few questions to tell it from chance: right on %s, chance %.0f.",
		scoring.CodeChance:   "No better than chance: right on %s, chance %.0f.",
	}, right, *chance)
}
