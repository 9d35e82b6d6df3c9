package scoring

import (
	"cmp"
	"slices"

	"gavel/scoring/stats"
)

// Names of the tests of a difference between two runs, as in results.
const (
	mcNemar         = "exact McNemar"      // for metrics that are right or wrong unit by unit
	permutationTest = "paired permutation" // for other metrics
	// before the end of a run; the inverse of the e-value is a p-value that is valid at every look
	eValueTest = "e-value"
)

// differences returns the differences between run A, of sheet s, and run B, of sheet other, over all shared units and
// in each group. unit names the resampled unit; order is nil if both runs are at their ends.
func (s *Sheet) differences(
	other *Sheet, unit string, shared []SharedUnit, order *sharedUnitOrder, b stats.Bootstrap,
) []Difference {
	metrics := slices.DeleteFunc(s.sharedMetrics(other), func(m Metric) bool { return m.ComparisonScope == ScopeNone })
	shared = s.unitsWithAlignedColumns(other, shared, metrics)
	common := make([]Unit, len(shared))
	for i, p := range shared {
		common[i] = p.A
	}
	sections := s.sections(common)
	bySection := make([][]Difference, len(sections))
	inParallel(len(sections), func(i int) {
		list := metrics
		if i > 0 {
			list = slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m.ComparisonScope != ScopeGroups })
		}
		bySection[i] = s.sharedUnitRows(unit, sections[i], shared, order, list).
			differences(sections[i].name, list, s.ColumnCount, b)
	})
	var out []Difference // metric by metric
	for _, m := range metrics {
		for _, differences := range bySection {
			for _, d := range differences {
				if d.Metric == m.Name && d.Mode == m.Mode && (d.A != nil || d.B != nil) { // at least one has a value
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// metricIndex returns the index of a metric with the name and the mode of m; -1 if there is none.
func (s *Sheet) metricIndex(m Metric) int {
	return slices.IndexFunc(s.Metrics, func(x Metric) bool { return x.Name == m.Name && x.Mode == m.Mode })
}

// sharedMetrics returns the metrics of s that the sheet of another run has too.
func (s *Sheet) sharedMetrics(other *Sheet) []Metric {
	return slices.DeleteFunc(slices.Clone(s.Metrics), func(m Metric) bool { return other.metricIndex(m) < 0 })
}

// unitsWithAlignedColumns returns the units with the columns of run B where run A has those of the same metric. Runs of
// two protocols may lay out the metrics that they share differently.
func (s *Sheet) unitsWithAlignedColumns(other *Sheet, shared []SharedUnit, metrics []Metric) []SharedUnit {
	columns := map[ColumnSpan]ColumnSpan{}
	for _, m := range metrics {
		if from := other.Metrics[other.metricIndex(m)].Columns; from != m.Columns || s.ColumnCount != other.ColumnCount {
			columns[m.Columns] = from
		}
	}
	if len(columns) == 0 {
		return shared
	}
	shared = slices.Clone(shared)
	for i := range shared {
		row := make([]float64, s.ColumnCount)
		for to, from := range columns {
			copy(to.slice(row), from.slice(shared[i].B.Row))
		}
		shared[i].B.Row = row
	}
	return shared
}

// sharedUnitRows returns the units of a section that two runs share, as rows for resampling. A row holds the columns of
// run A, then those of run B; columns that no metric uses are 0. order is nil if both runs are at their ends.
func (s *Sheet) sharedUnitRows(
	unit string, in section, shared []SharedUnit, order *sharedUnitOrder, metrics []Metric,
) *UnitRows {
	width := s.ColumnCount
	x := newUnitRows(unit, 2*width, metrics)
	used := make([]bool, width)
	for k := range width {
		x.questionColumns[k], x.questionColumns[width+k] = k < s.QuestionColumns, k < s.QuestionColumns
		used[k] = slices.ContainsFunc(metrics, func(m Metric) bool { return m.Columns[0] <= k && k < m.Columns[1] })
	}
	row := func(p SharedUnit) []float64 { return s.bothRunsColumns(p, used) }
	for _, p := range shared {
		if in.containsUnit(p.A) {
			x.add(p.A.Cluster, p.A.Question, row(p))
		}
	}
	x.addClusters()
	if order != nil {
		x.early = order.sequence(in, row)
	}
	return x
}

// bothRunsColumns returns the columns of a unit in run A, followed by those in run B. Columns that are not used become
// 0, and so does a block of columns (see [Sheet.OptionalColumns]) that is 0 in one of the runs.
func (s *Sheet) bothRunsColumns(p SharedUnit, used []bool) []float64 {
	row := slices.Concat(p.A.Row, p.B.Row)
	for _, block := range s.OptionalColumns {
		empty := func(side []float64) bool {
			return !slices.ContainsFunc(block.slice(side), func(v float64) bool { return v != 0 })
		}
		if a, b := row[:len(used)], row[len(used):]; empty(a) || empty(b) {
			clear(block.slice(a))
			clear(block.slice(b))
		}
	}
	for k := range row {
		if !used[k%len(used)] {
			row[k] = 0
		}
	}
	return row
}

// differences returns the difference between runs B and A by each metric of a list. s comes from
// [Sheet.sharedUnitRows], and width is the number of columns of one run.
func (s *UnitRows) differences(group string, list []Metric, width int, b stats.Bootstrap) []Difference {
	questions := make([]estimand, len(list))
	for i := range list {
		questions[i] = list[i].runDifference(width)
	}
	intervals := s.intervals(questions, b)
	diffs := make([]Difference, len(list))
	for i, q := range questions {
		diffs[i] = s.difference(q, intervals[i], b)
		diffs[i].Group = group
	}
	return diffs
}

// difference returns a difference between runs B and A with its test; iv is its interval. s comes from
// [Sheet.sharedUnitRows].
func (s *UnitRows) difference(q estimand, iv bounds, b stats.Bootstrap) Difference {
	d := Difference{Metric: q.Name, Mode: q.Mode, Unit: q.Unit, N: s.unitCount}
	if q.N != nil {
		d.N = int(q.N(q.subtrahendColumns.slice(s.sums)))
	} else if q.ValueFromUnits != nil {
		d.N = s.rowsByUnit.countDefined(q.subtrahendColumns, q.valueColumns)
	}
	p, table, n := s.test(q, b)
	d.testedRowCount = n
	first, second, reason := s.sideValues(q, [2]string{"A", "B"})
	d.A = convertToUnit(d.Unit, first)
	d.B = convertToUnit(d.Unit, second)
	d.BMinusA = convertToUnit(d.Unit, second-first)
	if reason != "" {
		d.Note = "undefined: " + reason
		return d
	}
	d.Low = convertToUnit(d.Unit, iv.Low)
	d.High = convertToUnit(d.Unit, iv.High)
	d.IntervalMethod = iv.method
	d.Note = iv.note
	d.P = RoundToTwelveDigits(p)
	d.Table = table
	if s.early != nil {
		d.Test, d.E = eValueTest, RoundToTwelveDigits(s.early.evidence(q))
		if q.Headline {
			d.sequentialInterval = new(s.early.differenceInterval(q, 1-2*planAlpha))
		}
	} else if d.Table == nil {
		d.Test = permutationTest
		if q.hasKind(KindShare) && s.unitCount > s.rows.Len {
			d.Note = cmp.Or(d.Note, "McNemar: none, what belongs to one "+s.unit+" is not independent")
		}
	}
	return d
}

// test returns the p-value of a difference between two runs. s comes from [Sheet.sharedUnitRows]. For a metric that is
// right or wrong unit by unit it uses McNemar's test and returns the table; else a permutation test. n is the number of
// compared rows.
func (s *UnitRows) test(q estimand, b stats.Bootstrap) (p float64, table *Table2x2, n int) {
	if s.early != nil {
		table, n = s.countTable2x2(q)
		if table == nil {
			n = s.unitCount
		}
		return min(1, 1/s.early.evidence(q)), table, n
	}
	if q.ValueFromUnits != nil {
		p, n = s.rowsByUnit.exchangeTest(q, b)
		return p, nil, n
	}
	if q.hasKind(KindShare) {
		table, n = s.countTable2x2(q)
		if n > 0 {
			return stats.McNemar(table.OnlyA, table.OnlyB), table, n
		}
	}
	var rows stats.Rows
	for _, k := range s.rows.DistinctRows {
		both := slices.Concat(q.subtrahendColumns.slice(k.Row), q.valueColumns.slice(k.Row))
		for range k.Count {
			rows.Add(both)
		}
	}
	return b.PermutationTest(&rows, func(a, b []float64) float64 { return q.value(b) - q.value(a) }), nil, rows.Len
}
