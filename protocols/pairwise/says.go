package pairwise

import (
	"fmt"
	"math"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// numbers returns sentences with a judge's other scores: correct in both orders and in one, and position bias.
func numbers(r *scoring.Report, d scoring.Diagnosis) string {
	strict, right := r.Overall("strict"), r.Overall(AccuracyWhenConsistent)
	if strict.Value == nil {
		return ""
	}
	if right.Value != nil && d.Code == scoring.CodeFew {
		return fmt.Sprintf("Where both orders agree it is right on %s of %d; a coin is on 50 %%.",
			scoring.Percentage(*right.Value), right.N)
	}
	all := fmt.Sprintf("Correct in both orders on %s of %s.",
		scoring.Percentage(*strict.Value), table.Count(strict.N, "pair"))
	switch d.Code {
	case codeUnread, codeRule, scoring.CodeWeak, scoring.CodeUsable, scoring.CodeStrong:
		first, second := r.Overall("first-order"), r.Overall("second-order")
		if first.Value != nil && second.Value != nil {
			low := min(*first.Value, *second.Value)
			shares := scoring.Percentage(max(*first.Value, *second.Value))
			if shares != scoring.Percentage(low) {
				shares = fmt.Sprintf("%.0f or %s", low, shares)
			}
			all += fmt.Sprintf(" Asked in one order alone, it is right on %s.", shares)
		}
		all += positionBias(r)
	}
	return all
}

// fewPairs says that there are too few pairs to tell the judge from chance, and how many are needed.
func fewPairs(r *scoring.Report) string {
	strict := r.Overall("strict")
	text := fmt.Sprintf("Too few pairs to tell it from chance: correct in both orders on %s of %s",
		scoring.Percentage(*strict.Value), table.Count(strict.N, "pair"))
	if needed := pairsToTell(*r.Overall(AccuracyWhenConsistent).Value, *r.Overall(Coverage).Value); needed > strict.N {
		text += fmt.Sprintf("; about %d pairs are needed", needed)
	}
	return text + "."
}

// advice says how to use verdicts that are better than chance. oneIsEnough: hardly any verdict changes with the order.
func advice(r *scoring.Report, level scoring.Level, oneIsEnough bool) string {
	strict, right := r.Overall("strict"), r.Overall(AccuracyWhenConsistent)
	agreed := "right on " + scoring.Percentage(*right.Value)
	get := scoring.Percentage(*r.Overall(Coverage).Value) + " of the pairs get one"
	switch {
	case oneIsEnough && level != scoring.Weak:
		if once := r.Overall("first-order"); once.Value != nil { // a verdict may be missing in the other
			strict = once
		}
		return fmt.Sprintf("One order is enough: it is right on %s of %d pairs, "+
			"and hardly any verdict flips with the order.", scoring.Percentage(*strict.Value), strict.N)
	case level != scoring.Weak:
		return fmt.Sprintf("Keep only verdicts that agree in both orders: they are %s, and %s.", agreed, get)
	case *right.Value > scoring.ReliableFrom && *right.Low <= scoring.ReliableFrom && *strict.Value > scoring.UsableFrom:
		return "Better than chance, but too few pairs to rely on it: where both orders agree it is " + agreed + "."
	case *right.Value > scoring.ReliableFrom:
		return fmt.Sprintf("Keep only verdicts that agree in both orders: they are %s, but only %s.", agreed, get)
	}
	return fmt.Sprintf("Do not rely on it alone: even verdicts that agree in both orders are %s only.", agreed)
}

// slightBelow is the percentage of verdicts for a position below which the bias is called slight.
const slightBelow = 60

// positionBias returns a sentence on the position that the judge significantly prefers; "" without one.
func positionBias(r *scoring.Report) string {
	e, _ := r.Overall(firstPicked).Against(50)
	position := "first"
	if e.Below {
		position = "second"
		e = e.Complement()
	}
	if !e.Above {
		return ""
	}
	verb := "leans"
	if e.Value < slightBelow {
		verb += " slightly"
	}
	return fmt.Sprintf(" It %s to the response shown %s (%s of verdicts).", verb, position, scoring.Percentage(e.Value))
}

// pairsToTell estimates how many pairs are needed to tell a judge from chance that is right on the percentage right of
// the pairs on which both orders agree, which are the percentage share of all. It returns 0 if right is no better than
// a coin, or if 10,000 pairs are not enough.
func pairsToTell(right, share float64) int {
	if right <= 50 || share <= 0 {
		return 0
	}
	for n := 10.0; n*share <= 100*10_000; n *= 1.1 {
		if scoring.ShareOf("", math.Round(right/100*n), math.Round(n), 50).Above99() {
			return int(math.Ceil(n*100/share/10)) * 10
		}
	}
	return 0
}
