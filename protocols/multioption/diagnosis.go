package multioption

import (
	"cmp"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// Diagnose returns the level of a judge of several options: first by whether it chooses a position, then by how often
// its choice is right or, for items without a label, by how often the choice stays the same in every order.
func (c *multiOptionScorer) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	if d, ok := diagnosePositionBias(r); ok {
		return d
	}
	if d, ok := diagnoseAccuracy(r); ok {
		return d
	}
	grade, same := r.Overall(GradeScore+overRandomSuffix), r.Overall(sameChoiceRate)
	if grade.Value == nil || same.Value == nil {
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "options.few")
	}
	over, ok := grade.CompareWithThreshold(0)
	if !ok {
		return scoring.UnknownDiagnosis(
			scoring.CodeTooFewItems, "options.grade-no-interval", scoring.WithoutNegativeZero(*grade.Value, 2),
		)
	}
	d := scoring.Diagnosis{Level: scoring.LevelUnusable, Evidence: []scoring.Evidence{over}}
	if !over.AboveThreshold {
		d.Code = scoring.CodeChance
		if over.BelowThreshold {
			d.Code = scoring.CodePosition
		}
		d.Text = phrases.Sentence("options.grade-"+d.Code, over)
		return d
	}
	d.Also = phrases.Sentence("options.unlabelled") + samePositionSentence(r)
	d.Level = scoring.LevelWeak
	d.Code = scoring.CodeWeakJudge
	d.Text = phrases.Sentence("options.changes", scoring.Percentage(100-*same.Value))
	if over.Low > 0.5 {
		d.Level = scoring.LevelUsable
		d.Code = scoring.CodeUsableJudge
		d.Text = phrases.Sentence("options.stays", scoring.Percentage(*same.Value))
	}
	return d
}

// diagnoseAccuracy returns the diagnosis by how often the choice is right: over all orders compared with chance, and in
// every order for the level. applies is false without labels.
func diagnoseAccuracy(r *scoring.Report) (d scoring.Diagnosis, applies bool) {
	chance := *cmp.Or(r.Overall(judgmentAccuracy+RandomJudgeSuffix).Value, new(0.0))
	accuracy := r.Overall(judgmentAccuracy)
	if accuracy.Value == nil {
		return d, false
	}
	right, ok := accuracy.CompareWithThreshold(chance)
	if !ok {
		return r.DiagnoseWithoutInterval("Correct", accuracy, "item"), true
	}
	d.Evidence = []scoring.Evidence{right}
	d.Level, d.Code = right.CompareWithChance(right.High >= scoring.UsableFrom)
	if d.Code != "" {
		d.Text = phrases.Sentence("options.correct-"+d.Code, right, chance)
		return d, true
	}
	strict, ok := r.Overall(rightInAllOrders).CompareWithThreshold(scoring.UsableFrom)
	if !ok {
		return r.DiagnoseWithoutInterval("Correct in every order", r.Overall(rightInAllOrders), "item"), true
	}
	d.Evidence = []scoring.Evidence{strict, right}
	same, hasInterval := r.Overall(sameChoiceRate).CompareWithThreshold(100)
	if hasInterval {
		d.Evidence = append(d.Evidence, same)
	}
	reliable := true
	whenConsistent, hasConsistent := accuracyWhenConsistent(r, chance)
	if hasConsistent {
		d.Evidence = append(d.Evidence, whenConsistent)
		reliable = whenConsistent.AboveThreshold
	}
	d.Level, d.Code = strict.LevelAboveChance(reliable)
	d.Also = phrases.Sentence("options.numbers", scoring.Percentage(strict.Value), phrases.CountWithNoun(strict.N, "item"),
		scoring.Percentage(right.Value), scoring.Percentage(chance)) + samePositionSentence(r)
	switch {
	case !hasConsistent:
		d.Text = phrases.Sentence("options.better-only", right, chance, strict, same.Value)
	case same.Value > minSameChoice && same.Low > minSameChoiceLower && d.Level != scoring.LevelWeak:
		d.Text = phrases.Sentence("options.one-order", scoring.Percentage(right.Value))
	case d.Level == scoring.LevelWeak && whenConsistent.Value <= scoring.LeastConsistentAccuracy:
		d.Text = phrases.Sentence("options.weak", scoring.Percentage(whenConsistent.Value))
	default:
		total := r.BreakdownOf(scoring.Overall).N
		d.Text = phrases.Sentence("options.keep", scoring.Percentage(whenConsistent.Value),
			scoring.Percentage(100*float64(whenConsistent.N)/float64(total)))
	}
	return d, true
}

// Percentages of items with the same choice in every order for gavel to advise that one order is enough: the value must
// exceed minSameChoice, and the lower end of its interval minSameChoiceLower.
const (
	minSameChoice      = 98
	minSameChoiceLower = 90
)

// samePositionSentence returns a sentence with the number of items on which the judge names one position in
// every order; "" for none.
func samePositionSentence(r *scoring.Report) string {
	b := r.BreakdownOf(scoring.Overall)
	n := b.Count(OutcomeSamePosition)
	if n == 0 {
		return ""
	}
	return " " + phrases.Sentence("options.same-position", n, phrases.CountWithNoun(b.N, "item"))
}

// accuracyWhenConsistent returns how often the choices that are the same in every order are right, compared with a
// third of the way from chance to perfect. ok is false if there are no such choices on items with a label.
func accuracyWhenConsistent(r *scoring.Report, chance float64) (e scoring.Evidence, ok bool) {
	b := r.BreakdownOf(scoring.Overall)
	right := float64(b.Count(OutcomeRight))
	total := right + float64(b.Count(OutcomeWrong))
	if total == 0 {
		return e, false
	}
	return scoring.ShareEvidence("right-where-same", right, total, max(scoring.UsableFrom, chance+(100-chance)/3)), true
}

// diagnosePositionBias returns the diagnosis of a judge that mostly chooses the first or the last position, whatever
// option is there; applies is false for other judges.
func diagnosePositionBias(r *scoring.Report) (d scoring.Diagnosis, applies bool) {
	var first, last, n float64
	for _, g := range r.Groups() {
		options, ok := strings.CutSuffix(g, " options")
		x, y := r.Result("place-1", g, ""), r.Result("place-"+options, g, "")
		if !ok || x.Value == nil || y.Value == nil {
			continue
		}
		first += *x.Value / 100 * float64(x.N)
		last += *y.Value / 100 * float64(y.N)
		n += float64(x.N)
	}
	if n == 0 {
		return d, false
	}
	position, share := "first", first/n
	if last > first {
		position, share = "last", last/n
	}
	units := min(n, max(1, float64(r.Items)))
	e := scoring.ShareEvidence("place-"+position, share*units, units, scoring.MaxOnePositionPercent)
	text := phrases.Sentence("options.position", position, e)
	if share == 1 {
		text = phrases.Sentence("options.always-position", position, n)
	}
	return e.DiagnoseUnusableJudge(scoring.CodePosition, text)
}
