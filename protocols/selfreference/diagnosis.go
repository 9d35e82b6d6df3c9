package selfreference

import (
	"cmp"
	"math"

	"gavel/internal/phrases"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Thresholds of Youden's J, in points: 0 is chance, 100 is perfect. A third is correct on two in three of either kind
// of answer, two thirds on five in six.
const (
	usableYoudenJ = 100.0 / 3
	strongYoudenJ = 200.0 / 3
)

// codeTrustsOwnAnswer is the diagnosis of a judge that trusts its own answer even where that is wrong.
const codeTrustsOwnAnswer = "own-answer"

// Diagnose returns the level of a judge of answers, by the first of its modes, and sentences on
// whether its own answer helps.
func (f *selfReferenceScorer) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := diagnoseFirstMode(r)
	text, detail := referenceSentences(r, d)
	d.Text = cmp.Or(text, d.Text)
	d.Also = detail
	return d
}

// diagnoseFirstMode returns the diagnosis by the first mode that the run has, or of a run with too few verdicts.
func diagnoseFirstMode(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	for _, mode := range modes {
		if r.HasMode(mode) {
			return diagnose(r, mode)
		}
	}
	return scoring.UnknownDiagnosis(scoring.CodeNoItems, "self.nothing")
}

// diagnose returns the diagnosis of a judge by one mode, from how well it tells right answers from wrong ones.
func diagnose(r *scoring.Report, mode string) scoring.Diagnosis {
	find := func(metric string) scoring.Result { return r.Result(metric, scoring.Overall, mode) }
	accuracy := find(Accuracy)
	recall := find(Recall)
	precision := find(Precision)
	all := float64(accuracy.N)
	right := float64(recall.N)
	calledCorrect := float64(precision.N)
	worth := 1.0
	if c := accuracy.Clusters; c > 0 {
		worth = float64(c) / all // judgments of one question are not independent
	}
	if all == 0 {
		return scoring.UnknownDiagnosis(scoring.CodeNoItems, "self.nothing")
	}
	for label, n := range map[string]float64{"Correct": calledCorrect, "Incorrect": all - calledCorrect} {
		e := scoring.ShareEvidence("called-"+label, worth*n, worth*all, scoring.MaxOneLabelPercent)
		text := phrases.Sentence("self.nearly-one-label", e, label)
		if n == all {
			text = phrases.Sentence("self.one-label", sameLabelSentence(calledCorrect), all)
		}
		if d, ok := e.DiagnoseUnusableJudge(scoring.CodeOneLabel, text); ok {
			return d
		}
	}
	if recall.Value == nil || right == 0 || right == all {
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "self.one-kind")
	}
	hits := math.Round(*recall.Value / 100 * right)
	apart := informedness(worth*hits, worth*right, worth*(calledCorrect-hits), worth*(all-right))
	d := scoring.Diagnosis{Evidence: []scoring.Evidence{apart}}
	whole := func(x float64) float64 { return scoring.WithoutNegativeZero(x, 0) }
	text := phrases.Sentence("self.rates", *recall.Value, 100*(calledCorrect-hits)/(all-right),
		whole(apart.Value), whole(apart.Low), whole(apart.High))
	if calledCorrect == 0 || calledCorrect == all {
		text = phrases.Sentence("self.rates-one", sameLabelSentence(calledCorrect), all)
	}
	d.Level, d.Code = apart.CompareWithChance(apart.High > usableYoudenJ)
	if d.Code != "" {
		d.Text = phrases.Sentence("self.rates-"+d.Code, text)
		return d
	}
	d.Level, d.Text = judgeLevel(apart), phrases.Sentence("self.rates-better", text)
	d.Code = string(d.Level)
	if trust, ok := find(OnlyAgentRightAccuracy).CompareWithThreshold(scoring.UsableFrom); ok && trust.BelowThreshold {
		d.Level, d.Code = scoring.LevelWeak, codeTrustsOwnAnswer
		d.Evidence = append(d.Evidence, trust)
		d.Text = phrases.Sentence("self.own-answer", trust, text)
	}
	return d
}

// sameLabelSentence says in words that a judge gives all answers the same label, from the number that it calls Correct.
func sameLabelSentence(calledCorrect float64) string {
	if calledCorrect == 0 {
		return phrases.Sentence("self.none-correct")
	}
	return phrases.Sentence("self.all-correct")
}

// judgeLevel returns the level of a judge by its Youden's J.
func judgeLevel(apart scoring.Evidence) scoring.UsabilityLevel {
	switch {
	case apart.CompareWith(strongYoudenJ).IsAboveAt99Percent():
		return scoring.LevelStrong
	case apart.Low > usableYoudenJ:
		return scoring.LevelUsable
	}
	return scoring.LevelWeak
}

// informedness returns Youden's J in points: the share of right answers called Correct minus that of wrong answers. Its
// interval combines those of the two shares.
//
// Sources: Youden, Cancer 3 (1950), 32–35; Newcombe, Statistics in Medicine 17 (1998), 873–890,
// method 10, with exact ends.
func informedness(hits, right, alarms, wrong float64) scoring.Evidence {
	a := scoring.ShareEvidence("", hits, max(1, right), 0)
	b := scoring.ShareEvidence("", alarms, max(1, wrong), 0)
	iv := stats.DifferenceInterval(a.Value, b.Value,
		stats.Interval{Low: a.Low, High: a.High}, stats.Interval{Low: b.Low, High: b.High})
	e := scoring.Evidence{
		Metric:         "informedness",
		Unit:           "points",
		Value:          a.Value - b.Value,
		Low:            iv.Low,
		High:           iv.High,
		IntervalMethod: scoring.IntervalByMover,
		N:              a.N + b.N,
	}
	return e.CompareWith(0)
}
