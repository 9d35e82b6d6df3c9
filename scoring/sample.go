package scoring

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// UnitRows holds scored units (such as pairs) as rows of numbers for resampling, one row for each cluster of units.
type UnitRows struct {
	unit      string     // noun for the resampled unit
	unitCount int        // number of units
	sums      []float64  // sum of each column over all units
	rows      stats.Rows // the rows, in which fixed columns are 0
	buffer    []float64  // a row, reused by addRow

	// by column: it counts once per question (see [Sheet.QuestionColumns]); the items alone determine it, so that it is
	// not resampled
	questionColumns, fixed []bool
	clusterSums            OrderedMap[string, []float64] // sums of each cluster's units, until close
	seenQuestions          map[string]bool               // ids of questions whose question columns are counted already
	rowsByUnit             *unitwiseRows                 // rows by unit; nil unless a metric has Units

	early *sequence // rows in the drawn order, for a run before its end; else nil
}

// newUnitRows returns an empty sample; width is the number of columns, and unit the noun for the resampled unit.
func newUnitRows(unit string, width int, metrics []Metric) *UnitRows {
	s := &UnitRows{
		unit:            unit,
		sums:            make([]float64, width),
		questionColumns: make([]bool, width),
		fixed:           make([]bool, width),
		seenQuestions:   map[string]bool{},
	}
	if slices.ContainsFunc(metrics, func(m Metric) bool { return m.ValueFromUnits != nil }) {
		s.rowsByUnit = new(unitwiseRows)
	}
	return s
}

// excludeFixedColumns excludes from resampling the columns of metrics that the items alone determine.
func (s *UnitRows) excludeFixedColumns(metrics []Metric) {
	for _, m := range metrics {
		if m.hasKind(KindFromItems) {
			for k := m.Columns[0]; k < m.Columns[1]; k++ {
				s.fixed[k] = true
			}
		}
	}
}

// add takes a unit's row and keeps it. cluster and question are "" for a unit without one. The sums are complete only
// after close.
func (s *UnitRows) add(cluster, question string, row []float64) {
	s.unitCount++
	if s.rowsByUnit != nil {
		s.rowsByUnit.add(cluster, row)
	}
	if cluster == "" {
		s.addRow(row)
		return
	}
	sum := s.clusterSums.Get(cluster)
	if *sum == nil {
		*sum = make([]float64, len(row))
	}
	repeated := question != "" && s.seenQuestions[question]
	for k, v := range row {
		if !repeated || !s.questionColumns[k] {
			(*sum)[k] += v
		}
	}
	if question != "" {
		s.seenQuestions[question] = true
	}
}

// addClusters adds the rows of the clusters, after the last unit.
func (s *UnitRows) addClusters() {
	for _, row := range s.clusterSums.Values {
		s.addRow(row)
	}
}

func (s *UnitRows) addRow(row []float64) {
	for k, v := range row {
		s.sums[k] += v
	}
	s.buffer = append(s.buffer[:0], row...)
	for k, fixed := range s.fixed {
		if fixed {
			s.buffer[k] = 0
		}
	}
	s.rows.Add(s.buffer)
}

// IndependentRows returns independent rows as a sample; unit is the noun for what a row stands for.
func IndependentRows(unit string, metrics []Metric, rows [][]float64) *UnitRows {
	width := 0
	for _, m := range metrics {
		width = max(width, m.Columns[1])
	}
	if len(rows) > 0 {
		width = len(rows[0])
	}
	s := newUnitRows(unit, width, metrics)
	s.excludeFixedColumns(metrics)
	for _, row := range rows {
		s.add("", "", row)
	}
	s.addClusters()
	return s
}

// Differences returns the differences between two ways to judge the same units. A row has the columns of the metrics
// for the first way; those for the second stand width columns further on.
func (s *UnitRows) Differences(metrics []Metric, width int, b stats.Bootstrap) []Difference {
	return s.differences(Overall, metrics, width, b)
}

// Sums returns the sum of each column over all units.
func (s *UnitRows) Sums() []float64 { return s.sums }

// Rows returns the rows for resampling, one for each cluster.
func (s *UnitRows) Rows() *stats.Rows { return &s.rows }

// value returns a metric's value on the columns of span. A metric with Units uses only units that have a value in the
// columns of other too, so that two spans are compared on the same units.
func (s *UnitRows) value(m *Metric, span, other ColumnSpan) float64 {
	if m.ValueFromUnits != nil {
		return m.ValueFromUnits(slices.Concat(s.rowsByUnit.columns(span, other)...))
	}
	return m.value(span.slice(s.sums))
}

// n returns the number of units that a metric's value is computed from, or of what the metric counts instead.
func (s *UnitRows) n(m *Metric) int {
	switch {
	case m.ValueFromUnits != nil && m.N == nil:
		return s.rowsByUnit.countDefined(m.Columns, m.Columns)
	case m.hasKind(KindRatio) && m.N == nil:
		return s.rows.CountMatching(func(row []float64) bool { _, den := m.share(m.Columns.slice(row)); return den != 0 })
	}
	return int(m.n(m.Columns.slice(s.sums)))
}

// clustersOf returns the number of rows (clusters) with units that the metric counts.
func (s *UnitRows) clustersOf(m *Metric) int {
	if m.ValueFromUnits == nil {
		return s.rows.CountMatching(func(row []float64) bool { return m.n(m.Columns.slice(row)) > 0 })
	}
	return len(s.rowsByUnit.columns(m.Columns, m.Columns))
}

// sideValues returns the two values of a difference, the subtrahend first; why names the one that is undefined, with
// the reason. names are those of the two sides.
func (s *UnitRows) sideValues(q estimand, names [2]string) (a, b float64, why string) {
	a = s.value(q.Metric, q.subtrahendColumns, q.valueColumns)
	b = s.value(q.Metric, q.valueColumns, q.subtrahendColumns)
	switch {
	case math.IsNaN(a):
		why = "in " + names[0] + " " + q.reason(q.subtrahendColumns.slice(s.sums))
	case math.IsNaN(b):
		why = "in " + names[1] + " " + q.reason(q.valueColumns.slice(s.sums))
	}
	return a, b, why
}

// pointEstimate returns the value of an estimand, a metric or the difference of a metric between two spans of columns.
func (s *UnitRows) pointEstimate(q estimand) float64 {
	if !q.isDifference() {
		return s.value(q.Metric, q.valueColumns, q.valueColumns)
	}
	a, b, _ := s.sideValues(q, q.Sides)
	return b - a
}

// countTable2x2 counts units by the runs, two spans of columns, that are right on them, with their number; nil if a row
// has several units, or units in only one run.
func (s *UnitRows) countTable2x2(q estimand) (*Table2x2, int) {
	if q.ValueFromUnits != nil {
		return nil, 0
	}
	var t Table2x2
	for _, k := range s.rows.DistinctRows {
		na, da := q.share(q.subtrahendColumns.slice(k.Row))
		nb, db := q.share(q.valueColumns.slice(k.Row))
		switch {
		case da == 0 && db == 0:
		case da != 1 || db != 1:
			return nil, 0
		default:
			t.AddUnits(na > 0, nb > 0, k.Count)
		}
	}
	return &t, t.N()
}
