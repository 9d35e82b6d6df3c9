package scoring

import (
	"cmp"
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Tests of two runs.
const (
	mcNemar  = "exact McNemar"
	exchange = "paired permutation"
	byE      = "e-value" // its inverse is a p that holds at every look
)

// differences returns those of all metrics that the runs are compared by, in all sections.
func (s *Sheet) differences(
	other *Sheet, unit string, joined []Joined, ahead *pairedOrder, b stats.Bootstrap,
) []Difference {
	metrics := slices.DeleteFunc(s.shared(other), func(m Metric) bool { return m.Compared == Nowhere })
	common := make([]Unit, len(joined))
	for i, p := range joined {
		common[i] = p.A
	}
	sections := s.sections(common)
	found := make([][]Difference, len(sections))
	inParallel(len(sections), func(i int) {
		in := metrics
		if i > 0 {
			in = slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m.Compared != ByGroup })
		}
		found[i] = s.pairedSample(unit, sections[i], joined, ahead, in).differences(sections[i].name, in, s.Width, b)
	})
	var out []Difference // metric by metric
	for _, m := range metrics {
		for _, part := range found {
			for _, d := range part {
				if d.Metric == m.Name && d.Mode == m.Mode && (d.A != nil || d.B != nil) { // some run has it
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// shared returns the metrics of both sheets.
func (s *Sheet) shared(other *Sheet) (list []Metric) {
	for _, m := range s.Metrics {
		if slices.ContainsFunc(other.Metrics, func(x Metric) bool { return x.Name == m.Name && x.Mode == m.Mode }) {
			list = append(list, m)
		}
	}
	return list
}

// pairedSample returns a sample of units with what both runs made of them: the columns of A that the metrics see, then
// those of B.
func (s *Sheet) pairedSample(unit string, in section, joined []Joined, ahead *pairedOrder, metrics []Metric) *Sample {
	width := s.Width
	x := newSample(unit, 2*width, metrics)
	seen := make([]bool, width)
	for k := range width {
		x.own[k], x.own[width+k] = k < s.Own, k < s.Own
		seen[k] = slices.ContainsFunc(metrics, func(m Metric) bool { return m.Columns[0] <= k && k < m.Columns[1] })
	}
	row := func(p Joined) []float64 { return s.sideBySide(p, seen) }
	for _, p := range joined {
		if in.has(p.A) {
			x.add(p.A.Cluster, p.A.Question, row(p))
		}
	}
	x.close()
	if ahead != nil {
		x.early = ahead.sequence(in, row)
	}
	return x
}

// sideBySide returns a row of both runs.
func (s *Sheet) sideBySide(p Joined, seen []bool) []float64 {
	row := slices.Concat(p.A.Row, p.B.Row)
	for _, block := range s.Blocks {
		empty := func(side []float64) bool {
			return !slices.ContainsFunc(block.of(side), func(v float64) bool { return v != 0 })
		}
		if a, b := row[:len(seen)], row[len(seen):]; empty(a) || empty(b) {
			clear(block.of(a))
			clear(block.of(b))
		}
	}
	for k := range row {
		if !seen[k%len(seen)] {
			row[k] = 0
		}
	}
	return row
}

func (s *Sample) differences(group string, list []Metric, width int, b stats.Bootstrap) []Difference {
	questions := make([]estimand, len(list))
	for i := range list {
		columns := list[i].beside(width)
		questions[i] = estimand{Metric: &list[i], a: columns[0], b: columns[1]}
	}
	found := s.intervals(questions, b)
	diffs := make([]Difference, len(list))
	for i := range list {
		diffs[i] = s.difference(&list[i], width, found[i], b)
		diffs[i].Group = group
	}
	return diffs
}

func (s *Sample) difference(m *Metric, width int, found bounds, b stats.Bootstrap) Difference {
	d := Difference{Metric: m.Name, Mode: m.Mode, Unit: m.Unit, N: s.size}
	columns := m.beside(width)
	if m.N != nil {
		d.N = int(m.N(columns[0].of(s.sums)))
	} else if m.Units != nil {
		d.N = s.units.count(columns[0], columns[1])
	}
	p, table, n := s.test(m, width, b)
	d.tested = n
	first, second, why := s.sides(m, columns[0], columns[1], [2]string{"A", "B"})
	d.A = inUnit(d.Unit, first)
	d.B = inUnit(d.Unit, second)
	d.Diff = inUnit(d.Unit, second-first)
	if why != "" {
		d.Note = "undefined: " + why
		return d
	}
	d.Low = inUnit(d.Unit, found.Low)
	d.High = inUnit(d.Unit, found.High)
	d.Interval = found.by
	d.Note = found.note
	d.P = Precise(p)
	d.Table = table
	if s.early != nil {
		d.Test, d.E = byE, Precise(s.early.evidence(m, columns))
		if m.Headline {
			d.atEveryLook = new(s.early.difference(estimand{Metric: m, a: columns[0], b: columns[1]}, 1-2*planAlpha))
		}
	} else if d.Table == nil {
		d.Test = exchange
		if m.is(Share) && s.size > s.rows.Len {
			d.Note = cmp.Or(d.Note, "McNemar: none, what belongs to one "+s.unit+" is not independent")
		}
	}
	return d
}

// test returns the p of a metric in a sample of two runs: of right and wrong unit by unit by McNemar's test, which has
// a table, else by exchanging the runs. n is how many rows are compared.
func (s *Sample) test(m *Metric, width int, b stats.Bootstrap) (p float64, table *Table2x2, n int) {
	columns := m.beside(width)
	if s.early != nil {
		table, n = s.table(m, columns)
		if table == nil {
			n = s.size
		}
		return math.Min(1, 1/s.early.evidence(m, columns)), table, n
	}
	if m.Units != nil {
		p, n = s.units.exchanged(m, columns, b)
		return p, nil, n
	}
	if m.is(Share) {
		table, n = s.table(m, columns)
		if n > 0 {
			return stats.McNemar(table.OnlyA, table.OnlyB), table, n
		}
	}
	var rows stats.Rows
	for _, k := range s.rows.Kinds {
		both := slices.Concat(columns[0].of(k.Row), columns[1].of(k.Row))
		for range k.Often {
			rows.Add(both)
		}
	}
	return b.Exchange(&rows, func(a, b []float64) float64 { return m.value(b) - m.value(a) }), nil, rows.Len
}
