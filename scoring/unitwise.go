package scoring

import (
	"fmt"
	"math"
	"slices"

	"gavel/scoring/stats"
)

// unitwise are the units of a sample for metrics that look at them one by one: the rows of each unit, or of all units
// of a cluster, which are resampled together.
type unitwise struct {
	groups Tally[string, [][]float64]
}

func (u *unitwise) add(cluster string, row []float64) {
	if cluster == "" {
		u.groups.Values = append(u.groups.Values, [][]float64{row})
		return
	}
	group := u.groups.Of(cluster)
	*group = append(*group, row)
}

// at are the columns of one span, group by group, of the units that have no NaN there or in the other span.
func (u *unitwise) at(span, other Span) (groups [][][]float64) {
	for _, group := range u.groups.Values {
		var rows [][]float64
		for _, row := range group {
			if !slices.ContainsFunc(span.of(row), math.IsNaN) && !slices.ContainsFunc(other.of(row), math.IsNaN) {
				rows = append(rows, span.of(row))
			}
		}
		if len(rows) > 0 {
			groups = append(groups, rows)
		}
	}
	return groups
}

func (u *unitwise) count(span, other Span) (n int) {
	for _, group := range u.at(span, other) {
		n += len(group)
	}
	return n
}

// interval of a metric, or of its difference between two spans.
func (u *unitwise) interval(q estimand, b stats.Bootstrap) bounds {
	second := u.at(q.b, q.b)
	var first [][][]float64
	if q.differs() {
		second = u.at(q.b, q.a)
		first = u.at(q.a, q.b)
	}
	if len(second) < fewestOfClass {
		return unbounded(fmt.Sprintf("%sit takes %d independent units, and there are %d",
			noInterval, fewestOfClass, len(second)))
	}
	drawn := func(from [][][]float64, which []int) float64 {
		var rows [][]float64
		for _, i := range which {
			rows = append(rows, from[i]...)
		}
		return q.Units(rows)
	}
	interval := b.Redrawn(len(second), func(which []int) float64 {
		if !q.differs() {
			return drawn(second, which)
		}
		return drawn(second, which) - drawn(first, which)
	})
	if interval.Low == interval.High {
		return unbounded(noInterval + "every resample comes to the same")
	}
	return bounds{Interval: interval, by: ByUnits}
}

// exchanged is the p of a difference between two spans, and how many units it is of.
func (u *unitwise) exchanged(m *Metric, columns [2]Span, boot stats.Bootstrap) (p float64, n int) {
	first := u.at(columns[0], columns[1])
	second := u.at(columns[1], columns[0])
	p = boot.Swapped(len(first), func(swap []int) float64 {
		var a, b [][]float64
		for i := range first {
			if swap[i] == 1 {
				a = append(a, second[i]...)
				b = append(b, first[i]...)
			} else {
				a = append(a, first[i]...)
				b = append(b, second[i]...)
			}
		}
		return m.Units(b) - m.Units(a)
	})
	return p, u.count(columns[0], columns[1])
}
