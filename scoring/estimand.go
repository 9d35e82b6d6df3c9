package scoring

import (
	"math"

	"gavel/scoring/stats"
)

// bounds holds an interval with its method, or the reason why there is none.
type bounds struct {
	stats.Interval
	method, note string
}

func unbounded(note string) bounds {
	return bounds{Interval: stats.Interval{Low: math.NaN(), High: math.NaN()}, note: note}
}

// estimand holds a metric and the columns b to evaluate it on; for a difference the value on the columns a is
// subtracted.
type estimand struct {
	*Metric
	a, b ColumnRange
}

func (q estimand) isDifference() bool { return q.a != ColumnRange{} }

func (q estimand) evaluate(sums []float64) float64 {
	v := q.value(q.b.slice(sums))
	if q.isDifference() {
		v -= q.value(q.a.slice(sums))
	}
	return v
}

// roundingError is the largest error expected in sums of fractions.
const roundingError = 1e-12

// snap rounds num to 0, half of den or den if it is within roundingError of one of them.
func snap(num, den float64) float64 {
	for _, x := range []float64{0, den / 2, den} {
		if math.Abs(num-x) < roundingError {
			return x
		}
	}
	return num
}

func (q estimand) onCurve(iv stats.Interval, method string) bounds {
	return bounds{Interval: stats.Interval{Low: q.curve(iv.Low), High: q.curve(iv.High)}, method: method}
}
