package pairwise

import (
	"math"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// Diagnose returns the level of a judge of pairs, such as usable or weak, with sentences that explain it. A judge that
// guesses is correct on half of the pairs on which both orders agree; so a judge is better than chance if it is correct
// on more than half of those.
func (p *pairs) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := diagnoseAgainstRules(r, p.rule(r))
	d.Also = numbers(r, d)
	rule := scoring.Decider(r.Rules, r.Overall("strict").Low)
	if rule == nil || d.Code == scoring.CodeSilent || d.Code == scoring.CodeNothing {
		return d
	}
	if d.Code != codeRule {
		d.Also = strings.TrimSpace(d.Text + " " + d.Also)
	}
	d.Text = rule.Decides()
	return d
}

// rule returns the diagnosis by the judge's own scores, before a comparison with the baselines (rules without
// reading): the first that applies.
func (p *pairs) rule(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	if d, ok := byPosition(r); ok {
		return d
	}
	strict := r.Overall("strict")
	agreement := r.Overall("consistency")
	switch {
	case agreement.Value != nil && r.Unlabelled == r.Items:
		return scoring.UnknownDiagnosis(scoring.CodeFew, "pairs.no-label")
	case strict.Value == nil || agreement.Value == nil:
		return scoring.UnknownDiagnosis(scoring.CodeFew, "pairs.no-verdict", pendingSuffix(r))
	}
	evidence, bounded := strict.Against(scoring.UsableFrom)
	right, ok := r.Overall(AccuracyWhenConsistent).Against(50)
	switch {
	case r.Overall(AccuracyWhenConsistent).Value != nil && !(bounded && ok):
		return scoring.Diagnosis{
			Level: scoring.Unknown, Code: scoring.CodeFew, Text: fewPairs(r), Evidence: []scoring.Evidence{},
		}
	case !bounded:
		return r.DiagnoseWithoutInterval("Correct in both orders", strict, "pair")
	case *agreement.Value == 0:
		right = scoring.ShareOf(AccuracyWhenConsistent, 0, 1, 50)
		right.N = 0
	case !ok:
		return scoring.UnknownDiagnosis(scoring.CodeFew, "pairs.no-interval", pendingSuffix(r))
	}
	return p.diagnose(r, evidence, right, agreement)
}

// pendingSuffix returns " yet" while the run has judgments to come.
func pendingSuffix(r *scoring.Report) string {
	if r.Items < r.Expected {
		return " yet"
	}
	return ""
}

// diagnose rates a judge that has verdicts. strict is its share of pairs correct in both orders, right its share among
// the pairs on which both orders agree, agreement the share of the latter.
func (p *pairs) diagnose(
	r *scoring.Report, strict, right scoring.Evidence, agreement scoring.Result,
) scoring.Diagnosis {
	d := scoring.Diagnosis{Evidence: []scoring.Evidence{strict, right}}
	if preference, ok := r.Overall(firstPicked).Against(50); ok {
		d.Evidence = append(d.Evidence, preference)
	}
	d.Level, d.Code = right.Chance(right.High >= scoring.ReliableFrom && strict.High >= scoring.UsableFrom)
	switch {
	case d.Code == "":
		e, hasInterval := agreement.Against(oneOrderFrom)
		if hasInterval {
			d.Evidence = append(d.Evidence, e.Against(100))
		}
		d.Level, d.Code = strict.Rank(right.Low > scoring.ReliableFrom)
		d.Text = advice(r, d.Level, hasInterval && e.Value > hardlyAnyFlips && e.Above)
	case right.N == 0:
		d.Text = phrases.Say("pairs.flips-"+d.Code, agreement.N) + positionBias(r)
	case d.Code == scoring.CodeInverted:
		d.Text = phrases.Say("pairs.inverted", right)
	case d.Code == scoring.CodeFew:
		d.Text = fewPairs(r)
	case right.High >= scoring.ReliableFrom: // the verdicts that agree may be right, and are too few
		d.Text = phrases.Say("pairs.few-consistent", scoring.Percentage(100-*agreement.Value))
	default:
		d.Text = phrases.Say("pairs.chance", right, phrases.Count(right.N, "pair"))
	}
	return d
}

// Percentages of pairs on which both orders must agree for gavel to advise that one order is enough: the value must
// exceed hardlyAnyFlips, and the lower end of its interval oneOrderFrom.
const (
	hardlyAnyFlips = 98
	oneOrderFrom   = 90
)

// byPosition returns the diagnosis of a judge whose verdicts are mostly ties, or mostly name one position; applies
// is false for other judges.
func byPosition(r *scoring.Report) (d scoring.Diagnosis, applies bool) {
	judgments := float64(r.Judgments())
	units := math.Min(judgments, math.Max(1, float64(r.Items)))
	ties := scoring.ShareOf("ties", float64(r.Outcomes["tie"])/judgments*units, units, scoring.MostTies)
	d, applies = ties.Unusable(scoring.CodeTies, phrases.Say("pairs.ties", ties))
	if applies {
		return d, true
	}
	e, ok := r.Overall(firstPicked).Against(scoring.MostByPlace)
	if !ok {
		return d, false
	}
	position := "first"
	if e.Value < 50 {
		position = "second"
		e = e.Complement()
	}
	text := phrases.Say("pairs.position", position, e)
	if e.Value == 100 {
		text = phrases.Say("pairs.always-position", position, e.N)
	}
	return e.Unusable(scoring.CodePosition, text)
}
