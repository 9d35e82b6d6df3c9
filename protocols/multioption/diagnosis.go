package multioption

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Diagnose returns the level of a judge of several options: first by whether it follows the position, then by how often
// it is right or, for items without a label, by how consistent its choice is.
func (c *choices) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	if d, ok := byPosition(r); ok {
		return d
	}
	if d, ok := byRight(r); ok {
		return d
	}
	grade, same := r.Overall(GradeScore+overRandom), r.Overall(sameChoice)
	if grade.Value == nil || same.Value == nil {
		return scoring.UnknownDiagnosis(scoring.CodeFew, "No item has a verdict in every order.")
	}
	over, ok := grade.Against(0)
	if !ok {
		return scoring.UnknownDiagnosis(scoring.CodeFew,
			"Grade score %.2f of the way from random to perfect: there is no interval to say what that is worth.",
			scoring.Unsigned(*grade.Value, 2))
	}
	d := scoring.Diagnosis{Level: scoring.Unusable, Evidence: []scoring.Evidence{over}}
	if !over.Above {
		d.Code = scoring.CodeChance
		text := "No steadier than a random judge"
		if over.Below {
			d.Code = scoring.CodePosition
			text = "Goes by the position more than a random judge does"
		}
		d.Text = fmt.Sprintf("%s: Grade score %s of the way from random to perfect.", text, over)
		return d
	}
	d.Also = "Whether it chooses well is not known, since these items have no right option." + byPlace(r)
	d.Level = scoring.Weak
	d.Code = scoring.CodeWeak
	d.Text = fmt.Sprintf("Its choice changes with the order on %s of items.", scoring.Percentage(100-*same.Value))
	if over.Low > 0.5 {
		d.Level = scoring.Usable
		d.Code = scoring.CodeUsable
		d.Text = fmt.Sprintf("It goes by content: it keeps its choice in every order on %s of items.",
			scoring.Percentage(*same.Value))
	}
	return d
}

// byRight diagnoses by how often the choice is right: over all orders compared with chance, and in every order for the
// level.
func byRight(r *scoring.Report) (d scoring.Diagnosis, applies bool) {
	chance := *cmp.Or(r.Overall(optionAccuracy+RandomSuffix).Value, new(0.0))
	accuracy := r.Overall(optionAccuracy)
	if accuracy.Value == nil {
		return d, false
	}
	right, ok := accuracy.Against(chance)
	if !ok {
		return r.DiagnoseWithoutInterval("Right on", accuracy, "item"), true
	}
	d.Evidence = []scoring.Evidence{right}
	d.Level, d.Code = right.Chance(right.High >= scoring.UsableFrom)
	if d.Code != "" {
		d.Text = fmt.Sprintf(map[string]string{
			scoring.CodeInverted: "Right less often than chance: %s of choices, chance %.0f. Check whether the goal is inverted.",
			scoring.CodeFew:      "Too few items to tell it from chance: right in %s of choices, chance %.0f.",
			scoring.CodeChance:   "No better than chance: right in %s of choices, chance %.0f.",
		}[d.Code], right, chance)
		return d, true
	}
	strict, ok := r.Overall(everyRight).Against(scoring.UsableFrom)
	if !ok {
		return r.DiagnoseWithoutInterval("Correct in every order on", r.Overall(everyRight), "item"), true
	}
	d.Evidence = []scoring.Evidence{strict, right}
	same, hasInterval := r.Overall(sameChoice).Against(100)
	if hasInterval {
		d.Evidence = append(d.Evidence, same)
	}
	reliable := true
	whenConsistent, hasConsistent := accuracyWhenConsistent(r, chance)
	if hasConsistent {
		d.Evidence = append(d.Evidence, whenConsistent)
		reliable = whenConsistent.Above
	}
	d.Level, d.Code = strict.Rank(reliable)
	d.Also = fmt.Sprintf("Correct in every order on %s of %s. "+
		"Over all orders it is right on %s of choices; by chance %s.%s",
		scoring.Percentage(strict.Value), table.Count(strict.N, "item"), scoring.Percentage(right.Value),
		scoring.Percentage(chance), byPlace(r))
	switch {
	case !hasConsistent:
		d.Text = fmt.Sprintf("Better than chance, but correct in every order on only %s of items, in %s of choices "+
			"(chance %.0f); in %.0f %% of items it keeps its choice in every order.", strict, right, chance, same.Value)
	case same.Value > hardlyAnyChange && same.Low > oneOrderFrom && d.Level != scoring.Weak:
		d.Text = fmt.Sprintf("One order is enough: it is right on %s of choices, and hardly any changes with the order.",
			scoring.Percentage(right.Value))
	case d.Level == scoring.Weak && whenConsistent.Value <= scoring.ReliableFrom:
		d.Text = fmt.Sprintf("Do not rely on it alone: even choices that stay in every order are right on %s only.",
			scoring.Percentage(whenConsistent.Value))
	default:
		total := r.BreakdownOf(scoring.Overall).N
		d.Text = fmt.Sprintf("Keep only choices that stay in every order: they are right on %s, "+
			"and %s of the items have one.",
			scoring.Percentage(whenConsistent.Value), scoring.Percentage(100*float64(whenConsistent.N)/float64(total)))
	}
	return d, true
}

// If hardly any choice changes with the order, one order is enough: hardlyAnyChange is the percentage of items whose
// choice must stay, and oneOrderFrom what it must surely exceed.
const (
	hardlyAnyChange = 98
	oneOrderFrom    = 90
)

// byPlace returns a sentence with the share of items on which the position alone decides.
func byPlace(r *scoring.Report) string {
	b := r.BreakdownOf(scoring.Overall)
	n := b.Count(PartPlace)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" On %d of %d items it names the same place in every order, whatever stands there.", n, b.N)
}

// accuracyWhenConsistent returns how often the choices that are the same in every order are right, compared with a
// third of the way from chance to perfect.
func accuracyWhenConsistent(r *scoring.Report, chance float64) (e scoring.Evidence, ok bool) {
	b := r.BreakdownOf(scoring.Overall)
	right := float64(b.Count(PartRight))
	total := right + float64(b.Count(PartWrong))
	if total == 0 {
		return e, false
	}
	return scoring.ShareOf("right-where-same", right, total, max(scoring.UsableFrom, chance+(100-chance)/3)), true
}

// byPosition diagnoses a judge that chooses one position, the first or the last, whatever stands there.
func byPosition(r *scoring.Report) (d scoring.Diagnosis, applies bool) {
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
	units := math.Min(n, math.Max(1, float64(r.Items)))
	e := scoring.ShareOf("place-"+position, share*units, units, scoring.MostByPlace)
	text := fmt.Sprintf("Chooses the %s position in %s of judgments: not a judge here.", position, e)
	if share == 1 {
		text = fmt.Sprintf("Always chooses the %s position (100 %% of %.0f judgments): not a judge here.", position, n)
	}
	return e.Unusable(scoring.CodePosition, text)
}
