package scoring

import (
	"math"

	"gavel/scoring/stats"
)

// bounds holds an interval with the name of its method, or a note with the reason why there is none.
type bounds struct {
	stats.Interval
	method, note string
}

// boundsWithoutInterval returns bounds without an interval; note gives the reason.
func boundsWithoutInterval(note string) bounds {
	return bounds{Interval: stats.Interval{Low: math.NaN(), High: math.NaN()}, note: note}
}

// estimand holds the quantity that an interval is computed for: a metric on some columns, or, if subtrahendColumns is
// set, its value on valueColumns minus that on subtrahendColumns.
type estimand struct {
	*Metric
	subtrahendColumns, valueColumns ColumnSpan
}

// estimand returns the metric's own value, or its difference between two spans of columns, to be estimated from rows of
// one run.
func (m *Metric) estimand() estimand {
	return estimand{Metric: m, subtrahendColumns: m.Subtrahend, valueColumns: m.Columns}
}

// runDifference returns the metric's difference between runs B and A, to be estimated from the rows of two runs; width
// is the number of columns of each.
func (m *Metric) runDifference(width int) estimand {
	columns := ColumnSpan{width + m.Columns[0], width + m.Columns[1]}
	return estimand{Metric: m, subtrahendColumns: m.Columns, valueColumns: columns}
}

func (q estimand) isDifference() bool { return q.subtrahendColumns != ColumnSpan{} }

// evaluate returns the value of the metric, or of the difference, from the sums of all columns.
func (q estimand) evaluate(sums []float64) float64 {
	v := q.value(q.valueColumns.slice(sums))
	if q.isDifference() {
		v -= q.value(q.subtrahendColumns.slice(sums))
	}
	return v
}

// roundingError is the largest error expected in sums of fractions.
const roundingError = 1e-12

// snap returns num, or 0, den/2 or den if num is within roundingError of one of them.
func snap(num, den float64) float64 {
	for _, x := range []float64{0, den / 2, den} {
		if math.Abs(num-x) < roundingError {
			return x
		}
	}
	return num
}

// intervalOnCurve returns the interval of the metric from that of the share which its Curve maps to the metric's value.
func (q estimand) intervalOnCurve(iv stats.Interval, method string) bounds {
	return bounds{Interval: stats.Interval{Low: q.valueFromShare(iv.Low), High: q.valueFromShare(iv.High)}, method: method}
}
