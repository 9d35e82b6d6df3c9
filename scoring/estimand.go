package scoring

import (
	"math"

	"gavel/scoring/stats"
)

// bounds are an interval, how it was made, or why there is none.
type bounds struct {
	stats.Interval
	by, note string
}

func unbounded(note string) bounds {
	return bounds{Interval: stats.Interval{Low: math.NaN(), High: math.NaN()}, note: note}
}

// estimand is a metric whose interval is wanted: of what the columns at b come to, less, of a
// difference, what those at a do.
type estimand struct {
	*Metric
	a, b Span
}

func (q estimand) differs() bool { return q.a != Span{} }

func (q estimand) of(sums []float64) float64 {
	v := q.value(q.b.of(sums))
	if q.differs() {
		v -= q.value(q.a.of(sums))
	}
	return v
}

// tiny is what sums of fractions may be off by.
const tiny = 1e-12

// snapped returns 0, half of den or den, where num is that but for tiny.
func snapped(num, den float64) float64 {
	for _, x := range []float64{0, den / 2, den} {
		if math.Abs(num-x) < tiny {
			return x
		}
	}
	return num
}

func (q estimand) curved(iv stats.Interval, by string) bounds {
	return bounds{Interval: stats.Interval{Low: q.curve(iv.Low), High: q.curve(iv.High)}, by: by}
}
