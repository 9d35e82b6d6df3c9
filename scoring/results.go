package scoring

import (
	"math"
	"strings"

	"gavel/scoring/stats"
)

// Results returns those of metrics in a group.
func (s *Sample) Results(group string, list []Metric, b stats.Bootstrap) []Result {
	questions := make([]estimand, len(list))
	for i := range list {
		questions[i] = estimand{Metric: &list[i], a: list[i].Less, b: list[i].Columns}
	}
	found := s.intervals(questions, b)
	var results []Result
	for i := range list {
		if r := s.result(&list[i], found[i]); !list[i].Sparse || r.N > 0 {
			r.Group = group
			results = append(results, r)
		}
	}
	return results
}

func (s *Sample) result(m *Metric, found bounds) Result {
	c := m.Columns.of(s.sums)
	r := Result{Metric: m.Name, Mode: m.Mode, Unit: m.Unit, N: s.n(m), Missing: m.Missing}
	if s.size > s.rows.Len {
		r.Clusters = s.clustersOf(m)
	}
	if m.Less != (Span{}) {
		if less := m.Less.of(s.sums); m.n(less) != m.n(c) {
			r.N = int(m.All(less))
		}
		a, b, why := s.sides(m, m.Less, m.Columns, m.Sides)
		if why != "" {
			return r.Undefined(why)
		}
		return r.with(b-a, found)
	}
	value := s.value(m, m.Columns, m.Columns)
	if math.IsNaN(value) {
		return r.Undefined(m.why(c))
	}
	return r.with(value, found)
}

// withoutInterval warns of the metrics of all units that have none.
func withoutInterval(results []Result) (warnings []string) {
	var reasons []string
	of := map[string][]string{}
	for _, r := range results {
		if why, ok := strings.CutPrefix(r.Note, noInterval); ok && r.Group == Overall {
			if of[why] == nil {
				reasons = append(reasons, why)
			}
			of[why] = append(of[why], strings.TrimSpace(r.Metric+" "+r.Mode))
		}
	}
	for _, why := range reasons {
		warnings = append(warnings, NoInterval+strings.Join(of[why], ", ")+": "+why)
	}
	return warnings
}

// with returns the result with a value and its interval.
func (r Result) with(value float64, found bounds) Result {
	r.Value = inUnit(r.Unit, value)
	r.Low = inUnit(r.Unit, found.Low)
	r.High = inUnit(r.Unit, found.High)
	r.Interval, r.Note = found.by, found.note
	return r
}
