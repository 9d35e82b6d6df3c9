package scoring

import (
	"math"
	"strings"

	"gavel/scoring/stats"
)

// Results returns the results of metrics over the rows, which are those of the named group.
func (s *UnitRows) Results(group string, list []Metric, b stats.Bootstrap) []Result {
	questions := make([]estimand, len(list))
	for i := range list {
		questions[i] = estimand{Metric: &list[i], subtrahendColumns: list[i].Subtrahend, valueColumns: list[i].Columns}
	}
	intervals := s.intervals(questions, b)
	var results []Result
	for i := range list {
		if r := s.result(&list[i], intervals[i]); !list[i].OmitsEmptyGroups || r.N > 0 {
			r.Group = group
			results = append(results, r)
		}
	}
	return results
}

// result returns the result of a metric over the rows; iv is its interval.
func (s *UnitRows) result(m *Metric, iv bounds) Result {
	c := m.Columns.slice(s.sums)
	r := Result{Metric: m.Name, Mode: m.Mode, Unit: m.Unit, N: s.n(m), MissingRule: m.MissingRule}
	if s.size > s.rows.Len {
		r.Clusters = s.clustersOf(m)
	}
	if m.Subtrahend != (ColumnSpan{}) {
		if less := m.Subtrahend.slice(s.sums); m.n(less) != m.n(c) {
			r.N = int(m.SubtrahendN(less))
		}
		a, b, reason := s.sideValues(m, m.Subtrahend, m.Columns, m.Sides)
		if reason != "" {
			return r.WithoutValue(reason)
		}
		return r.withValue(b-a, iv)
	}
	value := s.value(m, m.Columns, m.Columns)
	if math.IsNaN(value) {
		return r.WithoutValue(m.reason(c))
	}
	return r.withValue(value, iv)
}

// noIntervalWarnings returns warnings that name the metrics over all units which have a value without an interval.
func noIntervalWarnings(results []Result) (warnings []string) {
	var reasons []string
	metricsByReason := map[string][]string{}
	for _, r := range results {
		if reason, ok := strings.CutPrefix(r.Note, noInterval); ok && r.Group == Overall {
			if metricsByReason[reason] == nil {
				reasons = append(reasons, reason)
			}
			metricsByReason[reason] = append(metricsByReason[reason], strings.TrimSpace(r.Metric+" "+r.Mode))
		}
	}
	for _, reason := range reasons {
		warnings = append(warnings, NoInterval+strings.Join(metricsByReason[reason], ", ")+": "+reason)
	}
	return warnings
}

// withValue returns a copy of the result with a value, in percent or in the result's unit, and its interval.
func (r Result) withValue(value float64, iv bounds) Result {
	r.Value = convertToUnit(r.Unit, value)
	r.Low = convertToUnit(r.Unit, iv.Low)
	r.High = convertToUnit(r.Unit, iv.High)
	r.IntervalMethod, r.Note = iv.method, iv.note
	return r
}
