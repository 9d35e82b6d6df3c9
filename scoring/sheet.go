package scoring

import (
	"cmp"
	"maps"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"gavel/scoring/stats"
)

// Sheet holds a scorer's units, such as pairs, as rows of numbers, and the metrics computed from the columns.
type Sheet struct {
	Metrics     []Metric
	ColumnCount int    // number of columns
	Units       []Unit // sorted by id
	// ways to divide the units into groups, such as by category; each function compares two groups for sorting
	Divisions []func(a, b string) int
	// QuestionColumns is the number of leading columns that belong to a unit's question: of several units of one
	// question, they count once.
	QuestionColumns int
	// OptionalColumns are spans of columns that a comparison counts for a unit only if neither run has only zeros in them.
	OptionalColumns []ColumnSpan

	early         *earlyItems // for a run before its end: its items in the drawn order
	protocol      string
	missingPolicy MissingPolicy // how judgments without a verdict count
}

// addTermTexts returns the metrics with their names and texts filled in from the protocol's table of metrics.
func (s *Sheet) addTermTexts(list []Metric) []Metric {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		term, ok := MetricOf(s.protocol, m.Name)
		if !ok {
			continue
		}
		m.Term = term
		m.Unit = term.Unit
		if s.missingPolicy == MissingStrict {
			m.MissingRule = cmp.Or(m.MissingRule, term.StrictMissing)
		}
		m.MissingRule = cmp.Or(m.MissingRule, term.MissingRule)
		m.NoValueReason = cmp.Or(m.NoValueReason, term.None)
		switch {
		case m.Headline:
			m.ComparisonScope = ScopeGroups
		case m.Subtrahend == ColumnSpan{}: // the judgments in both modes are not the same in both runs
			m.ComparisonScope = cmp.Or(m.ComparisonScope, term.CompareScope)
		}
	}
	return list
}

// sections returns the section of all units, then, for each division with at least two groups, one section for each
// group.
func (s *Sheet) sections(units []Unit) []section {
	all := []section{{Overall, -1}}
	for d, order := range s.Divisions {
		present := map[string]bool{}
		for _, u := range units {
			present[u.Groups[d]] = true
		}
		if len(present) < 2 {
			continue
		}
		for _, name := range slices.SortedFunc(maps.Keys(present), order) {
			all = append(all, section{name, d})
		}
	}
	return all
}

// score computes every metric, overall and by group. unit is the noun for what intervals resample.
func (s *Sheet) score(unit string, b stats.Bootstrap) []Result {
	sections := s.sections(s.Units)
	results := make([][]Result, len(sections))
	inParallel(len(sections), func(i int) {
		x := s.sectionRows(unit, sections[i])
		if s.early != nil {
			x.early = s.early.sequence(sections[i].filter(s.Units))
		}
		results[i] = x.Results(sections[i].name, s.Metrics, b)
	})
	return slices.Concat(results...)
}

// WithMetrics returns a sheet of the same units with other metrics and columns, of which there are width. row returns
// the numbers that a unit adds to the columns, or nil to drop the unit.
func (s *Sheet) WithMetrics(list []Metric, width int, row func(Unit) []float64) *Sheet {
	sheet := &Sheet{Metrics: s.addTermTexts(list), ColumnCount: width, early: s.early}
	for _, u := range s.Units {
		u.Row = row(u)
		if u.Row != nil {
			sheet.Units = append(sheet.Units, u)
		}
	}
	return sheet
}

// ScoreAsGroup computes the metrics over all units; group becomes the name of the group in the results.
func (s *Sheet) ScoreAsGroup(group, unit string, b stats.Bootstrap) []Result {
	results := s.score(unit, b)
	for i := range results {
		results[i].Group = group
	}
	return results
}

// sectionRows returns the rows of the units in a section, for resampling.
func (s *Sheet) sectionRows(unit string, in section) *UnitRows {
	x := newUnitRows(unit, s.ColumnCount, s.Metrics)
	for k := range s.QuestionColumns {
		x.questionColumns[k] = true
	}
	x.excludeFixedColumns(s.Metrics)
	for _, u := range in.filter(s.Units) {
		x.add(u.Cluster, u.Question, u.Row)
	}
	x.addClusters()
	return x
}

// inParallel calls do for 0 to n−1 in parallel, at most as many calls at once as there are processors, because
// resampling needs memory.
func inParallel(n int, do func(i int)) {
	var todo errgroup.Group
	todo.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		todo.Go(func() error { do(i); return nil })
	}
	todo.Wait()
}

// rowsSortedByKey returns the rows sorted by key.
func rowsSortedByKey(rows map[string][]float64) (list [][]float64) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, rows[name])
	}
	return list
}

// rightItemCount returns the number of items right by the headline metric; nil if that is not a share.
func (s *Sheet) rightItemCount() *float64 {
	whole := s.sectionRows("", section{Overall, -1})
	for _, m := range s.Metrics {
		if c := m.Columns.slice(whole.sums); m.Headline && m.Mode == "" && m.Unit == "" && m.n(c) > 0 {
			return new(m.value(c) * m.n(c))
		}
	}
	return nil
}
