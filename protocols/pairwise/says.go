package pairwise

import (
	"fmt"
	"math"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// numbers returns sentences with the other numbers of a judge of pairs: how often it is correct in both orders and in
// one, and which position it prefers.
func numbers(r *scoring.Report, d scoring.Diagnosis) string {
	strict, right := r.Overall("strict"), r.Overall(RightWhereAlike)
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
		all += leaning(r)
	}
	return all
}

// few says that the pairs are too few to tell the judge from chance, and how many are needed.
func few(r *scoring.Report) string {
	strict := r.Overall("strict")
	text := fmt.Sprintf("Too few pairs to tell it from chance: correct in both orders on %s of %s",
		scoring.Percentage(*strict.Value), table.Count(strict.N, "pair"))
	if needed := pairsToTell(*r.Overall(RightWhereAlike).Value, *r.Overall(Coverage).Value); needed > strict.N {
		text += fmt.Sprintf("; about %d pairs are needed", needed)
	}
	return text + "."
}

// advice says how to use verdicts that are better than chance. oneIsEnough: one order will do, since hardly any verdict
// changes with it.
func advice(r *scoring.Report, level scoring.Level, oneIsEnough bool) string {
	strict, right := r.Overall("strict"), r.Overall(RightWhereAlike)
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

// slightly is the percentage of verdicts for a position below which the preference counts as slight.
const slightly = 60

// leaning returns a sentence that names the position that the judge surely prefers; "" without one.
func leaning(r *scoring.Report) string {
	e, _ := r.Overall(firstPicked).Held(50)
	position := "first"
	if e.Below {
		position = "second"
		e = e.Mirrored()
	}
	if !e.Above {
		return ""
	}
	how := "leans"
	if e.Value < slightly {
		how += " slightly"
	}
	return fmt.Sprintf(" It %s to the response shown %s (%s of verdicts).", how, position, scoring.Percentage(e.Value))
}

// pairsToTell is about how many pairs would tell a judge from chance that goes on as it did: right on so many percent
// of those that it judges alike, which are so many percent. 0 where it is no better than a coin, or where 10,000 would
// not do.
func pairsToTell(right, kept float64) int {
	if right <= 50 || kept <= 0 {
		return 0
	}
	for n := 10.0; n*kept <= 100*10_000; n *= 1.1 {
		if scoring.ShareOf("", math.Round(right/100*n), math.Round(n), 50).Surely() {
			return int(math.Ceil(n*100/kept/10)) * 10
		}
	}
	return 0
}
