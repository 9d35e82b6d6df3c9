package scoring

import (
	"math"
	"slices"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// unitwiseRows holds the rows of single units for metrics that are not functions of sums. Units are grouped by cluster,
// which is resampled as a whole.
type unitwiseRows struct {
	groups OrderedMap[string, [][]float64] // rows of the units by cluster; a unit without one has a group of its own
}

func (u *unitwiseRows) add(cluster string, row []float64) {
	if cluster == "" {
		u.groups.Values = append(u.groups.Values, [][]float64{row})
		return
	}
	group := u.groups.Get(cluster)
	*group = append(*group, row)
}

// columns returns the columns of span of each unit, grouped by cluster, for the units without a NaN in span or in
// other.
func (u *unitwiseRows) columns(span, other ColumnSpan) (groups [][][]float64) {
	for _, group := range u.groups.Values {
		var rows [][]float64
		for _, row := range group {
			if !slices.ContainsFunc(span.slice(row), math.IsNaN) && !slices.ContainsFunc(other.slice(row), math.IsNaN) {
				rows = append(rows, span.slice(row))
			}
		}
		if len(rows) > 0 {
			groups = append(groups, rows)
		}
	}
	return groups
}

// countDefined returns the number of units without a NaN in the columns of span or of other.
func (u *unitwiseRows) countDefined(span, other ColumnSpan) (n int) {
	for _, group := range u.columns(span, other) {
		n += len(group)
	}
	return n
}

// interval returns the interval of a metric, or of its difference between two spans of columns, by leaving out
// clusters.
func (u *unitwiseRows) interval(q estimand, b stats.Bootstrap) bounds {
	second := u.columns(q.valueColumns, q.valueColumns)
	var first [][][]float64
	if q.isDifference() {
		second = u.columns(q.valueColumns, q.subtrahendColumns)
		first = u.columns(q.subtrahendColumns, q.valueColumns)
	}
	if len(second) < minClassUnits {
		return boundsWithoutInterval(noIntervalNotePrefix + phrases.Sentence("note.few-units", minClassUnits, len(second)))
	}
	statistic := func(from [][][]float64, sample []int) float64 {
		var rows [][]float64
		for _, i := range sample {
			rows = append(rows, from[i]...)
		}
		return q.ValueFromUnits(rows)
	}
	interval := stats.Jackknife(len(second), func(sample []int) float64 {
		if !q.isDifference() {
			return statistic(second, sample)
		}
		return statistic(second, sample) - statistic(first, sample)
	}, !q.isDifference() && q.Unit != UnitStatistic, b.Level)
	if !(interval.Low < interval.High) {
		return boundsWithoutInterval(noIntervalNotePrefix + phrases.Sentence("note.no-variance"))
	}
	return bounds{Interval: interval, method: IntervalByJackknife}
}

// exchangeTest returns the p-value of a permutation test of a metric's difference between two spans of columns, those
// of two runs, and the number of units in the test.
func (u *unitwiseRows) exchangeTest(q estimand, boot stats.Bootstrap) (p float64, n int) {
	first := u.columns(q.subtrahendColumns, q.valueColumns)
	second := u.columns(q.valueColumns, q.subtrahendColumns)
	p = boot.PermutationTestUnits(len(first), func(swap []int) float64 {
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
		return q.ValueFromUnits(b) - q.ValueFromUnits(a)
	})
	return p, u.countDefined(q.subtrahendColumns, q.valueColumns)
}
