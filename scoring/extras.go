package scoring

import "slices"

// Repetitions says how often a judge agrees with itself when it is asked the same
// again. The scores of a run are those of the first time; the others are here.
type Repetitions struct {
	Repetitions int `json:"times"` // how often every prompt was asked
	// prompts that came to the same verdict every time, of those that got one at least once, in percent; only of items
	// that were answered every time
	SelfAgreement Result            `json:"self_agreement"`
	Values        []RepetitionValue `json:"values"` // each time by itself, on those items
}

// RepetitionValue is one metric over all units, each time.
type RepetitionValue struct {
	Metric string     `json:"metric"`         // as in `results`
	Group  string     `json:"group"`          // as in `results`
	Mode   string     `json:"mode,omitempty"` // as in `results`
	Unit   string     `json:"unit,omitempty"` // as in `results`
	Pairs  int        `json:"pairs"`          // or other units, that were answered every time
	Each   []*float64 `json:"each"`           // the metric each time, the first time first; null where undefined
	// the largest difference between two of `each`, in points, or in `unit`: a difference between runs that is not
	// larger may be the server's
	NoiseFloor *float64 `json:"noise_floor"`
}

// Bin of a reliability diagram: the judgments whose confidence lies in (From, To].
type Bin struct {
	From       float64  `json:"from"`       // confidence above this (0 is in the first bin)
	To         float64  `json:"to"`         // and up to this
	N          int      `json:"n"`          // judgments
	Confidence *float64 `json:"confidence"` // their mean
	Accuracy   *float64 `json:"accuracy"`   // share that is right
}

// Point of the curve of accuracy over coverage: the judge's word is taken only
// where its confidence is at least Threshold.
type Point struct {
	Coverage  float64  `json:"coverage"`  // share of the judgments
	N         int      `json:"n"`         // their number
	Threshold float64  `json:"threshold"` // their confidence is at least this
	Accuracy  Estimate `json:"accuracy"`  // share of them that is right
}

// Calibration says whether a judge is as often right as it is sure. All numbers are from 0 to 1. Judgments without a
// verdict, or whose server returned no probabilities, are left out.
//
// Brier is the mean of (confidence − right)² (Brier, Monthly Weather Review 78, 1950); ECE is the
// expected calibration error over ten bins of equal width (Guo et al., arXiv 1706.04599, Eq. 3). Intervals
// resample what is scored.
type Calibration struct {
	// decided judgments of the first time with probabilities, of items with a label and all their judgments
	N          int      `json:"n"`
	Unknown    int      `json:"unknown"`    // decided judgments without
	Missing    string   `json:"missing"`    // how judgments without a verdict counted
	Confidence Estimate `json:"confidence"` // mean probability of what was named
	Accuracy   Estimate `json:"accuracy"`   // share of the judgments that are right
	Brier      Estimate `json:"brier"`      // mean of (confidence − right)²; 0 is best
	// expected calibration error: mean distance of accuracy and confidence over the bins, weighted by judgments
	ECE Estimate `json:"ece"`
	// the `ece` of a judge that is as often right as it is sure: mean, and where 95 % of such lie
	Calibrated Estimate `json:"ece_calibrated"`
	Bins       []Bin    `json:"bins"`     // always ten, of equal width
	Coverage   []Point  `json:"coverage"` // at most ten, the highest confidence first
}

// Soft is how good the soft verdicts of pairs are: the natural logarithms of the odds that the label probabilities of
// the two orders give one response over the other, averaged. Confidence, accuracy, Brier and calibration are of the
// response that they favour, one for each pair; even odds count as wrong.
type Soft struct {
	// of the response that they favour, once for each pair; even odds are wrong
	Calibration Calibration `json:"calibration"`
	// area under the ROC curve of the averaged odds: how probable it is that they are higher of a pair whose label is
	// A than of one whose label is B
	AUROC Estimate `json:"auroc"`
}

// Proportion is a share of units, in percent, with its interval; null if there are no units.
type Proportion struct {
	Value *float64 `json:"value"` // percent
	Low   *float64 `json:"low"`   // of its interval
	High  *float64 `json:"high"`  // as low
	N     int      `json:"n"`     // units
}

// Odds are a ratio with its interval, and p by Student's t, corrected by Holm for all causes.
type Odds struct {
	Ratio float64 `json:"ratio"` // 1 changes nothing
	Low   float64 `json:"low"`   // of its interval
	High  float64 `json:"high"`  // as low
	P     float64 `json:"p"`     // corrected
}

// Rule is a baseline that names responses without reading them.
type Rule struct {
	Name  string   `json:"name"`           // what it names
	Value float64  `json:"value"`          // percent of the pairs that it is right on in both orders
	Low   *float64 `json:"low,omitempty"`  // of its interval; none of a rule that no pair can tell from another
	High  *float64 `json:"high,omitempty"` // as low
	// pairs, or where they belong together clusters of them, on which the judge is right more often, and the rule
	OnlyJudge int `json:"only_judge,omitempty"`
	OnlyRule  int `json:"only_rule,omitempty"` // as only_judge
	// of McNemar's exact test of the two
	P *float64 `json:"p,omitempty"`

	Named   *Proportion `json:"named,omitempty"`         // verdicts that name what the rule names
	Against *Proportion `json:"right_against,omitempty"` // pairs correct in both orders whose better response is the other
}

// Result returns the share as a result without a metric.
func (x Proportion) Result() Result { return Result{Value: x.Value, Low: x.Low, High: x.High, N: x.N} }

// Within says whether two runs have the same headline, within a margin.
type Within struct {
	Metric string  `json:"metric"` // the headline
	Points float64 `json:"points"` // the margin
	// `the same`: the 90 % interval lies within ±`points`; `different`: it does not, and the p of McNemar's test is
	// below 0.05; else `cannot say`
	Verdict      string   `json:"verdict"`
	Diff         *float64 `json:"difference"`         // B − A, in points
	Low          *float64 `json:"low"`                // of its 90 % score interval (Tango)
	High         *float64 `json:"high"`               // of its 90 % score interval
	Interval     string   `json:"interval,omitempty"` // how it was made, see PROTOCOLS.md §5
	N            int      `json:"n"`                  // items that both have
	RightToWrong int      `json:"right_to_wrong"`     // items that are right in A alone
	WrongToRight int      `json:"wrong_to_right"`     // items that are right in B alone
	// pairs whose two judgments name different responses, in A and in B; null where each is asked once
	Turned *[2]int `json:"changed_with_order"`
	// with `cannot say`: how many would show that the two are the same, four times of five, if they are
	Pairs *int `json:"pairs_that_would"`
}

// Breakdown says what became of the units of a group: each is in one part.
type Breakdown struct {
	Group string `json:"group"` // as in `results`
	N     int    `json:"n"`     // units
	Parts []Part `json:"parts"` // those that hold a unit
}

// Part is a kind of end that units come to.
type Part struct {
	Name string `json:"part"` // of pairs: `right`, `wrong`, `tie`, `first`, `second` or `missing`
	N    int    `json:"n"`    // units
}

// Count of the units in a part.
func (b Breakdown) Count(part string) int {
	if i := slices.IndexFunc(b.Parts, func(p Part) bool { return p.Name == part }); i >= 0 {
		return b.Parts[i].N
	}
	return 0
}

// Verdicts on whether two runs are the same within a margin.
const (
	WithinMargin = "the same"
	Different    = "different"
	CannotSay    = "cannot say"
)
