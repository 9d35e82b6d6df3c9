package scoring

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// UnitRows holds units as rows for resampling, one row per cluster.
type UnitRows struct {
	unit   string // name of the resampled unit
	size   int    // number of units
	sums   []float64
	rows   stats.Rows // without the fixed columns
	buffer []float64  // reused by addRow

	questionColumns, fixed []bool // per column: see [Sheet.Own]; determined by the items, so not resampled
	clusters               Tally[string, []float64]
	questions              map[string]bool // questions whose question columns are counted already
	units                  *unitwise       // nil unless a metric has Units

	early *sequence // of a run before its end
}

func newSample(unit string, width int, metrics []Metric) *UnitRows {
	s := &UnitRows{
		unit:            unit,
		sums:            make([]float64, width),
		questionColumns: make([]bool, width),
		fixed:           make([]bool, width),
		questions:       map[string]bool{},
	}
	if slices.ContainsFunc(metrics, func(m Metric) bool { return m.Units != nil }) {
		s.units = new(unitwise)
	}
	return s
}

// fix excludes the columns of known metrics from resampling.
func (s *UnitRows) fix(metrics []Metric) {
	for _, m := range metrics {
		if m.hasKind(FromItems) {
			for k := m.Columns[0]; k < m.Columns[1]; k++ {
				s.fixed[k] = true
			}
		}
	}
}

// add takes a unit's row and keeps it. The sums are complete only after close.
func (s *UnitRows) add(cluster, question string, row []float64) {
	s.size++
	if s.units != nil {
		s.units.add(cluster, row)
	}
	if cluster == "" {
		s.addRow(row)
		return
	}
	sum := s.clusters.Get(cluster)
	if *sum == nil {
		*sum = make([]float64, len(row))
	}
	repeated := question != "" && s.questions[question]
	for k, v := range row {
		if !repeated || !s.questionColumns[k] {
			(*sum)[k] += v
		}
	}
	if question != "" {
		s.questions[question] = true
	}
}

func (s *UnitRows) close() {
	for _, row := range s.clusters.Values {
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

// SampleOf returns a sample of independent rows.
func SampleOf(unit string, metrics []Metric, rows [][]float64) *UnitRows {
	width := 0
	for _, m := range metrics {
		width = max(width, m.Columns[1])
	}
	if len(rows) > 0 {
		width = len(rows[0])
	}
	s := newSample(unit, width, metrics)
	s.fix(metrics)
	for _, row := range rows {
		s.add("", "", row)
	}
	s.close()
	return s
}

// Sums returns the sums of the columns.
func (s *UnitRows) Sums() []float64 { return s.sums }

// Rows returns the rows for resampling.
func (s *UnitRows) Rows() *stats.Rows { return &s.rows }

// value returns a metric's value on the columns of span. A metric with Units uses only units that have a value in other
// too.
func (s *UnitRows) value(m *Metric, span, other ColumnRange) float64 {
	if m.Units != nil {
		return m.Units(slices.Concat(s.units.columns(span, other)...))
	}
	return m.value(span.slice(s.sums))
}

// n returns the number of units, or of what the metric counts instead.
func (s *UnitRows) n(m *Metric) int {
	switch {
	case m.Units != nil && m.N == nil:
		return s.units.count(m.Columns, m.Columns)
	case m.hasKind(Ratio) && m.N == nil:
		return s.rows.Count(func(row []float64) bool { _, den := m.share(m.Columns.slice(row)); return den != 0 })
	}
	return int(m.n(m.Columns.slice(s.sums)))
}

// clustersOf returns the number of rows that contain the counted units.
func (s *UnitRows) clustersOf(m *Metric) int {
	if m.Units == nil {
		return s.rows.Count(func(row []float64) bool { return m.n(m.Columns.slice(row)) > 0 })
	}
	return len(s.units.columns(m.Columns, m.Columns))
}

// sides returns a metric's values on two spans of columns, and the reason if one is undefined.
func (s *UnitRows) sides(m *Metric, a, b ColumnRange, names [2]string) (va, vb float64, why string) {
	va = s.value(m, a, b)
	vb = s.value(m, b, a)
	switch {
	case math.IsNaN(va):
		why = "in " + names[0] + " " + m.reason(a.slice(s.sums))
	case math.IsNaN(vb):
		why = "in " + names[1] + " " + m.reason(b.slice(s.sums))
	}
	return va, vb, why
}

// valueOf returns the value of a metric, or the difference of two values, on all units.
func (s *UnitRows) valueOf(q estimand) float64 {
	if !q.isDifference() {
		return s.value(q.Metric, q.b, q.b)
	}
	return s.value(q.Metric, q.b, q.a) - s.value(q.Metric, q.a, q.b)
}

// table counts units by the runs that are right on them; nil if a row has several units, or units in only one run.
func (s *UnitRows) table(m *Metric, columns [2]ColumnRange) (*Table2x2, int) {
	if m.Units != nil {
		return nil, 0
	}
	var t Table2x2
	for _, k := range s.rows.Kinds {
		na, da := m.share(columns[0].slice(k.Row))
		nb, db := m.share(columns[1].slice(k.Row))
		switch {
		case da == 0 && db == 0:
		case da != 1 || db != 1:
			return nil, 0
		default:
			t.Count(na > 0, nb > 0, k.Count)
		}
	}
	return &t, t.N()
}
