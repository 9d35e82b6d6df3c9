package pairwise

import (
	"fmt"
	"math"
	"strings"

	"gavel/scoring"
)

// sentences are what a person does with a judge of pairs, and what else there is to know of it. They are of a diagnosis
// that was made, and add no rule of their own. says is "" where the diagnosis says it already.
func sentences(r *scoring.Report, d scoring.Diagnosis) (says, also string) {
	strict := r.Overall("strict")
	right := r.Overall(RightWhereAlike)
	kept := r.Overall(Coverage)
	if strict.Value == nil || kept.Value == nil {
		return "", ""
	}
	all := fmt.Sprintf("Correct in both orders on %s of %d pairs.", percent(*strict.Value), strict.N)
	if right.Value == nil {
		return "", all
	}
	agreed := fmt.Sprintf("right on %s", percent(*right.Value))
	get := fmt.Sprintf("%s of the pairs get one", percent(*kept.Value))
	switch d.Code {
	case scoring.CodeFew:
		says = fmt.Sprintf("Too few pairs to tell it from chance: correct in both orders on %s of %d pairs.",
			percent(*strict.Value), strict.N)
		if more := pairsToTell(*right.Value, *kept.Value); more > strict.N {
			says = strings.TrimSuffix(says, ".") + fmt.Sprintf("; some %d would do.", more)
		}
		return says, fmt.Sprintf("Where both orders agree it is %s of %d; a coin is on 50 %%.", agreed, right.N)
	case scoring.CodeChance:
		if *right.High >= scoring.ReliableFrom { // the verdicts that agree may be right, and are too few
			return fmt.Sprintf("The verdict flips with the order in %s of pairs: too few verdicts are left to use.",
				percent(100-*r.Overall("consistency").Value)), all
		}
		says = fmt.Sprintf("No better than chance: where both orders agree it is %s of %d pairs, and a coin on 50 %%.",
			agreed, right.N)
		return says, all
	case codeUnread, codeRule:
		return "", all + oneOrder(r) + leaning(r)
	case scoring.CodeWeak, scoring.CodeUsable, scoring.CodeStrong:
		return advice(r, d, agreed, get), all + oneOrder(r) + leaning(r)
	}
	return "", all
}

// advice is what to do with verdicts that are better than chance.
func advice(r *scoring.Report, d scoring.Diagnosis, agreed, get string) string {
	strict, right := r.Overall("strict"), r.Overall(RightWhereAlike)
	enough := false
	for _, e := range d.Evidence {
		enough = enough || e.Metric == "consistency" && e.Value > hardlyAnyFlips && e.N > 0 && e.Low > oneOrderFrom
	}
	switch {
	case enough && d.Level != scoring.Weak:
		if once := r.Overall("first-order"); once.Value != nil { // a verdict may be missing in the other
			strict = once
		}
		return fmt.Sprintf("One order is enough: it is right on %s of %d pairs, "+
			"and hardly any verdict flips with the order.", percent(*strict.Value), strict.N)
	case d.Level != scoring.Weak:
		return fmt.Sprintf("Keep only verdicts that agree in both orders: they are %s, and %s.", agreed, get)
	case *right.Value > scoring.ReliableFrom && *right.Low <= scoring.ReliableFrom && *strict.Value > scoring.UsableFrom:
		return "Better than chance, but too few pairs to rely on it: where both orders agree it is " + agreed + "."
	case *right.Value > scoring.ReliableFrom:
		return fmt.Sprintf("Keep only verdicts that agree in both orders: they are %s, but only %s.", agreed, get)
	}
	return fmt.Sprintf("Do not rely on it alone: even verdicts that agree in both orders are %s only.", agreed)
}

// oneOrder says what asking once would have come to.
func oneOrder(r *scoring.Report) string {
	first, second := r.Overall("first-order"), r.Overall("second-order")
	if first.Value == nil || second.Value == nil {
		return ""
	}
	low, high := percent(*first.Value), percent(*second.Value)
	if *first.Value > *second.Value {
		low, high = high, low
	}
	if low == high {
		return fmt.Sprintf(" Asked in one order alone, it is right on %s.", low)
	}
	return fmt.Sprintf(" Asked in one order alone, it is right on %s or %s.", strings.TrimSuffix(low, " %"), high)
}

// leaning says which position draws its verdicts; "" where none surely does.
func leaning(r *scoring.Report) string {
	e, ok := r.Overall(firstPicked).Held(50)
	if !ok || !e.Above && !e.Below {
		return ""
	}
	position, share := "first", e.Value
	if e.Below {
		position, share = "second", 100-e.Value
	}
	how := "leans"
	if share < 60 {
		how = "leans slightly"
	}
	return fmt.Sprintf(" It %s to the response shown %s (%s of verdicts).", how, position, percent(share))
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

// percent as sentences say it: "58 %".
func percent(x float64) string { return fmt.Sprintf("%.0f %%", scoring.Unsigned(x, 0)) }
