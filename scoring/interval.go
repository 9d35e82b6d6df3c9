package scoring

import (
	"math"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// intervals returns the intervals of metrics or differences. Those without a formula are resampled together.
func (s *UnitRows) intervals(list []estimand, b stats.Bootstrap) []bounds {
	out := make([]bounds, len(list))
	var pending []int
	var statistics []stats.Statistic
	for i, q := range list {
		var ok bool
		out[i], ok = s.interval(q, b)
		if !ok {
			pending = append(pending, i)
			statistics = append(statistics, stats.Statistic{Compute: q.evaluate, Prior: s.smoothingRows(q)})
		}
	}
	for k, iv := range b.SmoothedIntervals(&s.rows, statistics) {
		if v := list[pending[k]].evaluate(s.sums); !math.IsNaN(iv.Low) { // a function of cells may lie outside
			iv = stats.Interval{Low: min(iv.Low, v), High: max(iv.High, v)}
		}
		out[pending[k]] = bounds{Interval: iv, method: IntervalByBootstrap}
	}
	return out
}

// interval returns the interval of a metric or difference, or the reason why there is none; false if only resampling
// can give one.
func (s *UnitRows) interval(q estimand, b stats.Bootstrap) (bounds, bool) {
	switch {
	case math.IsNaN(s.pointEstimate(q)) || q.hasKind(KindFromItems):
		return boundsWithoutInterval(""), true
	case s.early != nil:
		return s.early.interval(q, b.Level), true
	case q.ValueFromUnits != nil:
		return s.rowsByUnit.interval(q, b), true
	}
	if reason := s.tooFewNote(q); reason != "" {
		return boundsWithoutInterval(noIntervalNotePrefix + reason), true
	}
	switch {
	case q.isDifference():
		return s.binaryDifference(q, b.Level)
	case q.DifferenceParts != nil:
		return s.disjointDifferenceInterval(q, b.Level)
	}
	return s.closedForm(q, b.Level)
}

// closedForm returns the interval of a share by a formula; false if there is none for this metric.
func (s *UnitRows) closedForm(q estimand, level float64) (bounds, bool) {
	if q.Value != nil {
		return bounds{}, false
	}
	var parts []stats.ClusterCount
	single := true // rows of one right or wrong unit
	for _, k := range s.rows.DistinctRows {
		num, den := q.share(q.valueColumns.slice(k.Row))
		if den == 0 {
			continue
		}
		num = snap(num, den)
		parts = append(parts, stats.ClusterCount{Num: num, Den: den, Count: k.Count})
		single = single && den == 1 && (num == 0 || num == 1)
	}
	switch {
	case single:
		k, n := 0, 0
		for _, p := range parts {
			k, n = k+int(p.Num)*p.Count, n+p.Count
		}
		return q.intervalOnCurve(stats.Blaker(k, n, level), IntervalByBlaker), true
	case q.hasKind(KindShare) || q.hasKind(KindTrials):
		x, n := stats.EffectiveSampleSize(parts, level)
		return q.intervalOnCurve(stats.MidPInterval(x, n, level), IntervalByMidP), true
	case q.hasKind(KindHalfPoints):
		if iv, ok := halfPointMeanInterval(parts, level); ok {
			return q.intervalOnCurve(iv, IntervalByBonettPrice), true
		}
	}
	return bounds{}, false
}

// halfPointMeanInterval returns the interval of the mean score of units that were scored once or twice, from 0 to 1;
// false if a unit has more scores, or a mean other than 0, ½ and 1. parts counts units by sum and number of scores.
func halfPointMeanInterval(parts []stats.ClusterCount, level float64) (iv stats.Interval, ok bool) {
	maxDen := 0.0
	for _, p := range parts {
		if p.Den <= 0 || p.Den > 2 || p.Num != 0 && 2*p.Num != p.Den && p.Num != p.Den {
			return iv, false
		}
		maxDen = max(maxDen, p.Den)
	}
	var best, worst, n float64
	for _, p := range parts {
		w := p.Den / maxDen * float64(p.Count)
		n += w
		switch p.Num {
		case p.Den:
			best += w
		case 0:
			worst += w
		}
	}
	iv = stats.PairedInterval(best, worst, n, level)
	return stats.Interval{Low: (1 + iv.Low) / 2, High: (1 + iv.High) / 2}, true
}

// disjointDifferenceInterval returns the interval of a difference of two metrics on disjoint units; false if one of
// them has no formula.
func (s *UnitRows) disjointDifferenceInterval(q estimand, level float64) (bounds, bool) {
	var values [2]float64
	var intervals [2]stats.Interval
	for i := range q.DifferenceParts {
		part := q
		part.Metric = &q.DifferenceParts[i]
		iv, ok := s.closedForm(part, level)
		if !ok {
			return bounds{}, false
		}
		values[i], intervals[i] = part.evaluate(s.sums), iv.Interval
	}
	interval := stats.DifferenceInterval(values[0], values[1], intervals[0], intervals[1])
	return bounds{Interval: interval, method: IntervalByMover}, true
}

// binaryDifference returns the interval of the difference of two shares of the same units, by a formula; false unless
// each row has one unit that is right or wrong in both.
func (s *UnitRows) binaryDifference(q estimand, level float64) (bounds, bool) {
	if q.Value != nil {
		return bounds{}, false
	}
	table, n := s.countTable2x2(q)
	if n == 0 || q.hasKind(KindHalfPoints) || q.hasKind(KindMean) && !s.binary(q) {
		return bounds{}, false
	}
	if q.ValueFromShare != nil {
		return bounds{
			Interval: stats.CurveDifferenceInterval(
				table.Both, table.OnlyA, table.OnlyB, table.Neither, q.ValueFromShare, level,
			),
			method: IntervalByMover,
		}, true
	}
	return bounds{
		Interval: stats.PairedInterval(float64(table.OnlyB), float64(table.OnlyA), float64(n), level),
		method:   IntervalByBonettPrice,
	}, true
}

// binary reports whether a metric is 0 or 1 in every row, on both spans of columns.
func (s *UnitRows) binary(q estimand) bool {
	for _, k := range s.rows.DistinctRows {
		for _, span := range [2]ColumnSpan{q.subtrahendColumns, q.valueColumns} {
			if num, den := q.share(span.slice(k.Row)); snap(num, den) != 0 && snap(num, den) != den {
				return false
			}
		}
	}
	return true
}

// smoothingRows returns the rows that smooth the interval of a resampled metric. A mean of bounded values has one of
// the lowest and one of the highest value. A metric of a two-way table has one for each cell of the table, of the
// weight of half a row; for a difference, one for each two cells of the runs with the same Key, and all of them
// together weigh as much as the cells of one run.
func (s *UnitRows) smoothingRows(q estimand) *stats.PriorRows {
	if len(q.PossibleRows) == 0 {
		return s.priorAtEnds(q)
	}
	weight := EffectivePriorUnits(float64(s.unitCount) / float64(s.rows.Len))
	x := &stats.PriorRows{MeanWeight: priorMass}
	if !q.isDifference() {
		for _, c := range q.PossibleRows {
			x.Low = append(x.Low, priorRow(weight, columnValues{q.valueColumns, c.Row}))
		}
		return x
	}
	for _, c := range q.PossibleRows {
		for _, d := range q.PossibleRows {
			if c.MatchKey == d.MatchKey {
				x.Low = append(x.Low, priorRow(
					weight,
					columnValues{q.subtrahendColumns, c.Row},
					columnValues{q.valueColumns, d.Row},
				))
			}
		}
	}
	x.MeanWeight *= float64(len(q.PossibleRows)) / float64(len(x.Low))
	return x
}

// priorAtEnds returns the prior rows of a mean of bounded values, half a row at the lowest value and half a row at the
// highest, so that the interval has a width where all values are alike.
func (s *UnitRows) priorAtEnds(q estimand) *stats.PriorRows {
	lowest, highest := q.MinUnitValue, 1.0
	unitsPerRow := float64(s.unitCount) / float64(s.rows.Len)
	scaledRow := func(span ColumnSpan, value float64) columnValues {
		size, n := 0.0, 0.0
		for _, k := range s.rows.DistinctRows {
			if den := span.slice(k.Row)[1]; den != 0 {
				size += float64(k.Count) * den
				n += float64(k.Count)
			}
		}
		size *= EffectivePriorUnits(unitsPerRow) / unitsPerRow / n
		return columnValues{span, []float64{value * size, size}}
	}
	low := []columnValues{scaledRow(q.valueColumns, lowest)}
	high := []columnValues{scaledRow(q.valueColumns, highest)}
	if q.isDifference() {
		low = append(low, scaledRow(q.subtrahendColumns, highest))
		high = append(high, scaledRow(q.subtrahendColumns, lowest))
	}
	return priorRowsAtExtremes(priorRow(1, low...), priorRow(1, high...))
}

// priorRowsAtExtremes returns prior rows of one row at the lowest value and one at the highest.
func priorRowsAtExtremes(low, high stats.SparseRow) *stats.PriorRows {
	return &stats.PriorRows{Low: []stats.SparseRow{low}, High: []stats.SparseRow{high}, MeanWeight: priorMass}
}

// columnValues holds the values of a prior row in a span of columns.
type columnValues struct {
	ColumnSpan
	row []float64
}

// priorRow joins the parts of a prior row, with all values multiplied by times.
func priorRow(times float64, parts ...columnValues) (x stats.SparseRow) {
	for _, p := range parts {
		for i, v := range p.row {
			if v != 0 {
				x.Columns, x.Values = append(x.Columns, p.ColumnSpan[0]+i), append(x.Values, times*v)
			}
		}
	}
	return x
}

// tooFewNote returns a note that names a value which a variable of a correlation has in too few units for an interval;
// "" if all values have enough.
func (s *UnitRows) tooFewNote(q estimand) string {
	for _, class := range q.CorrelationVariables {
		for _, span := range []ColumnSpan{q.valueColumns, q.subtrahendColumns} {
			if span == (ColumnSpan{}) {
				continue
			}
			var counts [2]int
			for _, k := range s.rows.DistinctRows {
				a, b := class.CountValues(span.slice(k.Row))
				if a > 0 {
					counts[0] += k.Count
				}
				if b > 0 {
					counts[1] += k.Count
				}
			}
			for i, n := range counts {
				if n < minClassUnits {
					return phrases.Sentence("note.few-of-class", class.Words[i], phrases.CountWithNoun(n, s.unit), minClassUnits)
				}
			}
		}
	}
	return ""
}
