package scoring

// Repetitions says how often a judge agrees with itself when it is asked the same
// again. The scores of a run are those of the first time; the others are here.
type Repetitions struct {
	Repetitions int `json:"times"` // how often every prompt was asked
	// SelfAgreement is the share of prompts whose replies all came to the same verdict, in percent, of prompts that
	// were answered every time and got a verdict at least once. A reply without one agrees with none that has.
	SelfAgreement Result `json:"self_agreement"`
	// Values are the scores of each time by itself, on the pairs that were answered every time.
	Values []RepetitionValue `json:"values"`
}

// RepetitionValue is one metric over all pairs, each time.
type RepetitionValue struct {
	Metric string     `json:"metric"`
	Group  string     `json:"group"`
	Pairs  int        `json:"pairs"` // whatever the metric is a share of
	Each   []*float64 `json:"each"`
	// NoiseFloor is the largest difference between two of the times, in percentage points: a difference between runs
	// that is not larger may be the server's. Null where a time has no value.
	NoiseFloor *float64 `json:"noise_floor"`
}

// Estimate is a number with its interval; the ends are null where every pair
// counts the same and no interval can be given.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`

	Interval string `json:"interval,omitempty"` // how it was made: one of the By constants
}

// Bin of a reliability diagram: the judgments whose confidence lies in (From, To].
type Bin struct {
	From       float64  `json:"from"`
	To         float64  `json:"to"`
	N          int      `json:"n"`          // judgments
	Confidence *float64 `json:"confidence"` // mean; null where N is 0
	Accuracy   *float64 `json:"accuracy"`   // share right
}

// Point of the curve of accuracy over coverage: the judge's word is taken only
// where its confidence is at least Threshold.
type Point struct {
	Coverage  float64  `json:"coverage"` // share of the judgments
	N         int      `json:"n"`
	Threshold float64  `json:"threshold"`
	Accuracy  Estimate `json:"accuracy"`
}

// Calibration says whether a judge is as often right as it is sure. All numbers are from 0 to 1. Judgments without a
// verdict, or whose server told no probabilities, are left out.
//
// Brier is the mean of (confidence − right)² (Brier, Monthly Weather Review 78, 1950); ECE is the expected calibration
// error over ten bins of equal width (Guo et al., arXiv 1706.04599, Eq. 3). Intervals resample pairs.
type Calibration struct {
	N          int      `json:"n"`       // decided judgments with a confidence
	Unknown    int      `json:"unknown"` // decided judgments without
	Missing    string   `json:"missing"`
	Confidence Estimate `json:"confidence"` // mean
	Accuracy   Estimate `json:"accuracy"`   // share right
	Brier      Estimate `json:"brier"`
	ECE        Estimate `json:"ece"`
	Calibrated Estimate `json:"ece_calibrated"` // the ECE of a judge that is as often right as it is sure: mean, and where 95 % of such lie
	Bins       []Bin    `json:"bins"`
	Coverage   []Point  `json:"coverage"`
}
