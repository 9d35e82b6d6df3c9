package scoring

// MetricKind is what a metric's value is, and with it how its interval is made.
type MetricKind int

const (
	Share       MetricKind = iota // of units that are right or wrong, once each
	Several                       // a share of trials, of which a unit may have several
	Halves                        // of scores of 0, ½ and 1, one a unit
	Mean                          // of a value from 0 to 1 that each unit has
	Ratio                         // of sums, or another function of them
	Correlation                   // −1 to 1
	Known                         // it follows from the items alone: there is no interval
)

// Scope is of which units two runs are compared by a metric.
type Scope string

const (
	Nowhere Scope = ""
	Whole   Scope = "overall" // all of them
	ByGroup Scope = "groups"  // all of them, and each group
)

// Metric is a number of the units of a sheet: its key, its words, and how it is computed from the columns that it sees.
// It is a function of their sums (Share, Value) or, as a rank correlation, of the units one by one (Units).
type Metric struct {
	Name    string // its key in JSON, in CSV and in tables
	Mode    string // of protocols that ask in several ways: which
	Kind    MetricKind
	Columns Span // that its functions see

	// A sheet takes these from the table of metrics: see [Term]. A Missing, None or Compared that is already there stays.
	Term     Term
	Unit     string // of the value, where it is not percent
	Missing  string // how judgments without a verdict count
	None     string // why there is no value, where the reason is always the same
	Compared Scope

	// Of a difference between two ways of asking: the columns of what is taken off, and what the two are called.
	// Where n of the two is not the same, it is All.
	Less  Span
	Sides [2]string
	All   func(c []float64) float64

	// Share is numerator and denominator: nil is the first column and the second. Value is in place of it, where the
	// metric is no share. Curve is the value that belongs to a share, and rises with it: nil is the share itself.
	Share func(c []float64) (num, den float64)
	Value func(c []float64) float64
	Curve func(share float64) float64
	// Units is in place of Share and Value where the metric is no function of sums. It is given the columns of all units,
	// in any order, but for those that have a NaN in them, and is NaN where it is undefined.
	Units func(rows [][]float64) float64
	// of a Value that is the first of two metrics less the second, of units that have nothing in common: these
	Parts []Metric
	// what n counts: nil is the denominator, of a ratio how many units have one
	N func(c []float64) float64
	// why there is no value, where that goes by the columns; "": None
	Why func(c []float64) string

	// What intervals are made with beside: the cells that Value is a function of, the variables of a correlation, and the
	// least value of a unit, where that is not 0.
	Cells   []Cell
	Classes []Class
	Least   float64
	Most    float64 // the largest denominator of a unit, where that is above 1

	Once     bool // of replies that are asked for once, whatever --repeat: it has no noise floor
	Sparse   bool // no result of groups in which nothing adds to it
	Headline bool // runs are held against each other by it
}

// Span is some columns, from the first to before the second.
type Span [2]int

func (s Span) of(sums []float64) []float64 { return sums[s[0]:s[1]] }

func (m *Metric) why(c []float64) string {
	if m.Why != nil {
		if reason := m.Why(c); reason != "" {
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

// is tells whether a metric is a function of sums, of the kind given.
func (m *Metric) is(kind MetricKind) bool { return m.Units == nil && m.Kind == kind }

// Summed is a metric by what each unit adds to its numerator and denominator, or, where it has Units, by the two values
// of each unit that it is a function of: these are NaN where the unit has none.
type Summed[U any] struct {
	Metric
	Adds func(U) (num, den float64)
}

// Lay gives each metric two columns, the first metric the first two.
func Lay[U any](list []Summed[U]) []Metric {
	metrics := make([]Metric, len(list))
	for k, m := range list {
		metrics[k] = m.Metric
		metrics[k].Columns = Span{2 * k, 2*k + 2}
	}
	return metrics
}

// Fill writes what a unit adds to them.
func Fill[U any](list []Summed[U], u U, row []float64) {
	for k, m := range list {
		row[2*k], row[2*k+1] = m.Adds(u)
	}
}

// Cell is a possible row of a metric's columns, from one judgment. With two ways of asking, or two runs, cells with the
// same Of belong together.
type Cell struct {
	Row []float64
	Of  int
}

// Class is a variable of a correlation, with the number of judgments for each of its two values.
type Class struct {
	Words [2]string // what is so: "the judge's own answer is right", "… wrong"
	Count func(c []float64) (a, b float64)
}

// beside are the columns of a metric in a sample of two runs.
func (m *Metric) beside(width int) [2]Span {
	return [2]Span{m.Columns, {width + m.Columns[0], width + m.Columns[1]}}
}
