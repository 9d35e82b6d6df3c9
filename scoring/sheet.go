package scoring

import (
	"cmp"
	"maps"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"gavel/scoring/stats"
)

// Sheet is what a scorer makes of its records: units as rows of numbers, and metrics, which are functions of
// the sums of their columns.
type Sheet struct {
	Metrics   []Metric
	Width     int                     // columns of a row
	Units     []Unit                  // by id
	Divisions []func(a, b string) int // ways to part the units into groups: the order of the groups
	// Own is how many columns, the first, are not the unit's but its question's: they are those of its first unit.
	Own int
	// Blocks are columns that count in a comparison only where neither run has zeros alone in them.
	Blocks []Span

	early    *early // of a run that is not at its end
	protocol string
	missing  MissingPolicy
}

// define returns metrics with their words from the table of metrics.
func (s *Sheet) define(list []Metric) []Metric {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		term, found := MetricOf(s.protocol, m.Name)
		if !found {
			continue
		}
		m.Term = term
		m.Unit = term.Unit
		if s.missing == MissingStrict {
			m.Missing = cmp.Or(m.Missing, term.Strict)
		}
		m.Missing = cmp.Or(m.Missing, term.Missing)
		m.None = cmp.Or(m.None, term.None)
		switch {
		case m.Headline:
			m.Compared = ByGroup
		case m.Less == Span{}: // what was judged in both modes is not the same in both runs
			m.Compared = cmp.Or(m.Compared, term.Compared)
		}
	}
	return list
}

// sections returns all units and, of each division that parts them, its groups in their order.
func (s *Sheet) sections(units []Unit) []section {
	all := []section{{Overall, -1}}
	for d, order := range s.Divisions {
		seen := map[string]bool{}
		var names []string
		for _, u := range units {
			if name := u.Groups[d]; !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
		if len(names) < 2 {
			continue
		}
		slices.SortFunc(names, order)
		for _, name := range names {
			all = append(all, section{name, d})
		}
	}
	return all
}

// score computes every metric, overall and by group.
func (s *Sheet) score(unit string, b stats.Bootstrap) []Result {
	sections := s.sections(s.Units)
	results := make([][]Result, len(sections))
	inParallel(len(sections), func(i int) {
		x := s.sample(unit, sections[i])
		if s.early != nil {
			x.early = s.early.sequence(sections[i].of(s.Units))
		}
		results[i] = x.Results(sections[i].name, s.Metrics, b)
	})
	return slices.Concat(results...)
}

// Beside returns a sheet of the same units with other metrics, of columns of their own: row is what a unit adds to
// them, nil of one that is left out. What is resampled for the sheet's own metrics stays as it is.
func (s *Sheet) Beside(list []Metric, width int, row func(Unit) []float64) *Sheet {
	beside := &Sheet{Metrics: s.define(list), Width: width, early: s.early}
	for _, u := range s.Units {
		u.Row = row(u)
		if u.Row != nil {
			beside.Units = append(beside.Units, u)
		}
	}
	return beside
}

// Whole computes the metrics over all units, as those of a group.
func (s *Sheet) Whole(group, unit string, b stats.Bootstrap) []Result {
	results := s.score(unit, b)
	for i := range results {
		results[i].Group = group
	}
	return results
}

// sample returns the units of a section.
func (s *Sheet) sample(unit string, in section) *Sample {
	x := newSample(unit, s.Width, s.Metrics)
	for k := range s.Own {
		x.own[k] = true
	}
	x.fix(s.Metrics)
	for _, u := range in.of(s.Units) {
		x.add(u.Cluster, u.Question, u.Row)
	}
	x.close()
	return x
}

// inParallel does n things, as many at once as there are processors: what is drawn takes memory.
func inParallel(n int, do func(i int)) {
	var todo errgroup.Group
	todo.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		todo.Go(func() error { do(i); return nil })
	}
	todo.Wait()
}

// inOrder returns the rows sorted by name.
func inOrder(rows map[string][]float64) (list [][]float64) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, rows[name])
	}
	return list
}

// right returns the number of items that are right by the headline; nil of protocols whose headline is no share.
func (s *Sheet) right() *float64 {
	whole := s.sample("", section{Overall, -1})
	for _, m := range s.Metrics {
		if c := m.Columns.of(whole.sums); m.Headline && m.Mode == "" && m.Unit == "" && m.n(c) > 0 {
			return new(m.value(c) * m.n(c))
		}
	}
	return nil
}
