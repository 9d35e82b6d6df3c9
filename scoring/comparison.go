package scoring

import "gavel/judging"

// Side describes one run of a comparison.
type Side struct {
	Run      string `json:"run"`      // the folder
	ID       string `json:"id"`       // of the run
	Protocol string `json:"protocol"` // as in the manifest
	Question
	Items int `json:"items"` // scored items

	Ledger *Ledger `json:"ledger,omitempty"` // what the whole run cost

	noVerdicts bool // every judgment lacks a verdict
	manifest   *judging.Manifest
}

// Difference holds one metric on one group: B minus A, in percentage points.
type Difference struct {
	Metric   string    `json:"metric"`             // as in `results`
	Group    string    `json:"group"`              // as in `results`
	Mode     string    `json:"mode,omitempty"`     // as in `results`
	Unit     string    `json:"unit,omitempty"`     // of the values, if not percent
	A        *float64  `json:"a"`                  // of the first run
	B        *float64  `json:"b"`                  // of the second
	Diff     *float64  `json:"difference"`         // `b` − `a`
	Low      *float64  `json:"low"`                // of the paired interval
	High     *float64  `json:"high"`               // of the paired interval
	Interval string    `json:"interval,omitempty"` // the method, see PROTOCOLS.md §5
	N        int       `json:"n"`                  // units that both judged
	Table    *Table2x2 `json:"table,omitempty"`    // of metrics that are right or wrong unit by unit
	// before the end of a run: e-value against equal runs; `p` is 1/`e`
	E    *float64 `json:"e,omitempty"`
	P    *float64 `json:"p,omitempty"`      // two-sided, by exact McNemar or by `test`; not rounded
	Test string   `json:"test,omitempty"`   // the test, if not exact McNemar
	Holm *float64 `json:"p_holm,omitempty"` // corrected by Holm's method over the `family`
	// printed as `n.s.`: the interval contains 0, `p_holm` is not below 0.05, or the difference does not exceed
	// `noise_floor`
	Noise bool `json:"may_be_noise"`
	// in points, or in `unit`: the larger one of the two runs; null if neither run repeats its prompts
	Floor *float64 `json:"noise_floor"`
	Note  string   `json:"note,omitempty"` // why a value or a test is missing

	rowsTested int     // number of rows in the test
	sequential *bounds // 90 % interval of the headline, valid at every look, before the end of a run
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

// Ensemble holds the scores of two goals of one model combined into one judge, which answers if both goals name
// the same response in all four judgments.
type Ensemble struct {
	Coverage Result `json:"coverage"` // share of pairs that it answers
	Strict   Result `json:"strict"`   // share correct among those
}

// Comparison holds the comparison of two runs on their common units.
type Comparison struct {
	A, B  Side    `json:"-"`
	Sides [2]Side `json:"runs"` // A and B
	Says  string  `json:"says"` // the answer in one or two sentences
	N     int     `json:"n"`    // units that both judged
	// the unit counted by `n`, if not pairs: `answer`, `judgment`, `item`
	Unit        string       `json:"unit,omitempty"`
	OnlyA       int          `json:"only_in_a"`   // left out: B has not judged them
	OnlyB       int          `json:"only_in_b"`   // left out: A has not judged them
	Differences []Difference `json:"differences"` // one row per metric, group and mode
	Matched
	// units in A and in B whose verdict changes with the order; only with several orders
	ChangedWithOrder *[2]int `json:"-"`
	// outcomes in A and in B of the common units
	Breakdowns [2]Breakdown `json:"-"`
	// printed after `!`
	Warnings []string `json:"warnings"`

	HeadlineMode string `json:"-"` // the mode of the headline; "": the first

	headline Metric // the headline metric; without a name: the first
}

// Matched holds the results of a comparison that are not differences of metrics.
type Matched struct {
	// only for pairs: accuracy where both judges are consistent; left out for clustered pairs and before the
	// end of a run
	WhenConsistent *Difference `json:"where_both_agree,omitempty"`
	// the same by category; `p_holm` covers these
	WhenConsistentByGroup []Difference `json:"where_both_agree_by_group,omitempty"`
	// only for two goals of one model on pairs: both combined into one judge, which answers if they name the
	// same response in all four judgments
	Ensemble *Ensemble `json:"ensemble,omitempty"`
	// only for best and worst among several options, in percent
	Together []Result `json:"together,omitempty"`
	// only with `--margin`
	MarginTest *MarginTest `json:"within,omitempty"`
}

// Comparisons is the JSON output of gavel compare.
type Comparisons struct {
	Comparisons []*Comparison   `json:"comparisons"`       // every two runs
	Family      string          `json:"family"`            // the differences that Holm's correction covers
	Reading     judging.Readers `json:"reading,omitempty"` // left out for the published rule
	Policy      judging.Policy  `json:"policy"`            // for several verdicts in a reply; empty: none
	Bootstrap   BootstrapInfo   `json:"bootstrap"`         // as in the JSON output of `gavel score`
}

// alpha is the significance level of all comparisons.
const alpha = 0.05

// containsZero reports whether the interval contains 0. It uses the reported, rounded ends: sums of fractions
// may differ from 0 by a rounding error.
func (d Difference) containsZero() bool {
	return d.Low != nil && d.High != nil && *d.Low <= 0 && *d.High >= 0
}

// Level and power of planned sample sizes.
const (
	planAlpha = 0.05
	planPower = 0.8
)
