package pairwise

import (
	"cmp"
	"math"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// softVerdictMetric names the metric of soft verdicts: which response the label probabilities of a pair's two judgments
// favour, averaged in log space. Position bias that is the same in both orders cancels out (PROTOCOLS.md §1).
const softVerdictMetric = "soft"

// softMetric computes soft. Only sheets in which some pair has a soft verdict have it.
var softMetric = scoring.Metric{
	Name:    softVerdictMetric,
	Kind:    scoring.KindHalfPoints,
	Columns: scoring.ColumnSpan{ownColumnSpan[1], ownColumnSpan[1] + 2},
}

// softScore returns a pair's numerator (1, 0, or ½ at equal odds) and denominator in the share of right soft
// verdicts. den is 0 if the pair has no soft verdict.
func (u pair) softScore() (num, den float64) {
	if len(u.odds) < 2 {
		return 0, 0
	}
	toGold := u.meanLogOdds() * (1 - 2*float64(u.gold))
	switch {
	case toGold > 0:
		return 1, 1
	case toGold < 0:
		return 0, 1
	}
	return .5, 1
}

// verdictLogOdds returns the natural logarithm of the odds of response A over B by the label probabilities of a
// judgment. Probabilities of several labels for one response are added. It returns false if the record lacks the
// probabilities of a response.
func (f *pairScorer) verdictLogOdds(r *judging.Record) (float64, bool) {
	var p [2]float64
	best := math.Inf(-1)
	logprob := func(l judging.Probability) float64 {
		if l.Logprob != nil {
			return *l.Logprob
		}
		return math.Log(l.P)
	}
	for _, l := range r.Probabilities {
		best = max(best, logprob(l))
	}
	presentation := r.Shown()
	for _, l := range r.Probabilities {
		v := f.asker.Parse(presentation, l.Label, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if v.Outcome == judging.Decided {
			p[v.Choice] += math.Exp(logprob(l) - best)
		}
	}
	odds := math.Log(p[0]) - math.Log(p[1])
	return odds, !math.IsInf(odds, 0) && !math.IsNaN(odds)
}

// meanLogOdds returns the mean of both orders' log odds of response A over B. The pair must have a soft verdict.
func (u pair) meanLogOdds() float64 { return (u.odds[1] + u.odds[0]) / 2 }

// softVerdicts returns the calibration of soft verdicts and their AUROC; nil if there are none.
func (f *pairScorer) softVerdicts(s *scoring.Sheet, b stats.Bootstrap) *scoring.Soft {
	var forecasts []scoring.Forecast
	var scored []stats.Scored
	for _, x := range s.Units {
		u := x.Data.(*pair)
		cluster := cmp.Or(x.Cluster, x.ID)
		right, den := u.softScore()
		if den == 0 {
			continue
		}
		odds := u.meanLogOdds()
		p := 1 / (1 + math.Exp(-math.Abs(odds)))
		forecasts = append(forecasts, scoring.Forecast{UnitID: cluster, P: p, Right: right == 1})
		scored = append(scored, stats.Scored{Score: odds, Positive: u.gold == 0, Cluster: cluster})
	}
	if forecasts == nil {
		return nil
	}
	out := &scoring.Soft{Calibration: *scoring.Calibrate(forecasts, "pair", b)}
	out.Calibration.Unknown, out.Calibration.MissingRule = len(f.rows)-f.Unlabelled()-len(forecasts), "pair left out"
	if area, iv := stats.AUROC(scored, b.Level); !math.IsNaN(area) {
		out.AUROC = scoring.Estimate{
			Value:          scoring.RoundFraction(area),
			Low:            scoring.RoundFraction(iv.Low),
			High:           scoring.RoundFraction(iv.High),
			IntervalMethod: scoring.IntervalByMidP,
		}
	}
	return out
}
