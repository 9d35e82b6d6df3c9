package selfreference

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// confidenceOption stores the confidence of the judge's own answers.
var confidenceOption = judging.Option{
	Name:    "gate",
	Label:   "Find from which confidence its own answer is worth showing",
	Usage:   "find from which confidence (--logprobs) its own answer is worth showing",
	Default: "false",
}

// Metrics of showing the judge's own answer only from a confidence on. The threshold is the best one on one half of
// the questions; the other metrics are over the other half.
const (
	GateThreshold = "gate-threshold"
	GatedAccuracy = "gated-accuracy"
	GateAlways    = "gated-always" // the own answer is always shown; in mode difference, gated less that
	GateNever     = "gated-never"  // it is never shown; in mode difference, gated less that
)

// gateSplitHalf returns 1 for a judgment on which the threshold is chosen and 2 for one of the other half, by the hash
// of its question; 0 if one of the modes or the confidence of the own answer is missing.
func (j judgment) gateSplitHalf() int {
	if j.ownConfidence == 0 || j.modeCount < 2 {
		return 0
	}
	return 1 + int(sha256.Sum256([]byte(j.question))[0]%2)
}

// gate returns the threshold and the results of the other half; nil without a confidence.
func (f *selfReferenceScorer) gate(rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap) []scoring.Result {
	half := slices.DeleteFunc(slices.Clone(f.rows), func(j *judgment) bool { return j.gateSplitHalf() != 1 })
	if len(half) == 0 || referenceSetting(rep.Settings) != ReferenceOwn {
		return nil
	}
	slices.SortStableFunc(half, func(x, y *judgment) int { return cmp.Compare(y.ownConfidence, x.ownConfidence) })
	threshold := 1.01 // never shown
	gain := 0.0
	best := 0.0
	for i, j := range half {
		gain += scoring.Indicator(j.rightIn(1)) - scoring.Indicator(j.rightIn(0))
		if gain > best && (i+1 == len(half) || half[i+1].ownConfidence < j.ownConfidence) {
			threshold = j.ownConfidence
			best = gain
		}
	}
	var list []scoring.Metric
	for k, name := range []string{GatedAccuracy, GateAlways, GateNever} {
		m := shareMetric(name, 2*k)
		list = append(list, m)
		if k > 0 {
			m.Mode = scoring.ModeDifference
			m.Subtrahend = m.Columns
			m.Columns = list[0].Columns
			list = append(list, m)
		}
	}
	results := sheet.WithMetrics(list, 6, func(u scoring.Unit) []float64 {
		j := u.Data.(judgment)
		if j.gateSplitHalf() != 2 {
			return nil
		}
		row := []float64{0, 1, 0, 1, 0, 1}
		for k, mode := range []int{int(scoring.Indicator(j.ownConfidence >= threshold)), 1, 0} {
			row[2*k] = scoring.Indicator(j.rightIn(mode))
		}
		return row
	}).ScoreAsGroup(scoring.Overall, rep.Bootstrap.Unit, b)
	return append(results, scoring.Result{
		Metric: GateThreshold, Group: scoring.Overall, Value: scoring.RoundFraction(100 * threshold), N: len(half),
	})
}
