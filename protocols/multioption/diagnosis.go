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

// byRight diagnoses by how often the choice is right: held against chance over all orders, and for what it is worth, in
// every order.
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
	d.Evidence = []scoring.Evidence{right}
	d.Level, d.Code = right.Chance(right.High >= scoring.UsableFrom)
	if d.Code != "" {
		d.Text = fmt.Sprintf(map[string]string{
			scoring.CodeInverted: "Right less often than chance: %s of choices, chance %.0f. Is the goal turned round?",
			scoring.CodeFew:      "Too few items to tell it from chance: right in %s of choices, chance %.0f.",
			scoring.CodeChance:   "No better than chance: right in %s of choices, chance %.0f.",
		}[d.Code], right, chance)
		return d, true
	}
	strict, ok := r.Overall(everyRight).Held(scoring.UsableFrom)
	if !ok {
		return r.Unbounded("Correct in every order on", r.Overall(everyRight), "item"), true
	}
	d.Evidence = []scoring.Evidence{strict, right}
	keeps := ""
	if same, known := r.Overall(sameChoice).Held(100); known {
		d.Evidence = append(d.Evidence, same)
		keeps = fmt.Sprintf("; in %.0f %% of items it keeps its choice in every order", same.Value)
	}
	reliable := true
	if kept, known := keptRight(r, chance); known {
		d.Evidence = append(d.Evidence, kept)
		reliable = kept.Above
	}
	d.Level, d.Code = strict.Rank(reliable)
	begins := "Correct in every order on"
	switch {
	case d.Level != scoring.Weak:
	case strict.Value > scoring.UsableFrom && (reliable || !strict.Above):
		begins = "Better than chance, but too few items to call it usable: correct in every order on"
	default:
		begins = "Better than chance, but correct in every order on only"
	}
	d.Text = fmt.Sprintf("%s %s of items, in %s of choices (chance %.0f)%s.", begins, strict, right, chance, keeps)
	return d, true
}

// keptRight is how often the choices that stay in every order are right, held against a third of the way from chance to
// perfect.
func keptRight(r *scoring.Report, chance float64) (e scoring.Evidence, known bool) {
	b := r.BreakdownOf(scoring.Overall)
	right := float64(b.Count(PartRight))
	kept := right + float64(b.Count(PartWrong))
	if kept == 0 {
		return e, false
	}
	return scoring.ShareOf("right-where-same", right, kept, max(scoring.UsableFrom, chance+(100-chance)/3)), true
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
