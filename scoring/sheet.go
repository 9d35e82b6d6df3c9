package scoring

import (
	"cmp"
	"maps"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"gavel/scoring/stats"
)

// Overall is the group of all units.
const Overall = "overall"

// Unit is what is scored: a pair, a question, a judgment of an answer, an item.
type Unit struct {
	ID      string
	Cluster string // what units have in common that are resampled together; "": it is by itself

	Question string // what units of a cluster have the Own columns of; where the dataset has no clusters, the cluster

	Groups []string  // that it is of, one for each of the sheet's divisions
	Row    []float64 // what it adds to the columns
	Gold   string    // what is right of it: runs that were asked the same and disagree on it are of different datasets
	Asked  string    // what Gold is the answer to, where runs may be asked different things
	Of     any       // what the scorer knows of it beside
}

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

	early *early // of a run that is not at its end
}

// section is a group of units.
type section struct {
	name     string
	division int // −1: all units
}

func (s section) has(u Unit) bool { return s.division < 0 || u.Groups[s.division] == s.name }

// of returns the units in the section.
func (s section) of(units []Unit) (in []Unit) {
	for _, u := range units {
		if s.has(u) {
			in = append(in, u)
		}
	}
	return in
}

// sections are all units and, of each division that parts them, its groups in their order.
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
	each(len(sections), func(i int) {
		x := s.sample(unit, sections[i])
		if s.early != nil {
			x.early = s.early.sequence(sections[i].of(s.Units))
		}
		results[i] = x.Results(sections[i].name, s.Metrics, b)
	})
	return slices.Concat(results...)
}

// Beside is a sheet of the same units with other metrics, of columns of their own: row is what a unit adds to them, nil
// of one that is left out. What is resampled for the sheet's own metrics stays as it is.
func (s *Sheet) Beside(list []Metric, width int, row func(Unit) []float64) *Sheet {
	beside := &Sheet{Metrics: list, Width: width, early: s.early}
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

// sample is the units of a section.
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

// each does n things, as many at once as there are processors: what is drawn takes memory.
func each(n int, do func(i int)) {
	var todo errgroup.Group
	todo.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		todo.Go(func() error { do(i); return nil })
	}
	todo.Wait()
}

// Joined is a unit of two runs.
type Joined struct{ A, B Unit }

// join pairs units by id; both lists are sorted by it.
func join(a, b []Unit) (out []Joined) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch cmp.Compare(a[i].ID, b[j].ID) {
		case -1:
			i++
		case 1:
			j++
		default:
			out = append(out, Joined{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

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

// ByCluster are the rows of units that two runs share, those of one cluster added up.
func ByCluster(joined []Joined, row func(Joined) []float64) (rows [][]float64) {
	var sums Tally[string, []float64]
	for _, j := range joined {
		sum := sums.Of(cmp.Or(j.A.Cluster, j.A.ID))
		if *sum == nil {
			*sum = row(j)
		} else {
			floats.Add(*sum, row(j))
		}
	}
	return sums.Values
}

// Tally has a value for each key, in the order in which the keys came.
type Tally[K comparable, V any] struct {
	Values []V
	at     map[K]int
}

// Of returns the value of a key, which is at first the zero value, to be changed before the next call.
func (t *Tally[K, V]) Of(key K) *V {
	if t.at == nil {
		t.at = map[K]int{}
	}
	i, known := t.at[key]
	if !known {
		i = len(t.Values)
		t.at[key] = i
		t.Values = append(t.Values, *new(V))
	}
	return &t.Values[i]
}

// SampleOf is a sample of rows that are independent of each other.
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

// Sums are those of the columns.
func (s *Sample) Sums() []float64 { return s.sums }

// inOrder returns the rows sorted by name.
func inOrder(rows map[string][]float64) (list [][]float64) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, rows[name])
	}
	return list
}
