package answer

import (
	"cmp"

	"gavel/scoring"
)

// Diagnose compares the accuracy of a model's own answers with guessing among the options.
func (f *answerScorer) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("answer"); ok {
		return d
	}
	chance := r.Overall(Chance).Value
	accuracy := r.Overall(scoring.GenerationAccuracy)
	if accuracy.Value == nil {
		return scoring.UnknownDiagnosis(scoring.CodeNoItems, "answer.nothing")
	}
	right, ok := accuracy.CompareWithThreshold(*cmp.Or(chance, new(0.0)))
	if !ok {
		return r.DiagnoseWithoutInterval("Correct", accuracy, "question")
	}
	if chance == nil { // numbers: a guess is hardly ever right
		return right.Diagnose("answer.number-", right)
	}
	prefix := "answer.choice-"
	if r.LabelsArePreferences {
		prefix = "answer.people-"
	}
	return right.Diagnose(prefix, right, *chance)
}
