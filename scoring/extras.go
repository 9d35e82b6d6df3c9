package scoring

import "slices"

// Repetitions holds how far a judge agrees with itself over repetitions of the same prompts. The scores of a run use
// the first repetition only.
type Repetitions struct {
	Repetitions int `json:"times"` // how often every prompt was asked
	// prompts with the same verdict in all repetitions, of those with a verdict in at least one, in percent; only over
	// items that were answered in all repetitions
	SelfAgreement Result `json:"self_agreement"`
	// every metric in each repetition by itself, on the same items as `self_agreement`
	Values []RepetitionValue `json:"values"`
}

// RepetitionValue holds one metric over a group of units, for each repetition by itself.
type RepetitionValue struct {
	Metric string `json:"metric"`         // key of the metric, as in `results`
	Group  string `json:"group"`          // `overall` or the name of the group of units, as in `results`
	Mode   string `json:"mode,omitempty"` // the mode in which the judge was asked, as in `results`
	Unit   string `json:"unit,omitempty"` // unit of the values, if not percent
	Units  int    `json:"pairs"`          // pairs, or other scored units, that were answered in all repetitions
	// the metric in each repetition, in percent or in `unit`; null where undefined
	Values []*float64 `json:"each"`
	// the largest difference between two of `each`, in points, or in `unit`; a difference between runs that does not
	// exceed it may come from the server
	NoiseFloor *float64 `json:"noise_floor"`
}

// Bin holds one bin of a reliability diagram: the judgments with a confidence above From and at most To.
type Bin struct {
	// lower end of the bin's confidences, itself left out; the first bin includes 0
	From       float64  `json:"from"`
	To         float64  `json:"to"`         // upper end of the bin's confidences, itself included
	N          int      `json:"n"`          // judgments in the bin
	Confidence *float64 `json:"confidence"` // mean confidence of these judgments, 0 to 1; null if there are none
	Accuracy   *float64 `json:"accuracy"`   // share of these judgments that are correct, 0 to 1
}

// Point holds one point of the curve of accuracy over coverage: it counts only the judgments with a confidence of at
// least Threshold.
type Point struct {
	Coverage  float64  `json:"coverage"`  // share of all judgments with at least the confidence `threshold`, 0 to 1
	N         int      `json:"n"`         // number of judgments with at least the confidence `threshold`
	Threshold float64  `json:"threshold"` // lowest confidence of the judgments that this point counts, 0 to 1
	Accuracy  Estimate `json:"accuracy"`  // share of correct judgments among those that this point counts, 0 to 1
}

// Calibration compares a judge's confidence with its accuracy. All numbers are from 0 to 1. Judgments without a verdict
// or without probabilities are left out.
//
// Brier is the mean of (confidence − right)² (Brier, Monthly Weather Review 78, 1950); ECE is the expected
// calibration error over ten bins of equal width (Guo et al., arXiv 1706.04599, Eq. 3). Intervals resample the
// scored units.
type Calibration struct {
	// decided judgments with probabilities in the first repetition, of complete items with a label
	N           int      `json:"n"`
	Unknown     int      `json:"unknown"`    // decided judgments that are left out because they have no probabilities
	MissingRule string   `json:"missing"`    // how judgments without a verdict count, in words
	Confidence  Estimate `json:"confidence"` // mean probability of the chosen label
	Accuracy    Estimate `json:"accuracy"`   // share of correct judgments
	Brier       Estimate `json:"brier"`      // mean of (confidence − right)²; 0 is best
	// expected calibration error: mean distance between accuracy and confidence over the bins, weighted by their judgments
	ECE Estimate `json:"ece"`
	// the `ece` of a perfectly calibrated judge: mean and 95 % range
	PerfectECE Estimate `json:"ece_calibrated"`
	Bins       []Bin    `json:"bins"` // ten bins of equal width over the confidences from 0 to 1
	// accuracy over coverage: at most ten points, the highest confidence first
	AccuracyOverCoverage []Point `json:"coverage"`
}

// Soft holds the quality of soft verdicts on pairs: the log odds of one response over the other by the label
// probabilities, averaged over the two orders.
type Soft struct {
	// calibration of the confidence in the response with the higher odds, once per pair; even odds count as wrong
	Calibration Calibration `json:"calibration"`
	// area under the ROC curve of the averaged odds: the probability that a pair with label A has higher odds
	// than one with label B
	AUROC Estimate `json:"auroc"`
}

