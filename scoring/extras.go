package scoring

import "slices"

// Repetitions holds the self-agreement of a judge over repetitions of the same prompts. The scores of a run use
// the first repetition only.
type Repetitions struct {
	Repetitions int `json:"times"` // how often every prompt was asked
	// prompts with the same verdict in all repetitions, of those with a verdict in at least one, in percent; only over
	// items that were answered in all repetitions
	SelfAgreement Result            `json:"self_agreement"`
	Values        []RepetitionValue `json:"values"` // each repetition by itself, on those items
}

// RepetitionValue holds one metric over all units, for each repetition.
type RepetitionValue struct {
	Metric string     `json:"metric"`         // as in `results`
	Group  string     `json:"group"`          // as in `results`
	Mode   string     `json:"mode,omitempty"` // as in `results`
	Unit   string     `json:"unit,omitempty"` // as in `results`
	Pairs  int        `json:"pairs"`          // or other units, answered in all repetitions
	Each   []*float64 `json:"each"`           // the metric in each repetition; null where undefined
	// the largest difference between two of `each`, in points, or in `unit`; a difference between runs that does not
	// exceed it may come from the server
	NoiseFloor *float64 `json:"noise_floor"`
}

// Bin holds one bin of a reliability diagram: the judgments whose confidence lies in (From, To].
type Bin struct {
	From       float64  `json:"from"`       // confidence above this (0 is in the first bin)
	To         float64  `json:"to"`         // and up to this
	N          int      `json:"n"`          // judgments
	Confidence *float64 `json:"confidence"` // their mean
	Accuracy   *float64 `json:"accuracy"`   // share of correct ones
}

// Point holds one point of the curve of accuracy over coverage: only judgments with a confidence of at least Threshold
// count.
type Point struct {
	Coverage  float64  `json:"coverage"`  // share of the judgments
	N         int      `json:"n"`         // their number
	Threshold float64  `json:"threshold"` // their lowest confidence
	Accuracy  Estimate `json:"accuracy"`  // share of correct ones
}

// Calibration compares a judge's confidence with its accuracy. All numbers are from 0 to 1. Judgments without a verdict
// or without probabilities are left out.
//
// Brier is the mean of (confidence − right)² (Brier, Monthly Weather Review 78, 1950); ECE is the expected
// calibration error over ten bins of equal width (Guo et al., arXiv 1706.04599, Eq. 3). Intervals resample the
// scored units.
type Calibration struct {
	// decided judgments with probabilities in the first repetition, of complete items with a label
	N          int      `json:"n"`
	Unknown    int      `json:"unknown"`    // decided judgments without probabilities
	Missing    string   `json:"missing"`    // how judgments without a verdict count
	Confidence Estimate `json:"confidence"` // mean probability of the chosen label
	Accuracy   Estimate `json:"accuracy"`   // share of correct judgments
	Brier      Estimate `json:"brier"`      // mean of (confidence − right)²; 0 is best
	// expected calibration error: mean distance of accuracy and confidence over the bins, weighted by judgments
	ECE Estimate `json:"ece"`
	// the `ece` of a perfectly calibrated judge: mean and 95 % range
	Calibrated Estimate `json:"ece_calibrated"`
	Bins       []Bin    `json:"bins"`     // always ten, of equal width
	Coverage   []Point  `json:"coverage"` // at most ten, the highest confidence first
}

// Soft holds the quality of soft verdicts on pairs: the log odds of one response over the other by the label
// probabilities, averaged over the two orders. Confidence, accuracy, Brier and calibration refer to the favoured
// response, once per pair; even odds count as wrong.
type Soft struct {
	// of the favoured response, once per pair; even odds count as wrong
	Calibration Calibration `json:"calibration"`
	// area under the ROC curve of the averaged odds: the probability that a pair with label A has higher odds
	// than one with label B
	AUROC Estimate `json:"auroc"`
}

// Proportion holds a share of units, in percent, with its interval; null without units.
type Proportion struct {
	Value *float64 `json:"value"` // percent
	Low   *float64 `json:"low"`   // of its interval
	High  *float64 `json:"high"`  // of its interval
	N     int      `json:"n"`     // units
}

// Odds holds an odds ratio with its interval and p-value (Student's t, corrected by Holm for all causes).
type Odds struct {
	Ratio float64 `json:"ratio"` // 1: no effect
	Low   float64 `json:"low"`   // of its interval
	High  float64 `json:"high"`  // of its interval
	P     float64 `json:"p"`     // corrected
}

// Baseline holds the results of a baseline that picks responses without reading them.
type Baseline struct {
	Name  string   `json:"name"`           // the response that it picks
	Value float64  `json:"value"`          // percent of the pairs on which it is correct in both orders
	Low   *float64 `json:"low,omitempty"`  // of its interval; none if the value is fixed by design
	High  *float64 `json:"high,omitempty"` // of its interval
	// pairs, or clusters of pairs, on which the judge is correct more often than the rule
	OnlyJudge int `json:"only_judge,omitempty"`
	OnlyRule  int `json:"only_rule,omitempty"` // the reverse of only_judge
	// of McNemar's exact test between judge and rule
	P *float64 `json:"p,omitempty"`

	Followed   *Proportion `json:"named,omitempty"`         // verdicts that pick the same response as the rule
	WhereWrong *Proportion `json:"right_against,omitempty"` // pairs correct in both orders, of those the rule gets wrong
}

// Result returns the share as a result without a metric.
func (x Proportion) Result() Result { return Result{Value: x.Value, Low: x.Low, High: x.High, N: x.N} }

// MarginTest holds the result of testing whether two runs have the same headline within a margin.
type MarginTest struct {
	Metric string  `json:"metric"` // the headline
	Points float64 `json:"points"` // the margin
	// `the same`: the 90 % interval lies within ±`points`; `different`: it does not, and the p of McNemar's test is
	// below 0.05; else `cannot say`
	Verdict      string   `json:"verdict"`
	Diff         *float64 `json:"difference"`         // B − A, in points
	Low          *float64 `json:"low"`                // of its 90 % score interval (Tango)
	High         *float64 `json:"high"`               // of its 90 % score interval
	Interval     string   `json:"interval,omitempty"` // the method, see PROTOCOLS.md §5
	N            int      `json:"n"`                  // items that both have
	RightToWrong int      `json:"right_to_wrong"`     // items that are right in A alone
	WrongToRight int      `json:"wrong_to_right"`     // items that are right in B alone
	// pairs whose verdict changes with the order, in A and in B; null for protocols with one order
	ChangedWithOrder *[2]int `json:"changed_with_order"`
	// with `cannot say`: the number of pairs that would show with 80 % probability that the two are the same,
	// if they are
	Pairs *int `json:"pairs_that_would"`
}

// Breakdown counts the outcomes of a group's units; each unit has one.
type Breakdown struct {
	Group string        `json:"group"` // as in `results`
	N     int           `json:"n"`     // units
	Parts []OutcomePart `json:"parts"` // the outcomes that occur
}

// OutcomePart counts the units with one outcome.
type OutcomePart struct {
	Name string `json:"part"` // of pairs: `right`, `wrong`, `tie`, `first`, `second` or `missing`
	N    int    `json:"n"`    // units
}

// Count returns the number of units with an outcome.
func (b Breakdown) Count(part string) int {
	if i := slices.IndexFunc(b.Parts, func(p OutcomePart) bool { return p.Name == part }); i >= 0 {
		return b.Parts[i].N
	}
	return 0
}

// Results of testing whether two runs are the same within a margin.
const (
	WithinMargin = "the same"
	Different    = "different"
	CannotSay    = "cannot say"
)
