package scoring

import "gavel/judging"

// Side describes one of the two runs of a comparison.
type Side struct {
	Run      string `json:"run"`      // the run's folder
	ID       string `json:"id"`       // the run's id
	Protocol string `json:"protocol"` // the run's protocol, as in the manifest
	RunSetup
	Items int `json:"items"` // items of the run with all their judgments

	Ledger *Ledger `json:"ledger,omitempty"` // what the whole run cost: requests, tokens and time

	lacksVerdicts bool              // every judgment lacks a verdict
	manifest      *judging.Manifest // the run's manifest, whose settings tell judges of the same name apart
}

// Difference holds the values of one metric on one group for two runs, A and B, and their difference, B minus A.
type Difference struct {
	Metric         string   `json:"metric"`             // key of the metric, as in `results`
	Group          string   `json:"group"`              // `overall` or the name of the group of units, as in `results`
	Mode           string   `json:"mode,omitempty"`     // the mode in which the judge was asked, as in `results`
	Unit           string   `json:"unit,omitempty"`     // unit of the values, if not percent
	A              *float64 `json:"a"`                  // value of the first run
	B              *float64 `json:"b"`                  // value of the second run
	BMinusA        *float64 `json:"difference"`         // `b` − `a`, in points or in `unit`
	Low            *float64 `json:"low"`                // lower end of the paired 95 % interval of `difference`
	High           *float64 `json:"high"`               // upper end of the paired 95 % interval of `difference`
	IntervalMethod string   `json:"interval,omitempty"` // method of the interval, see PROTOCOLS.md §5
	N              int      `json:"n"`                  // units that both runs judged
	// for metrics that are right or wrong unit by unit: units by the runs that are right on them
	Table *Table2x2 `json:"table,omitempty"`
	// before the end of a run: e-value against the hypothesis that both runs are equally good; `p` is 1/`e`
	E *float64 `json:"e,omitempty"`
	// two-sided p-value of `difference`, by exact McNemar or by `test`; not rounded
	P    *float64 `json:"p,omitempty"`
	Test string   `json:"test,omitempty"` // the test behind `p`, if not exact McNemar
	// `p`, corrected for multiple tests by Holm's method over the `family` of the comparisons
	Holm *float64 `json:"p_holm,omitempty"`
	// not significant, printed as `n.s.`: the interval contains 0, `p_holm` is not below 0.05, or the difference does
	// not exceed `noise_floor`
	NotSignificant bool `json:"may_be_noise"`
	// largest difference between two repetitions of one run, in points or in `unit`: the larger one of the two runs;
	// null if neither run repeats its prompts
	Floor *float64 `json:"noise_floor"`
	Note  string   `json:"note,omitempty"` // why a value or a test is missing

	testedRowCount     int     // number of units or clusters in the test behind `p`
	sequentialInterval *bounds // before the end of a run: 90 % interval of the headline's difference, valid at every look
}

// Result returns the difference as a result of mode [ModeDifference].
func (d Difference) Result() Result {
	return Result{
		Metric: d.Metric,
		Group:  d.Group,
		Mode:   ModeDifference,
		Unit:   d.Unit,
		Value:  d.BMinusA,
		Low:    d.Low,
		High:   d.High,
		N:      d.N,
	}
}

// Ensemble holds the scores of two runs of one model combined into one judge: the runs ask for the better and for the
// worse response, and the combined judge answers a pair if both name the same better response in all four judgments.
type Ensemble struct {
	Coverage Result `json:"coverage"` // percent of the pairs that the combined judge answers
	Strict   Result `json:"strict"`   // percent of the answered pairs with a label on which the combined judge is correct
}

// Comparison holds the comparison of two runs, A and B, on their common units (pairs, questions, …).
type Comparison struct {
	A, B  Side    `json:"-"`
	Sides [2]Side `json:"runs"` // the two runs, A and B
	Says  string  `json:"says"` // which run is better, in one or two sentences
	N     int     `json:"n"`    // units that both runs judged
	// noun for the units counted by `n`, if not pairs: `answer`, `judgment`, `item`
	Unit         string       `json:"unit,omitempty"`
	UnitsOnlyInA int          `json:"only_in_a"`   // units of A left out because B has not judged them
	UnitsOnlyInB int          `json:"only_in_b"`   // units of B left out because A has not judged them
	Differences  []Difference `json:"differences"` // difference of every metric: one row per metric, group and mode
	ComparisonExtras
	// common units whose verdict changes with the order, in A and in B; only for protocols with several orders
	ChangedWithOrder *[2]int `json:"-"`
	// number of common units by outcome, in A and in B
	OutcomeCounts [2]Breakdown `json:"-"`
	// warnings about the comparison, printed after `!`
	Warnings []string `json:"warnings"`

	HeadlineMode string `json:"-"` // the mode of the headline; "": the first

	headlineMetric Metric // the headline metric; without a name: the first metric
}

// ComparisonExtras holds the results of a comparison that are not differences of metrics.
type ComparisonExtras struct {
	// only for pairs: difference in accuracy on the pairs where both judges are consistent; left out for clustered
	// pairs and before the end of a run
	WhenConsistent *Difference `json:"where_both_agree,omitempty"`
	// `where_both_agree` for each category; `p_holm` covers these differences
	WhenConsistentByGroup []Difference `json:"where_both_agree_by_group,omitempty"`
	// only for two runs of one model on pairs, asked for the better and for the worse response: both combined into
	// one judge, which answers if they name the same response in all four judgments
	Ensemble *Ensemble `json:"ensemble,omitempty"`
	// only for two runs that name the best and the worst of several options: how often the two named options differ,
	// and how often they are the same, in percent
	BestWorstChoices []Result `json:"together,omitempty"`
	// only with `--margin`: test of whether both runs have the same headline within the margin
	MarginTest *MarginTest `json:"within,omitempty"`
}

// Comparisons holds the comparisons of every two of several runs, the JSON output of gavel compare.
type Comparisons struct {
	Comparisons []*Comparison `json:"comparisons"` // one comparison for every two runs
	FamilyText  string        `json:"family"`      // the differences that Holm's correction covers, in words
	// how replies were read: `robust`; left out for the published rule
	Reading judging.ReaderSet `json:"reading,omitempty"`
	// which of several verdicts in a reply counts; empty if the rule leaves no choice
	LabelPolicy judging.LabelPolicy `json:"policy"`
	// settings of resampled intervals, as in the JSON output of `gavel score`
	Bootstrap BootstrapInfo `json:"bootstrap"`
}

// alpha is the significance level of all comparisons between runs, after correction for multiple tests.
const alpha = 0.05

// containsZero reports whether the interval of the difference contains 0. It uses the reported, rounded ends: sums of
// fractions may differ from 0 by a rounding error.
func (d Difference) containsZero() bool {
	return d.Low != nil && d.High != nil && *d.Low <= 0 && *d.High >= 0
}

// Significance level and power with which sentences compute the number of pairs needed.
const (
	planAlpha = 0.05
	planPower = 0.8
)