// Proportion holds a share of units, in percent, with its interval; the numbers are null without units.
type Proportion struct {
	Value *float64 `json:"value"` // share in percent
	Low   *float64 `json:"low"`   // lower end of the 95 % interval of `value`
	High  *float64 `json:"high"`  // upper end of the 95 % interval of `value`
	N     int      `json:"n"`     // units of which `value` is a share
}

// Odds holds an odds ratio with its interval and p-value (Student's t, corrected by Holm for all causes of a bias
// analysis).
type Odds struct {
	Ratio float64 `json:"ratio"` // odds ratio; 1: no effect
	Low   float64 `json:"low"`   // lower end of the interval of `ratio`
	High  float64 `json:"high"`  // upper end of the interval of `ratio`
	P     float64 `json:"p"`     // two-sided p-value of "the ratio is 1", corrected by Holm for all causes
}

// Baseline holds the results of a rule that picks responses without reading them, such as the longer one.
type Baseline struct {
	Name  string   `json:"name"`           // the response that the rule picks, such as `the longer`
	Value float64  `json:"value"`          // percent of the pairs on which the rule is correct in both orders
	Low   *float64 `json:"low,omitempty"`  // lower end of the interval of `value`; none if the value is fixed by design
	High  *float64 `json:"high,omitempty"` // upper end of the interval of `value`
	// pairs, or clusters of pairs, on which the judge is correct more often than the rule
	OnlyJudgeCorrect int `json:"only_judge,omitempty"`
	// pairs, or clusters of pairs, on which the rule is correct more often than the judge
	OnlyRuleCorrect int `json:"only_rule,omitempty"`
	// p-value of McNemar's exact test between judge and rule
	P *float64 `json:"p,omitempty"`

	Followed *Proportion `json:"named,omitempty"` // verdicts of the judge that name the response picked by the rule
	// pairs on which the judge is correct in both orders, of those on which the rule is wrong
	CorrectWhereRuleWrong *Proportion `json:"right_against,omitempty"`
}

// Result returns the share as a Result that names no metric.
func (x Proportion) Result() Result { return Result{Value: x.Value, Low: x.Low, High: x.High, N: x.N} }

// MarginTest holds the result of testing whether two runs have the same headline metric within a margin.
type MarginTest struct {
	Metric string  `json:"metric"` // key of the headline metric
	Points float64 `json:"points"` // the margin, in percentage points
	// `the same`: the 90 % interval lies within ±`points`; `different`: it does not, and the p of McNemar's test is
	// below 0.05; else `cannot say`
	Verdict        string   `json:"verdict"`
	BMinusA        *float64 `json:"difference"`         // value of run B − value of run A, in points
	Low            *float64 `json:"low"`                // lower end of the 90 % score interval (Tango) of `difference`
	High           *float64 `json:"high"`               // upper end of the 90 % score interval (Tango) of `difference`
	IntervalMethod string   `json:"interval,omitempty"` // method of the interval, see PROTOCOLS.md §5
	N              int      `json:"n"`                  // items that both runs judged
	RightToWrong   int      `json:"right_to_wrong"`     // items on which run A alone is right
	WrongToRight   int      `json:"wrong_to_right"`     // items on which run B alone is right
	// pairs whose verdict changes with the order, in A and in B; null for protocols with one order
	ChangedWithOrder *[2]int `json:"changed_with_order"`
	// with `cannot say`: number of pairs with which the test would show, with 80 % probability, that two equally good runs
	// are the same within the margin
	PairsNeeded *int `json:"pairs_that_would"`
}

// Breakdown counts the units of a group, such as pairs, by their outcome; each unit has one.
type Breakdown struct {
	Group string        `json:"group"` // `overall` or the name of the group of units, as in `results`
	N     int           `json:"n"`     // number of units in the group
	Parts []OutcomePart `json:"parts"` // the outcomes that occur, each with its units
}

// OutcomePart counts the units with one outcome.
type OutcomePart struct {
	Name string `json:"part"` // name of the outcome; of pairs: `right`, `wrong`, `tie`, `first`, `second` or `missing`
	N    int    `json:"n"`    // number of units with this outcome
}

// Count returns the number of units with the named outcome.
func (b Breakdown) Count(part string) int {
	if i := slices.IndexFunc(b.Parts, func(p OutcomePart) bool { return p.Name == part }); i >= 0 {
		return b.Parts[i].N
	}
	return 0
}

// Values of MarginTest.Verdict: results of testing whether two runs are the same within a margin.
const (
	WithinMargin       = "the same"
	MarginDifferent    = "different"
	MarginInconclusive = "cannot say"
)
