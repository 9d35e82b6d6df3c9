package pairwise

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gavel/scoring"
)

// Diagnose says what the judge of pairs is good for. A judge that knows nothing and names one response whatever the
// order is right on half of what it judges alike in both orders; so is one that guesses. Chance is therefore half of
// that share, and a judge is better than chance where it is right on more than half of the pairs it judges alike.
func (p *pairs) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := heldAgainst(r, p.rule(r))
	d.Says, d.Also = sentences(r, d)
	rule := scoring.Decider(r.Rules, r.Overall("strict").Low)
	if rule == nil || d.Code == scoring.CodeSilent || d.Code == scoring.CodeNothing {
		return d
	}
	if d.Code != codeRule {
		d.Also = strings.TrimSpace(cmp.Or(d.Says, d.Text) + " " + d.Also)
	}
	d.Says = rule.Decides()
	return d
}

// rule is the first rule that is met.
func (p *pairs) rule(r *scoring.Report) scoring.Diagnosis {
	if d, found := r.Silence("judgment"); found {
		return d
	}
	if d, found := byPosition(r); found {
		return d
	}
	strict := r.Overall("strict")
	alike := r.Overall("consistency")
	switch {
	case alike.Value != nil && r.Unlabelled == r.Items:
		return scoring.Unknowing(scoring.CodeFew, "No pair with a label is judged: nobody can say yet whether it is right.")
	case strict.Value == nil || alike.Value == nil:
		return scoring.Unknowing(scoring.CodeFew, "No pair has a verdict in both orders%s.", yet(r))
	}
	held, ok := strict.Held(scoring.UsableFrom)
	if !ok {
		return r.Unbounded("Correct in both orders on", strict, "pair")
	}
	right, ok := r.Overall(RightWhereAlike).Held(50)
	switch {
	case *alike.Value == 0:
		right = scoring.ShareOf(RightWhereAlike, 0, 1, 50)
		right.N = 0
	case !ok:
		return scoring.Unknowing(scoring.CodeFew, "No interval says how often it is right where both orders agree%s.", yet(r))
	}
	return p.diagnose(r, held, right, alike)
}

// yet is said where there is more to come.
func yet(r *scoring.Report) string {
	if r.Items < r.Expected {
		return " yet"
	}
	return ""
}

// diagnose says what pairs come to that have verdicts: right is of those that are judged alike in both orders.
func (p *pairs) diagnose(
	r *scoring.Report, strict, right scoring.Evidence, alike scoring.Result,
) scoring.Diagnosis {
	chance := 50 * float64(right.N) / float64(strict.N)
	evidence := []scoring.Evidence{strict, right}
	says := func(level scoring.Level, code, text string, of ...any) scoring.Diagnosis {
		return scoring.Diagnosis{Level: level, Code: code, Text: fmt.Sprintf(text, of...), Evidence: evidence}
	}
	habits, biased := "", false
	if pull, ok := r.Overall(firstPicked).Held(50); ok {
		evidence = append(evidence, pull)
		habits = pullOf(pull)
		biased = pull.Above || pull.Below
	}
	level, code := right.Chance(right.High >= scoring.ReliableFrom && strict.High >= scoring.UsableFrom)
	switch {
	case code != "" && right.N == 0:
		if !biased { // whichever position it is, each verdict follows one
			habits = ""
		}
		return says(level, code, map[string]string{
			scoring.CodeFew:    "Too few pairs to tell it from chance: the verdict flips with the order in every pair (%d)%s.",
			scoring.CodeChance: "No better than chance: the verdict flips with the order in every pair (%d)%s.",
		}[code], alike.N, habits)
	case code != "":
		return says(level, code, map[string]string{
			scoring.CodeInverted: "Wrong more often than right: where both orders agree it is right on %[3]s." +
				" Is the goal or the label turned round?",
			scoring.CodeFew:    "Too few pairs to tell it from chance: strict %[1]s of %[4]d, chance %.0[2]f%[5]s.",
			scoring.CodeChance: "No better than chance: strict %[1]s, chance %.0[2]f%[5]s.",
		}[code], strict, chance, right, strict.N, habits)
	}
	advice := ""
	if e, ok := alike.Held(oneOrderFrom); ok {
		evidence = append(evidence, e.Against(100))
		flips, do := order(e, right)
		habits += flips
		advice = do
	}
	level, code = strict.Rank(right.Low > scoring.ReliableFrom)
	if level != scoring.Weak {
		return says(level, code, "Correct in both orders on %s (chance %.0f)%s%s.", strict, chance, habits, advice)
	}
	lacking := strict
	where := "correct in both orders on"
	from := float64(scoring.UsableFrom)
	if strict.Value > from && (strict.Low > from || right.Value <= scoring.ReliableFrom) {
		lacking = right
		where = "where both orders agree it is right on"
		from = scoring.ReliableFrom
		chance = 50
	}
	if lacking.Value > from {
		return says(level, code, "Better than chance, but too few pairs to call it usable: %s %s (chance %.0f)%s.",
			where, lacking, chance, habits)
	}
	return says(level, code, "Better than chance, but %s only %s (chance %.0f)%s.", where, lacking, chance, habits)
}

// Where hardly any pair is judged otherwise in the other order, one order says what both do: the share of those that
// are judged alike, in percent, and what it must surely be above.
const (
	hardlyAnyFlips = 98
	oneOrderFrom   = 90
)

// order says how often the order changes the verdict of pairs, of which right are right, and what to do about it.
func order(alike, right scoring.Evidence) (flips, advice string) {
	switch {
	case alike.Value > hardlyAnyFlips && alike.Above:
		return "; hardly any verdict flips with the order", ": one order is enough, at half the cost"
	case alike.Value > hardlyAnyFlips:
		flips = fmt.Sprintf("; of %d pairs hardly any flips with the order", alike.N)
		return flips, ": more pairs can show that one order is enough"
	}
	flips = "; " + scoring.OneIn(100-alike.Value, "pair", "flips", "flip") + " with the order"
	return flips, fmt.Sprintf(": keep only verdicts that agree in both orders, which are right on %.0f %%", right.Value)
}

// byPosition diagnoses a judge whose verdicts are ties, or follow the position.
func byPosition(r *scoring.Report) (d scoring.Diagnosis, found bool) {
	judgments := float64(r.Judgments())
	units := math.Min(judgments, math.Max(1, float64(r.Items)))
	if ties := scoring.ShareOf("ties", float64(r.Outcomes["tie"])/judgments*units, units, scoring.MostTies); ties.Above {
		return scoring.Diagnosis{
			Level:    scoring.Unusable,
			Code:     scoring.CodeTies,
			Text:     fmt.Sprintf("Calls most pairs equal: %s of judgments are ties.", ties),
			Evidence: []scoring.Evidence{ties},
		}, true
	}
	first, ok := r.Overall(firstPicked).Held(scoring.MostByPlace)
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
	return scoring.Diagnosis{
		Level:    scoring.Unusable,
		Code:     scoring.CodePosition,
		Text:     text,
		Evidence: []scoring.Evidence{e},
	}, true
}

// noPull is how near to 50 % the whole interval lies where no position bias is seen, in points.
const noPull = 10

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
	case e.Above || e.Below:
		return fmt.Sprintf("; %s bias to the %s position (%.0f %%)", size, position, share)
	case e.Low > 50-noPull && e.High < 50+noPull:
		return fmt.Sprintf("; no position bias seen (%.0f %% pick the first)", e.Value)
	}
	return fmt.Sprintf("; %.0f %% of verdicts pick the first", e.Value)
}
