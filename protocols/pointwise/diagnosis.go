package pointwise

import (
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// UnitOutcome returns the outcome of an item: the better response scores higher than every other, another one has the
// same score or a higher one, or a score is missing; "" without a label.
func (*pointwiseScorer) UnitOutcome(u scoring.Unit) string {
	higher, equal, lower, all := u.Data.(responses).countPairs()
	switch {
	case all == 0:
		return ""
	case higher+equal+lower < all:
		return "missing"
	case lower > 0:
		return "wrong"
	case equal > 0:
		return "tie"
	}
	return "right"
}

// A judge whose scores hardly differ cannot tell responses apart: maxSameScorePercent is the share of one score, in
// percent, and maxEqualPercent that of pairs with equal scores, from which on the sentence says so.
const (
	maxSameScorePercent = 70
	maxEqualPercent     = 50
	fewLevels           = 2 // of a scale with more
)

// Diagnose returns the level of a judge that scores: by how often the better response has the higher score, compared
// with 50 %, and by the use of the scale.
func (f *pointwiseScorer) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	if r.Overall(spearman).Metric != "" {
		return diagnoseAgainstPeople(r)
	}
	right := r.Overall(halfTie)
	if right.Value == nil {
		return scoring.UnknownDiagnosis(scoring.CodeNoItems, "pointwise.no-label")
	}
	e, ok := right.CompareWithThreshold(50)
	if !ok {
		return r.DiagnoseWithoutInterval("Correct", right, "pair")
	}
	d := e.Diagnose("pointwise.score-", e)
	equal, used := r.Overall(equalScores), r.Overall(levelsUsed)
	all := len(f.manifest.Spec.Prompt.Labels)
	switch score, share := mostUsedScore(r); {
	case share > maxSameScorePercent:
		d.Also = phrases.Sentence("pointwise.alike", score, scoring.Percentage(share))
	case used.Value != nil && *used.Value <= fewLevels && all > fewLevels:
		d.Also = phrases.Sentence("pointwise.levels", *used.Value, all)
	case equal.Value != nil && *equal.Value > maxEqualPercent:
		d.Also = phrases.Sentence("pointwise.equal", scoring.Percentage(*equal.Value))
	}
	d.Also = strings.TrimSpace(d.Also + " " + yesBiasSentence(r))
	return d
}

// mostUsedScore returns the score that the judge gives most often, and its share in percent.
func mostUsedScore(r *scoring.Report) (score string, share float64) {
	for _, x := range r.Results {
		if name, ok := strings.CutPrefix(x.Metric, ScoreCountPrefix); ok && 100**x.Value > share*float64(x.N) {
			score, share = name, 100**x.Value/float64(x.N)
		}
	}
	return score, share
}
