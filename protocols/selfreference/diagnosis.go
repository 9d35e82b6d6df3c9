package selfreference

import (
	"cmp"
	"fmt"
	"math"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// How far a judge calls right answers Correct more often than wrong ones, in points: 0 is chance, 100 is perfect
// (Youden's J). A third is right on two in three of either kind, two thirds on five in six.
const (
	usableFrom = 100.0 / 3
	strongFrom = 200.0 / 3
)

// codeOwnAnswer is of a judge that believes its own answer.
const codeOwnAnswer = "own-answer"

// Diagnose says what a judge of answers is good for, by the first of its modes.
func (f *judgments) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := rule(r)
	says, also := sentences(r, d)
	d.Text = cmp.Or(says, d.Text)
	d.Also = also
	return d
}

// rule is the first rule that is met.
func rule(r *scoring.Report) scoring.Diagnosis {
	if d, found := r.Silence("judgment"); found {
		return d
	}
	for _, mode := range modes {
		if r.Has(mode) {
			return diagnose(r, mode)
		}
	}
	return scoring.Unknowing(scoring.CodeNothing, "No answer has been judged yet.")
}

func diagnose(r *scoring.Report, mode string) scoring.Diagnosis {
	find := func(metric string) scoring.Result { return r.Result(metric, scoring.Overall, mode) }
	accuracy := find(Accuracy)
	recall := find(Recall)
	precision := find(Precision)
	all := float64(accuracy.N)
	right := float64(recall.N)
	called := float64(precision.N)
	worth := 1.0
	if c := accuracy.Clusters; c > 0 {
		worth = float64(c) / all // of judgments of one question
	}
	if all == 0 {
		return scoring.Unknowing(scoring.CodeNothing, "No answer has been judged yet.")
	}
	for label, n := range map[string]float64{"Correct": called, "Incorrect": all - called} {
		e := scoring.ShareOf("called-"+label, worth*n, worth*all, scoring.MostOneWay)
		text := fmt.Sprintf("Calls nearly every answer %s (%s): not a judge here.", label, e)
		if n == all {
			text = fmt.Sprintf("Calls %s (100 %% of %.0f): not a judge here.", oneWay(called), all)
		}
		if d, found := e.Unusable(scoring.CodeLabel, text); found {
			return d
		}
	}
	if recall.Value == nil || right == 0 || right == all {
		return scoring.Unknowing(scoring.CodeFew, "All answers are right, or none is: there is nothing to tell apart.")
	}
	hits := math.Round(*recall.Value / 100 * right)
	apart := informedness(worth*hits, worth*right, worth*(called-hits), worth*(all-right))
	d := scoring.Diagnosis{Evidence: []scoring.Evidence{apart}}
	whole := func(x float64) float64 { return scoring.Unsigned(x, 0) }
	text := fmt.Sprintf("calls %.0f %% of right answers Correct and %.0f %% of wrong ones, %.0f points [%.0f, %.0f] apart",
		*recall.Value, 100*(called-hits)/(all-right), whole(apart.Value), whole(apart.Low), whole(apart.High))
	if called == 0 || called == all {
		text = fmt.Sprintf("calls %s (%.0f answers)", oneWay(called), all)
	}
	d.Level, d.Code = apart.Chance(apart.High > usableFrom)
	if d.Code != "" {
		d.Text = map[string]string{
			scoring.CodeInverted: "Worse than chance: it " + text + ". Are the labels turned round?",
			scoring.CodeFew:      "Too few answers to tell it from chance: it " + text + ".",
			scoring.CodeChance:   "No better than chance: it " + text + ".",
		}[d.Code]
		return d
	}
	d.Level, d.Text = level(apart), "It "+text+"."
	d.Code = string(d.Level)
	if own, ok := find(JMinusCorrect).Held(scoring.UsableFrom); ok && own.Below {
		d.Level, d.Code = scoring.Weak, codeOwnAnswer
		d.Evidence = append(d.Evidence, own)
		d.Text = fmt.Sprintf("Believes its own answer: "+
			"where that is wrong it calls only %s of right answers Correct; it %s.", own, text)
	}
	return d
}

// oneWay is which answers are called so, of a judge that says the same of all: called are the Correct ones.
func oneWay(called float64) string {
	if called == 0 {
		return "no answer Correct"
	}
	return "every answer Correct"
}

func level(apart scoring.Evidence) scoring.Level {
	switch {
	case apart.Against(strongFrom).Surely():
		return scoring.Strong
	case apart.Low > usableFrom:
		return scoring.Usable
	}
	return scoring.Weak
}

// informedness is Youden's J in points: the share of right answers called Correct less that of wrong ones. Its interval
// joins those of the two shares.
//
// Sources: Youden, Cancer 3 (1950), 32–35; Newcombe, Statistics in Medicine 17 (1998), 873–890,
// method 10, with exact ends.
func informedness(hits, right, alarms, wrong float64) scoring.Evidence {
	a, b := scoring.ShareOf("", hits, math.Max(1, right), 0), scoring.ShareOf("", alarms, math.Max(1, wrong), 0)
	iv := stats.Apart(a.Value, b.Value, stats.Interval{Low: a.Low, High: a.High}, stats.Interval{Low: b.Low, High: b.High})
	e := scoring.Evidence{
		Metric:   "informedness",
		Unit:     "points",
		Value:    a.Value - b.Value,
		Low:      iv.Low,
		High:     iv.High,
		Interval: scoring.ByMover,
		N:        a.N + b.N,
	}
	return e.Against(0)
}
