package multioption

import (
	"fmt"

	"gavel/scoring"
)

// Where hardly any choice changes with the order, one order says what all do: the share of items whose choice stays, in
// percent, and what it must surely be above.
const (
	hardlyAnyChange = 98
	oneOrderFrom    = 90
)

// sentences are what a person does with a judge of several options, and what else there is to know of it. They are of a
// diagnosis that was made, and add no rule of their own. says is "" where the diagnosis says it already.
func sentences(r *scoring.Report, d scoring.Diagnosis) (says, also string) {
	same := r.Overall(sameChoice)
	if same.Value == nil || d.Level == scoring.Unusable || d.Level == scoring.Unknown {
		return "", ""
	}
	b := r.BreakdownOf(scoring.Overall)
	place := ""
	if n := b.Count(PartPlace); n > 0 {
		place = fmt.Sprintf(" On %d of %d items it names the same place in every order, whatever stands there.", n, b.N)
	}
	accuracy := r.Overall(optionAccuracy)
	if accuracy.Value == nil {
		says = fmt.Sprintf("It goes by content: it keeps its choice in every order on %s of items.", percent(*same.Value))
		if d.Level == scoring.Weak {
			says = fmt.Sprintf("Its choice changes with the order on %s of items.", percent(100-*same.Value))
		}
		return says, "Whether it chooses well is not known, since these items have no right option." + place
	}
	strict := r.Overall(everyRight)
	if strict.Value == nil {
		return "", ""
	}
	all := fmt.Sprintf("Correct in every order on %s of %d items. Over all orders it is right on %s of choices",
		percent(*strict.Value), strict.N, percent(*accuracy.Value))
	if chance := r.Overall(optionAccuracy + OfRandom); chance.Value != nil {
		all += fmt.Sprintf("; by chance %s", percent(*chance.Value))
	}
	also = all + "." + place
	right := b.Count(PartRight)
	kept := right + b.Count(PartWrong)
	if kept == 0 {
		return "", also
	}
	share := 100 * float64(right) / float64(kept)
	switch {
	case *same.Value > hardlyAnyChange && same.Low != nil && *same.Low > oneOrderFrom && d.Level != scoring.Weak:
		says = fmt.Sprintf("One order is enough: it is right on %s of choices, and hardly any changes with the order.",
			percent(*accuracy.Value))
	case d.Level == scoring.Weak && share <= scoring.ReliableFrom:
		says = fmt.Sprintf("Do not rely on it alone: even choices that stay in every order are right on %s only.",
			percent(share))
	default:
		says = fmt.Sprintf("Keep only choices that stay in every order: they are right on %s, and %s of the items have one.",
			percent(share), percent(100*float64(kept)/float64(b.N)))
	}
	return says, also
}

// percent as sentences say it: "58 %".
func percent(x float64) string { return fmt.Sprintf("%.0f %%", scoring.Unsigned(x, 0)) }
