package multioption

import (
	"fmt"
	"math"
	"strings"

	"gavel/scoring"
)

// Diagnose says what the judge of several options is good for: first whether it goes by the position, then how often
// it is right or, of items of which nobody knows the right option, how firmly it keeps to its choice.
func (c *choices) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := rule(r)
	d.Says, d.Also = sentences(r, d)
	return d
}

// rule is the first rule that is met.
func rule(r *scoring.Report) scoring.Diagnosis {
	if d, found := r.Silence("judgment"); found {
		return d
	}
	if d, found := byPosition(r); found {
		return d
	}
	if d, found := byRight(r); found {
		return d
	}
	grade := r.Overall(GradeScore + overRandom)
	if grade.Value == nil {
		return scoring.Unknowing(scoring.CodeFew, "No item has a verdict in every order.")
	}
	over, ok := grade.Held(0)
	if !ok {
		return scoring.Unknowing(scoring.CodeFew,
			"Grade score %.2f of the way from random to perfect: there is no interval to say what that is worth.",
			scoring.Unsigned(*grade.Value, 2))
	}
	d := scoring.Diagnosis{Evidence: []scoring.Evidence{over}}
	const unknown = "whether it chooses well is not known, since these items have no right option."
	switch {
	case over.Below:
		d.Level = scoring.Unusable
		d.Code = scoring.CodePosition
		d.Text = fmt.Sprintf("Goes by the position more than a random judge does: "+
			"Grade score %s of the way from random to perfect.", over)
	case !over.Above:
		d.Level = scoring.Unusable
		d.Code = scoring.CodeChance
		d.Text = fmt.Sprintf("No steadier than a random judge: Grade score %s of the way from random to perfect.", over)
	case over.Low > 0.5:
		d.Level = scoring.Usable
		d.Code = scoring.CodeUsable
		d.Text = fmt.Sprintf("Keeps to its choice in most orders: "+
			"Grade score %s of the way from random to perfect; %s", over, unknown)
	default:
		d.Level = scoring.Weak
		d.Code = scoring.CodeWeak
		d.Text = fmt.Sprintf("Steadier than a random judge, but its choice changes with the order: "+
			"Grade score %s of the way from random to perfect; %s", over, unknown)
	}
	return d
}

// byRight diagnoses by how often the choice is right, over all orders.
func byRight(r *scoring.Report) (d scoring.Diagnosis, found bool) {
	chance := 0.0
	if x := r.Overall(optionAccuracy + OfRandom); x.Value != nil {
		chance = *x.Value
	}
	accuracy := r.Overall(optionAccuracy)
	if accuracy.Value == nil {
		return d, false
	}
	right, ok := accuracy.Held(chance)
	if !ok {
		return r.Unbounded("Right on", accuracy, "item"), true
	}
	same, known := r.Overall(sameChoice).Held(100)
	keeps := ""
	if known {
		keeps = fmt.Sprintf("; in %.0f %% of items it keeps its choice in every order", same.Value)
	}
	d = right.Diagnose(map[string]string{
		"":                   "Right in %[1]s of choices (chance %.0[2]f)%[3]s.",
		scoring.CodeInverted: "Right less often than chance: %[1]s of choices, chance %.0[2]f. Is the goal turned round?",
		scoring.CodeFew:      "Too few items to tell it from chance: right in %[1]s of choices, chance %.0[2]f.",
		scoring.CodeChance:   "No better than chance: right in %[1]s of choices, chance %.0[2]f.",
	}, right, chance, keeps)
	if known {
		d.Evidence = append(d.Evidence, same)
	}
	return d, true
}

// byPosition diagnoses a judge that chooses one position, the first or the last, whatever stands there.
func byPosition(r *scoring.Report) (d scoring.Diagnosis, found bool) {
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
	if !e.Above {
		return d, false
	}
	d = scoring.Diagnosis{Level: scoring.Unusable, Code: scoring.CodePosition, Evidence: []scoring.Evidence{e}}
	d.Text = fmt.Sprintf("Chooses the %s position in %s of judgments: not a judge here.", position, e)
	if share == 1 {
		d.Text = fmt.Sprintf("Always chooses the %s position (100 %% of %.0f judgments): not a judge here.", position, n)
	}
	return d, true
}
