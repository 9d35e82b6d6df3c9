package scoring

// MetricKind classifies the value of a metric. It determines the method of the metric's interval.
type MetricKind int

const (
	KindShare       MetricKind = iota // share of units that are right or wrong, once each
	KindTrials                        // share of trials, several per unit
	KindHalfPoints                    // mean of scores of 0, ½ and 1, one per unit
	KindMean                          // mean of one value from 0 to 1 per unit
	KindRatio                         // ratio of sums, or another function of them
	KindCorrelation                   // correlation from −1 to 1
	KindFromItems                     // determined by the items alone, without an interval
)

// Scope selects the groups of units on which two runs are compared by a metric.
type Scope string

const (
	ScopeNone    Scope = ""
	ScopeOverall Scope = "overall" // all units together
	ScopeGroups  Scope = "groups"  // all units together, and each group of them
)

// Metric describes a number computed from the units of a sheet: its key, its texts, and its formula over columns. It is
// a function of the column sums (Share, Value) or, like a rank correlation, of the single units (Units).
type Metric struct {
	Name    string // key in JSON, CSV and tables
	Mode    string // way in which the judge was asked, for protocols with several; else ""
	Kind    MetricKind
	Columns ColumnSpan // columns of the sheet that are passed to the functions below

	// Term holds the texts of the metric. A sheet sets it and the four fields after it from the table of metrics, but
	// keeps a Missing, None or Compared that is already set.
	Term            Term
	Unit            string // of the value, if not percent
	MissingRule     string // how judgments without a verdict count, in words
	NoValueReason   string // why there is no value, if the reason is always the same
	ComparisonScope Scope  // groups of units on which two runs are compared

	// Subtrahend is set for a difference between two modes or parts: the columns whose value is subtracted. Sides names
	// subtrahend and minuend. All returns n from the columns of Subtrahend, if the two have different n.
	Subtrahend  ColumnSpan
	Sides       [2]string
	SubtrahendN func(c []float64) float64

	// ShareFromSums returns numerator and denominator of a share from the sums of Columns; nil: the first two.
	ShareFromSums func(c []float64) (num, den float64)
	// Value returns the value of a metric that is not a share, from the sums of Columns.
	Value func(c []float64) float64
	// ValueFromShare maps the share to the metric's value and must be increasing; nil: the value is the share itself.
	ValueFromShare func(share float64) float64
	// ValueFromUnits returns the value of a metric that is not a function of sums, such as a rank correlation. It gets the
	// Columns of all units without a NaN in them, in any order, and returns NaN if the metric is undefined.
	ValueFromUnits func(rows [][]float64) float64
	// DifferenceParts holds the two metrics, on disjoint units, whose difference is Value.
	DifferenceParts []Metric
	// N returns the number of units that the value is computed from; nil: the denominator of the share, for a ratio the
	// number of units with a denominator above 0.
	N func(c []float64) float64
	// Reason returns the reason why there is no value, if it depends on the sums of Columns; "": None is the reason.
	Reason func(c []float64) string

	// PossibleRows lists the possible rows of one unit, if Value is a function of how many units have each. They smooth
	// the interval.
	PossibleRows []PossibleRow
	// CorrelationVariables holds the two variables of a correlation, which has no interval if a value of one is rare.
	CorrelationVariables []BinaryVariable
	MinUnitValue         float64 // lowest value of a unit
	MaxDenominator       float64 // largest denominator of a unit, if above 1

	AskedOnce        bool // asked once whatever --repeat says, so that repetitions give no noise floor
	OmitsEmptyGroups bool // groups with n = 0 have no result
	Headline         bool // the metric by which runs are compared, ranked and diagnosed
}

// ColumnSpan is a range of columns, from the first up to, not including, the second.
type ColumnSpan [2]int

func (s ColumnSpan) slice(sums []float64) []float64 { return sums[s[0]:s[1]] }

func (m *Metric) reason(c []float64) string {
	if m.Reason != nil {
		if reason := m.Reason(c); reason != "" {
			return reason
		}
	}
	return m.NoValueReason
}

func (m *Metric) share(c []float64) (num, den float64) {
	if m.ShareFromSums == nil {
		return c[0], c[1]
	}
	return m.ShareFromSums(c)
}

func (m *Metric) valueFromShare(share float64) float64 {
	if m.ValueFromShare == nil {
		return share
	}
	return m.ValueFromShare(share)
}

func (m *Metric) value(c []float64) float64 {
	if m.Value != nil {
		return m.Value(c)
	}
	num, den := m.share(c)
	return m.valueFromShare(num / den) // 0/0 is NaN: undefined
}

func (m *Metric) n(c []float64) float64 {
	if m.N != nil {
		return m.N(c)
	}
	_, den := m.share(c)
	return den
}

// hasKind reports whether a metric is a function of the sums of its columns and of this kind.
func (m *Metric) hasKind(kind MetricKind) bool { return m.ValueFromUnits == nil && m.Kind == kind }

// SumMetric holds a metric with a function that returns the numbers which a unit adds to its numerator and denominator.
// For a metric with Units, Adds returns the unit's two values, NaN if it has none.
type SumMetric[U any] struct {
	Metric
	Contribution func(U) (num, den float64)
}

// AssignColumns returns the metrics, each with two columns of its own, in their order.
func AssignColumns[U any](list []SumMetric[U]) []Metric {
	metrics := make([]Metric, len(list))
	for k, m := range list {
		metrics[k] = m.Metric
		metrics[k].Columns = ColumnSpan{2 * k, 2*k + 2}
	}
	return metrics
}

// FillRow writes the numerator and denominator that unit u adds to each metric into the columns set by [AssignColumns].
func FillRow[U any](list []SumMetric[U], u U, row []float64) {
	for k, m := range list {
		row[2*k], row[2*k+1] = m.Contribution(u)
	}
}

// PossibleRow holds one possible row of a metric's columns for a single judgment, a cell of its table. Of two modes or
// runs, only cells with the same Key can go together, as the label of the item is the same in both.
type PossibleRow struct {
	Row      []float64
	MatchKey int
}

// BinaryVariable holds a variable of a correlation with two values, such as right and wrong.
type BinaryVariable struct {
	Words [2]string // names of the values: "the judge's own answer is right", "… wrong"
	// Count returns the numbers of judgments with the first and with the second value.
	CountValues func(c []float64) (a, b float64)
}
