package pairwise

import (
	"math"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// scoreSentences returns sentences with the scores that follow a diagnosis: correct in both orders and in one
// alone, and position bias.
func scoreSentences(r *scoring.Report, d scoring.Diagnosis) string {
	strict, right := r.Overall("strict"), r.Overall(AccuracyWhenConsistent)
	if strict.Value == nil {
		return ""
	}
	if right.Value != nil && d.Code == scoring.CodeTooFewItems {
		return sentence("pairs.when-consistent", right)
	}
	all := sentence("pairs.strict", strict)
	switch d.Code {
	case codeNotAboveRule, codeFollowsRule, scoring.CodeWeakJudge, scoring.CodeUsableJudge, scoring.CodeStrongJudge:
		first, second := r.Overall("first-order"), r.Overall("second-order")
		if first.Value != nil && second.Value != nil {
			low := min(*first.Value, *second.Value)
			shares := scoring.Percentage(max(*first.Value, *second.Value))
			if shares != scoring.Percentage(low) {
				shares = phrases.Sentence("pairs.or", low, shares)
			}
			all += " " + phrases.Sentence("pairs.one-alone", shares)
		}
		all += positionBiasSentence(r)
	}
	return all
}

// sentence returns the sentence of a code on a share of pairs and their number.
func sentence(code string, x scoring.Result) string {
	return phrases.Sentence(code, scoring.Percentage(*x.Value), phrases.CountWithNoun(x.N, "pair"))
}

// fewPairsSentence returns the sentence that there are too few pairs to tell the judge from chance, and how many are
// needed.
func fewPairsSentence(r *scoring.Report) string {
	strict := r.Overall("strict")
	text := sentence("pairs.few", strict)
	if needed := pairsNeeded(*r.Overall(AccuracyWhenConsistent).Value, *r.Overall(Coverage).Value); needed > strict.N {
		text += " " + phrases.Sentence("pairs.needed", needed)
	}
	return text
}

// advice returns the sentence on how to use verdicts that are better than chance. oneIsEnough: hardly any
// verdict changes with the order.
func advice(r *scoring.Report, level scoring.UsabilityLevel, oneIsEnough bool) string {
	strict, right := r.Overall("strict"), r.Overall(AccuracyWhenConsistent)
	agreed := scoring.Percentage(*right.Value)
	covered := scoring.Percentage(*r.Overall(Coverage).Value)
	switch {
	case oneIsEnough && level != scoring.LevelWeak:
		if once := r.Overall("first-order"); once.Value != nil { // a verdict may be missing in the other
			strict = once
		}
		return sentence("pairs.one-order", strict)
	case level != scoring.LevelWeak:
		return phrases.Sentence("pairs.keep", agreed, covered)
	case *right.Value > scoring.LeastConsistentAccuracy && *right.Low <= scoring.LeastConsistentAccuracy &&
		*strict.Value > scoring.UsableFrom:
		return phrases.Sentence("pairs.keep-few", agreed)
	case *right.Value > scoring.LeastConsistentAccuracy:
		return phrases.Sentence("pairs.keep-little", agreed, covered)
	}
	return phrases.Sentence("pairs.weak", agreed)
}

// maxSlightBias is the percentage of verdicts for one position below which the position bias is called slight.
const maxSlightBias = 60

// positionBiasSentence returns a sentence on the position that the judge significantly prefers; "" without one.
func positionBiasSentence(r *scoring.Report) string {
	e, _ := r.Overall(firstPositionShare).CompareWithThreshold(50)
	position := "first"
	if e.BelowThreshold {
		position = "second"
		e = e.Complement()
	}
	if !e.AboveThreshold {
		return ""
	}
	code := "pairs.prefers"
	if e.Value < maxSlightBias {
		code = "pairs.prefers-slightly"
	}
	return " " + phrases.Sentence(code, position, scoring.Percentage(e.Value))
}

// pairsNeeded estimates how many pairs are needed to tell a judge from chance. share is the percentage of pairs on
// which the judge's two orders agree, right the percentage of these on which it is right. It returns 0 if right is no
// better than a coin, or if 10,000 pairs are not enough.
func pairsNeeded(right, share float64) int {
	if right <= 50 || share <= 0 {
		return 0
	}
	for n := 10.0; n*share <= 100*10_000; n *= 1.1 {
		if scoring.ShareEvidence("", math.Round(right/100*n), math.Round(n), 50).IsAboveAt99Percent() {
			return int(math.Ceil(n*100/share/10)) * 10
		}
	}
	return 0
}
