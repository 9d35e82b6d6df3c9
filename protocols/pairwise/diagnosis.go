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
func (p *pairScorer) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := diagnoseAgainstRules(r, p.diagnoseWithoutBaselines(r))
	d.Also = scoreSentences(r, d)
	rule := scoring.FollowedBaseline(r.Baselines, r.Overall("strict").Low)
	if rule == nil || d.Code == scoring.CodeNoVerdicts || d.Code == scoring.CodeNoItems {
		return d
	}
	if d.Code != codeFollowsRule {
		d.Also = strings.TrimSpace(d.Text + " " + d.Also)
	}
	d.Text = rule.FollowsSentence()
	return d
}

// diagnoseWithoutBaselines returns the diagnosis by the judge's own scores, before a comparison with the baselines
// (rules without reading): the first that applies.
func (p *pairScorer) diagnoseWithoutBaselines(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	if d, ok := diagnosePositionBias(r); ok {
		return d
	}
	strict := r.Overall("strict")
	agreement := r.Overall("consistency")
	switch {
	case p.oneOrder:
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "pairs.single-order")
	case agreement.Value != nil && r.Unlabelled == r.Items:
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "pairs.no-label")
	case strict.Value == nil || agreement.Value == nil:
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "pairs.no-verdict", pendingSuffix(r))
	}
	evidence, bounded := strict.CompareWithThreshold(scoring.UsableFrom)
	right, ok := r.Overall(AccuracyWhenConsistent).CompareWithThreshold(50)
	switch {
	case r.Overall(AccuracyWhenConsistent).Value != nil && !(bounded && ok):
		return scoring.Diagnosis{
			Level: scoring.LevelUnknown, Code: scoring.CodeTooFewItems, Text: fewPairsSentence(r),
			Evidence: []scoring.Evidence{},
		}
	case !bounded:
		return r.DiagnoseWithoutInterval("Correct in both orders", strict, "pair")
	case *agreement.Value == 0:
		right = scoring.ShareEvidence(AccuracyWhenConsistent, 0, 1, 50)
		right.N = 0
	case !ok:
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "pairs.no-interval", pendingSuffix(r))
	}
	return p.diagnoseVerdicts(r, evidence, right, agreement)
}

// pendingSuffix returns " yet" while the run has judgments to come.
func pendingSuffix(r *scoring.Report) string {
	if r.Items < r.Expected {
		return " yet"
	}
	return ""
}

// diagnoseVerdicts rates a judge that has verdicts. strict is its share of pairs correct in both orders, right its
// share among the pairs on which both orders agree, agreement the share of the latter.
func (p *pairScorer) diagnoseVerdicts(
	r *scoring.Report, strict, right scoring.Evidence, agreement scoring.Result,
) scoring.Diagnosis {
	d := scoring.Diagnosis{Evidence: []scoring.Evidence{strict, right}}
	if preference, ok := r.Overall(firstPositionShare).CompareWithThreshold(50); ok {
		d.Evidence = append(d.Evidence, preference)
	}
	d.Level, d.Code = right.CompareWithChance(
		right.High >= scoring.LeastConsistentAccuracy && strict.High >= scoring.UsableFrom,
	)
	switch {
	case d.Code == "":
		e, hasInterval := agreement.CompareWithThreshold(scoring.MinConsistentLowerPercent)
		if hasInterval {
			d.Evidence = append(d.Evidence, e.CompareWith(100))
		}
		d.Level, d.Code = strict.LevelAboveChance(right.Low > scoring.LeastConsistentAccuracy)
		d.Text = advice(r, d.Level, hasInterval && e.Value > scoring.MinConsistentPercent && e.AboveThreshold)
	case right.N == 0:
		d.Text = phrases.Sentence("pairs.flips-"+d.Code, agreement.N) + positionBiasSentence(r)
	case d.Code == scoring.CodeInverted:
		d.Text = phrases.Sentence("pairs.inverted", right)
	case d.Code == scoring.CodeTooFewItems:
		d.Text = fewPairsSentence(r)
	case right.High >= scoring.LeastConsistentAccuracy: // the verdicts that agree may be right, and are too few
		d.Text = phrases.Sentence("pairs.few-consistent", scoring.Percentage(100-*agreement.Value))
	default:
		d.Text = phrases.Sentence("pairs.chance", right, phrases.CountWithNoun(right.N, "pair"))
	}
	return d
}

// diagnosePositionBias returns the diagnosis of a judge whose verdicts are mostly ties, or mostly name one position;
// applies is false for other judges.
func diagnosePositionBias(r *scoring.Report) (d scoring.Diagnosis, applies bool) {
	judgments := float64(r.Judgments())
	units := math.Min(judgments, math.Max(1, float64(r.Items)))
	ties := scoring.ShareEvidence("ties", float64(r.Outcomes["tie"])/judgments*units, units, scoring.MaxTiesPercent)
	d, applies = ties.DiagnoseUnusableJudge(scoring.CodeTies, phrases.Sentence("pairs.ties", ties))
	if applies {
		return d, true
	}
	e, ok := r.Overall(firstPositionShare).CompareWithThreshold(scoring.MaxOnePositionPercent)
	if !ok {
		return d, false
	}
	position := "first"
	if e.Value < 50 {
		position = "second"
		e = e.Complement()
	}
	text := phrases.Sentence("pairs.position", position, e)
	if e.Value == 100 {
		text = phrases.Sentence("pairs.always-position", position, e.N)
	}
	return e.DiagnoseUnusableJudge(scoring.CodePosition, text)
}
