package scoring

import "gavel/judging"

// Side is one run of a comparison.
type Side struct {
	Run      string `json:"run"`      // the folder
	ID       string `json:"id"`       // of the run
	Protocol string `json:"protocol"` // as in the manifest
	Question
	Items int `json:"items"` // scored

	Ledger *Ledger `json:"ledger,omitempty"` // what all of the run cost

	silent   bool // no judgment has a verdict
	manifest *judging.Manifest
}

// Difference is one metric on one group: B minus A, in percentage points.
type Difference struct {
	Metric   string    `json:"metric"`             // as in `results`
	Group    string    `json:"group"`              // as in `results`
	Mode     string    `json:"mode,omitempty"`     // as in `results`
	Unit     string    `json:"unit,omitempty"`     // of the values, where they are not percent
	A        *float64  `json:"a"`                  // of the first run
	B        *float64  `json:"b"`                  // of the second
	Diff     *float64  `json:"difference"`         // `b` − `a`
	Low      *float64  `json:"low"`                // of the paired interval
	High     *float64  `json:"high"`               // of the paired interval
	Interval string    `json:"interval,omitempty"` // how it was made
	N        int       `json:"n"`                  // units that both judged
	Table    *Table2x2 `json:"table,omitempty"`    // of metrics that are right or wrong unit by unit
	// where a run is not at its end: evidence against that they are alike; `p` is 1/`e`
	E    *float64 `json:"e,omitempty"`
	P    *float64 `json:"p,omitempty"`      // two-sided: exact McNemar, or what `test` says; all its digits
	Test string   `json:"test,omitempty"`   // what `p` is of where it is not exact McNemar
	Holm *float64 `json:"p_holm,omitempty"` // corrected by Holm's method over the `family`
	// printed as `n.s.`: the interval holds 0, `p_holm` is not below 0.05, or the difference is not larger than
	// `noise_floor`
	Noise bool `json:"may_be_noise"`
	// in points, or in `unit`: the larger of the two runs'; null where neither asked more than once
	Floor *float64 `json:"noise_floor"`
	Note  string   `json:"note,omitempty"` // where there is something to say

	tested      int     // rows that were compared by the test
	atEveryLook *bounds // of the headline, at 90 %, where a run is not at its end
}

// Result returns the difference as a result.
func (d Difference) Result() Result {
	return Result{
		Metric: d.Metric,
		Group:  d.Group,
		Mode:   ModeDifference,
		Unit:   d.Unit,
		Value:  d.Diff,
		Low:    d.Low,
		High:   d.High,
		N:      d.N,
	}
}

// Ensemble is two goals of one model taken as one judge: it answers where both name the same
// response in all four judgments.
type Ensemble struct {
	Coverage Result `json:"coverage"` // share of pairs that it answers
	Strict   Result `json:"strict"`   // among those
}

// Comparison is two runs on the same units.
type Comparison struct {
	A, B  Side    `json:"-"`
	Sides [2]Side `json:"runs"` // A and B
	Says  string  `json:"says"` // the answer in a sentence or two
	N     int     `json:"n"`    // units that both judged
	// what `n` counts, where it is not pairs: `answer`, `judgment`, `item`
	Unit        string       `json:"unit,omitempty"`
	OnlyA       int          `json:"only_in_a"`   // left out, since B has not judged them
	OnlyB       int          `json:"only_in_b"`   // left out, since A has not judged them
	Differences []Difference `json:"differences"` // a row per metric, group and mode
	Matched
	// units whose verdict changed with the order, where they are asked in several
	Turned *[2]int `json:"-"`
	// what became in A and in B of the units that both judged
	Became [2]Breakdown `json:"-"`
	// printed after `!`
	Warnings []string `json:"warnings"`

	stands Metric // the metric that stands for the comparison; without a name: the first
}

// Matched has the results of a comparison other than differences of metrics.
type Matched struct {
	// of pairs: who is right on those where each of the two gives the same verdict in both orders; left out where
	// several belong together, or a run is not at its end
	Alike *Difference `json:"where_both_agree,omitempty"`
	// the same by category; `p_holm` is over these
	AlikeByGroup []Difference `json:"where_both_agree_by_group,omitempty"`
	// two goals of one model on pairs taken as one judge, which answers where both name one response in all four
	// judgments
	Ensemble *Ensemble `json:"ensemble,omitempty"`
	// only for best and worst among several options, in percent
	Together []Result `json:"together,omitempty"`
	// with `--margin`
	Within *Within `json:"within,omitempty"`
}

// Comparisons is `gavel compare --format json`.
type Comparisons struct {
	Comparisons []*Comparison   `json:"comparisons"`       // of every two runs
	Family      string          `json:"family"`            // what Holm's correction is over
	Reading     judging.Readers `json:"reading,omitempty"` // left out for as published
	Policy      judging.Policy  `json:"policy"`            // of several verdicts in a reply; empty: none
	Bootstrap   Bootstrap       `json:"bootstrap"`         // as in `gavel score --format json`
}

// alpha is the level at which a difference is called more than noise.
const alpha = 0.05

// holdsZero tells whether the interval does, by its ends as they are reported: sums of fractions come out a hair
// beside 0 where they are 0.
func (d Difference) holdsZero() bool {
	return d.Low != nil && d.High != nil && *d.Low <= 0 && *d.High >= 0
}

// Powers at which plans are made.
const (
	planAlpha = 0.05
	planPower = 0.8
)
