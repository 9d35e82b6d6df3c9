package scoring

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Sample is units as rows to be resampled: a row for each cluster of them.
type Sample struct {
	unit  string // what a row is, in words
	size  int    // how many units there are
	sums  []float64
	rows  stats.Rows // without the fixed columns
	loose []float64  // reused by take

	own, fixed []bool // of columns: see [Sheet.Own]; not resampled, since they follow from the items
	clusters   Tally[string, []float64]
	asked      map[string]bool // questions of which the own columns are in
	units      *unitwise       // where a metric looks at them one by one

	early *sequence // of a run that is not at its end
}

func newSample(unit string, width int, metrics []Metric) *Sample {
	s := &Sample{
		unit:  unit,
		sums:  make([]float64, width),
		own:   make([]bool, width),
		fixed: make([]bool, width),
		asked: map[string]bool{},
	}
	if slices.ContainsFunc(metrics, func(m Metric) bool { return m.Units != nil }) {
		s.units = new(unitwise)
	}
	return s
}

// fix leaves the columns of known metrics out of what is resampled.
func (s *Sample) fix(metrics []Metric) {
	for _, m := range metrics {
		if m.is(Known) {
			for k := m.Columns[0]; k < m.Columns[1]; k++ {
				s.fixed[k] = true
			}
		}
	}
}

// add takes a unit's row, and keeps it. All are in only after close.
func (s *Sample) add(cluster, question string, row []float64) {
	s.size++
	if s.units != nil {
		s.units.add(cluster, row)
	}
	if cluster == "" {
		s.take(row)
		return
	}
	sum := s.clusters.Of(cluster)
	if *sum == nil {
		*sum = make([]float64, len(row))
	}
	known := question != "" && s.asked[question]
	for k, v := range row {
		if !known || !s.own[k] {
			(*sum)[k] += v
		}
	}
	if question != "" {
		s.asked[question] = true
	}
}

func (s *Sample) close() {
	for _, row := range s.clusters.Values {
		s.take(row)
	}
}

func (s *Sample) take(row []float64) {
	for k, v := range row {
		s.sums[k] += v
	}
	s.loose = append(s.loose[:0], row...)
	for k, fixed := range s.fixed {
		if fixed {
			s.loose[k] = 0
		}
	}
	s.rows.Add(s.loose)
}

// SampleOf returns a sample of rows that are independent of each other.
func SampleOf(unit string, metrics []Metric, rows [][]float64) *Sample {
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

// Sums returns those of the columns.
func (s *Sample) Sums() []float64 { return s.sums }

// Rows returns the rows to be resampled.
func (s *Sample) Rows() *stats.Rows { return &s.rows }

// value of a metric, where the columns that it sees are those of a span. One that looks at units one by one sees those
// that have a value in the other span, too.
func (s *Sample) value(m *Metric, at, other Span) float64 {
	if m.Units != nil {
		return m.Units(slices.Concat(s.units.at(at, other)...))
	}
	return m.value(at.of(s.sums))
}

// n returns the number of units, or of what else the metric counts.
func (s *Sample) n(m *Metric) int {
	switch {
	case m.Units != nil && m.N == nil:
		return s.units.count(m.Columns, m.Columns)
	case m.is(Ratio) && m.N == nil:
		return s.rows.Count(func(row []float64) bool { _, den := m.share(m.Columns.of(row)); return den != 0 })
	}
	return int(m.n(m.Columns.of(s.sums)))
}

// clustersOf returns the number of rows that n counts in.
func (s *Sample) clustersOf(m *Metric) int {
	if m.Units == nil {
		return s.rows.Count(func(row []float64) bool { return m.n(m.Columns.of(row)) > 0 })
	}
	return len(s.units.at(m.Columns, m.Columns))
}

// sides returns a metric's values of two spans of columns, and why one is undefined.
func (s *Sample) sides(m *Metric, a, b Span, names [2]string) (va, vb float64, why string) {
	va = s.value(m, a, b)
	vb = s.value(m, b, a)
	switch {
	case math.IsNaN(va):
		why = "in " + names[0] + " " + m.why(a.of(s.sums))
	case math.IsNaN(vb):
		why = "in " + names[1] + " " + m.why(b.of(s.sums))
	}
	return va, vb, why
}

// valueOf returns the value of a metric, or the difference of two, on all units.
func (s *Sample) valueOf(q estimand) float64 {
	if !q.differs() {
		return s.value(q.Metric, q.b, q.b)
	}
	return s.value(q.Metric, q.b, q.a) - s.value(q.Metric, q.a, q.b)
}

// table counts who was right where both were asked; nil where a row is asked more than once, or in one run alone.
func (s *Sample) table(m *Metric, columns [2]Span) (*Table2x2, int) {
	if m.Units != nil {
		return nil, 0
	}
	var t Table2x2
	for _, k := range s.rows.Kinds {
		na, da := m.share(columns[0].of(k.Row))
		nb, db := m.share(columns[1].of(k.Row))
		switch {
		case da == 0 && db == 0:
		case da != 1 || db != 1:
			return nil, 0
		default:
			t.Count(na > 0, nb > 0, k.Often)
		}
	}
	return &t, t.N()
}
