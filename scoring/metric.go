package scoring

// MetricKind classifies the value of a metric. It determines the method of the interval.
type MetricKind int

const (
	Share       MetricKind = iota // share of units that are right or wrong, once each
	Several                       // share of trials, several per unit
	Halves                        // mean of scores of 0, ½ and 1, one per unit
	Mean                          // mean of one value from 0 to 1 per unit
	Ratio                         // ratio of sums, or another function of them
	Correlation                   // −1 to 1
	FromItems                     // determined by the items alone, without an interval
)

// Scope selects the units on which two runs are compared by a metric.
type Scope string

const (
	Nowhere Scope = ""
	Whole   Scope = "overall" // all units
	ByGroup Scope = "groups"  // all units, and each group
)

// Metric describes a number computed from the units of a sheet: its key, its texts, and its formula over columns. It is
// a function of the column sums (Share, Value) or, like a rank correlation, of the single units (Units).
type Metric struct {
	Name    string // key in JSON, CSV and tables
	Mode    string // for protocols with several modes
	Kind    MetricKind
	Columns ColumnRange // the columns passed to its functions

	// A sheet fills these from the table of metrics, see [Term]. It keeps a Missing, None or Compared that is
	// already set.
	Term     Term
	Unit     string // of the value, if not percent
	Missing  string // how judgments without a verdict count
	None     string // why there is no value, if the reason is always the same
	Compared Scope

	// For a difference between two modes: the columns of the subtrahend, and the names of both modes. All returns
	// n if it differs between the modes.
	Subtrahend ColumnRange
	Sides      [2]string
	All        func(c []float64) float64

	// Share returns numerator and denominator; nil: the first two columns. Value replaces it for a metric that is not a
	// share. Curve maps a share to the metric's value and must be increasing; nil: the share itself.
	Share func(c []float64) (num, den float64)
	Value func(c []float64) float64
	Curve func(share float64) float64
	// Units replaces Share and Value for a metric that is not a function of sums. It gets the columns of all units
	// without a NaN, in any order, and returns NaN if the metric is undefined.
	Units func(rows [][]float64) float64
	// Parts holds the two metrics, on disjoint units, whose difference is Value.
	Parts []Metric
	// N returns n; nil: the denominator, for a ratio the number of units with one.
	N func(c []float64) float64
	// Reason returns the reason why there is no value, if it depends on the columns; "": None.
	Reason func(c []float64) string

	// For smoothing intervals: the cells that Value is a function of, the variables of a correlation, and the
	// lowest value of a unit, if not 0.
	Cells   []PossibleRow
	Classes []Class
	Least   float64
	Most    float64 // the largest denominator of a unit, if above 1

	Once     bool // asked once whatever --repeat, so without a noise floor
	Sparse   bool // no results for groups with n = 0
	Headline bool // compares runs
}

// ColumnRange is a range of columns, from the first up to, not including, the second.
type ColumnRange [2]int

func (s ColumnRange) slice(sums []float64) []float64 { return sums[s[0]:s[1]] }

func (m *Metric) reason(c []float64) string {
	if m.Reason != nil {
		if reason := m.Reason(c); reason != "" {
			return reason
		}
	}
	return m.None
}

func (m *Metric) share(c []float64) (num, den float64) {
	if m.Share == nil {
		return c[0], c[1]
	}
	return m.Share(c)
}

func (m *Metric) curve(share float64) float64 {
	if m.Curve == nil {
		return share
	}
	return m.Curve(share)
}

func (m *Metric) value(c []float64) float64 {
	if m.Value != nil {
		return m.Value(c)
	}
	num, den := m.share(c)
	return m.curve(num / den) // 0/0 is NaN: undefined
}

func (m *Metric) n(c []float64) float64 {
	if m.N != nil {
		return m.N(c)
	}
	_, den := m.share(c)
	return den
}

// hasKind reports whether a metric is a function of sums with this kind.
func (m *Metric) hasKind(kind MetricKind) bool { return m.Units == nil && m.Kind == kind }

// SumMetric holds a metric with what each unit adds to its numerator and denominator. For a metric with Units, Adds
// returns the unit's two values, NaN if it has none.
type SumMetric[U any] struct {
	Metric
	Adds func(U) (num, den float64)
}

// AssignColumns assigns two columns to each metric, in their order.
func AssignColumns[U any](list []SumMetric[U]) []Metric {
	metrics := make([]Metric, len(list))
	for k, m := range list {
		metrics[k] = m.Metric
		metrics[k].Columns = ColumnRange{2 * k, 2*k + 2}
	}
	return metrics
}

// FillRow writes what a unit adds to the columns of the metrics.
func FillRow[U any](list []SumMetric[U], u U, row []float64) {
	for k, m := range list {
		row[2*k], row[2*k+1] = m.Adds(u)
	}
}

// PossibleRow holds a possible row of a metric's columns, from one judgment. With two modes or two runs, cells with
// the same Of belong together.
type PossibleRow struct {
	Row []float64
	Key int
}

// Class holds a variable of a correlation, with the number of judgments for each of its two values.
type Class struct {
	Words [2]string // names of the values: "the judge's own answer is right", "… wrong"
	Count func(c []float64) (a, b float64)
}

// sideColumns returns the columns of a metric for both runs of a paired sample.
func (m *Metric) sideColumns(width int) [2]ColumnRange {
	return [2]ColumnRange{m.Columns, {width + m.Columns[0], width + m.Columns[1]}}
}
