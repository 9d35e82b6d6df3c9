package pairwise

import (
	"fmt"
	"math"

	"gavel/scoring"
)

// Diagnose says what the judge of pairs is good for. A judge that knows nothing and names one response whatever the order
// is right on half of what it judges alike in both orders; so is one that guesses. Chance is therefore half of that share,
// and a judge is better than chance where it is right on more than half of the pairs it judges alike.
func (p *pairs) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, found := r.Silence("judgment"); found {
		return d
	}
	if d, found := byPosition(r); found {
		return d
	}
	strict, ok := r.Overall("strict").Held(scoring.UsableFrom)
	alike := r.Overall("consistency")
	if alike.Value != nil && r.Unlabelled == r.Items {
		return scoring.Diagnosis{Level: scoring.Unknown, Code: scoring.CodeFew, Text: "No pair with a label is judged: nobody can say yet whether it is right.", Evidence: []scoring.Evidence{}}
	}
	if !ok || alike.Value == nil {
		return scoring.Diagnosis{Level: scoring.Unknown, Code: scoring.CodeFew, Text: "No pair has a verdict in both orders yet.", Evidence: []scoring.Evidence{}}
	}
	both := *alike.Value / 100 * float64(r.Overall("drop").N) // pairs with a label, judged alike in both orders
	chance, worth := 50*both/float64(strict.N), 1.0
	if c := r.Overall("strict").Clusters; c > 0 {
		worth = float64(c) / float64(strict.N) // of pairs that belong together
	}
	right := scoring.ShareOf("right-where-alike", worth*math.Min(both, strict.Value/100*float64(strict.N)), math.Max(1, worth*both), 50)
	evidence := []scoring.Evidence{strict, right}
	says := func(level scoring.Level, code, text string, of ...any) scoring.Diagnosis {
		return scoring.Diagnosis{Level: level, Code: code, Text: fmt.Sprintf(text, of...), Evidence: evidence}
	}
	habits := ""
	if pull, ok := namesFirst(r, 50); ok {
		evidence = append(evidence, pull)
		habits = pullOf(pull)
	}
	if level, code := right.Chance(right.High >= 200.0/3 && strict.High >= scoring.UsableFrom); code != "" {
		return says(level, code, map[string]string{
			scoring.CodeInverted: "Names the worse response: where both orders agree it is right on %[3]s. Is the goal or the label turned round?",
			scoring.CodeFew:      "Too few pairs to tell it from chance: strict %[1]s of %[4]d, chance %.0[2]f%[5]s.",
			scoring.CodeChance:   "No better than chance: strict %[1]s, chance %.0[2]f%[5]s.",
		}[code], strict, chance, right, strict.N, habits)
	}
	if e, ok := alike.Held(100); ok {
		evidence = append(evidence, e)
		habits += flips(e)
	}
	level, code := strict.Rank()
	text := map[scoring.Level]string{
		scoring.Strong: "Right in both orders on %s (chance %.0f)%s.",
		scoring.Usable: "Right in both orders on %s (chance %.0f)%s: ask both orders.",
		scoring.Weak:   "Better than chance, but right in both orders on only %s (chance %.0f)%s.",
	}[level]
	return says(level, code, text, strict, chance, habits)
}

// byPosition diagnoses a judge whose verdicts are ties, or follow the position.
func byPosition(r *scoring.Report) (d scoring.Diagnosis, found bool) {
	judgments := float64(r.Judgments())
	units := math.Min(judgments, math.Max(1, float64(r.Items)))
	if ties := scoring.ShareOf("ties", float64(r.Outcomes["tie"])/judgments*units, units, scoring.MostTies); ties.Above {
		return scoring.Diagnosis{Level: scoring.Unusable, Code: scoring.CodeTies, Text: fmt.Sprintf("Calls most pairs equal: %s of judgments are ties.", ties), Evidence: []scoring.Evidence{ties}}, true
	}
	first, ok := namesFirst(r, scoring.MostByPlace)
	if !ok {
		return d, false
	}
	position, e := "first", first
	if first.Value < 50 {
		position, e = "second", first.Mirrored()
	}
	if !e.Above {
		return d, false
	}
	text := fmt.Sprintf("Names what it reads %s in %s of judgments: not a judge here.", position, e)
	if e.Value == 100 {
		text = fmt.Sprintf("Always names what it reads %s (100 %% of %d judgments): not a judge here.", position, first.N)
	}
	return scoring.Diagnosis{Level: scoring.Unusable, Code: scoring.CodePosition, Text: text, Evidence: []scoring.Evidence{e}}, true
}

// namesFirst is how often the judge names what it reads first: as the better, or under the reversed goal as the worse.
func namesFirst(r *scoring.Report, threshold float64) (scoring.Evidence, bool) {
	e, ok := r.Overall("first-position").Held(threshold)
	if ok && r.Goal == goalWorse {
		e = e.Mirrored()
		e.Metric = "named-first"
	}
	return e, ok
}

// pullOf says how far the position draws the verdict.
func pullOf(e scoring.Evidence) string {
	position, share := "first", e.Value
	if e.Value < 50 {
		position, share = "second", 100-e.Value
	}
	size := "clear"
	if share < 60 {
		size = "slight"
	}
	switch {
	case !e.Above && !e.Below:
		return fmt.Sprintf("; no position bias seen (%.0f %% name the first)", e.Value)
	default:
		return fmt.Sprintf("; %s bias to the %s position (%.0f %%)", size, position, share)
	}
}

func flips(e scoring.Evidence) string {
	if e.Value > 98 {
		return "; hardly any verdict flips with the order"
	}
	return "; " + scoring.OneIn(100-e.Value, "pair") + " flips with the order"
}
