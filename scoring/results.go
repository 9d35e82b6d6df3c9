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
		questions[i] = list[i].estimand()
	}
	intervals := s.intervals(questions, b)
	var results []Result
	for i, q := range questions {
		if r := s.result(q, intervals[i]); !q.OmitsEmptyGroups || r.N > 0 {
			r.Group = group
			results = append(results, r)
		}
	}
	return results
}

// result returns the result of a metric over the rows; iv is its interval.
func (s *UnitRows) result(q estimand, iv bounds) Result {
	c := q.Columns.slice(s.sums)
	r := Result{Metric: q.Name, Mode: q.Mode, Unit: q.Unit, N: s.n(q.Metric), MissingRule: q.MissingRule}
	if s.unitCount > s.rows.Len {
		r.Clusters = s.clustersOf(q.Metric)
	}
	if q.isDifference() {
		if less := q.Subtrahend.slice(s.sums); q.n(less) != q.n(c) {
			r.N = int(q.SubtrahendN(less))
		}
		a, b, reason := s.sideValues(q, q.Sides)
		if reason != "" {
			return r.WithoutValue(reason)
		}
		return r.withValue(b-a, iv)
	}
	value := s.pointEstimate(q)
	if math.IsNaN(value) {
		return r.WithoutValue(q.reason(c))
	}
	return r.withValue(value, iv)
}

// noIntervalWarnings returns warnings that name the metrics over all units which have a value without an interval.
func noIntervalWarnings(results []Result) (warnings []string) {
	var reasons []string
	metricsByReason := map[string][]string{}
	for _, r := range results {
		if reason, ok := strings.CutPrefix(r.Note, noIntervalNotePrefix); ok && r.Group == Overall {
			if metricsByReason[reason] == nil {
				reasons = append(reasons, reason)
			}
			metricsByReason[reason] = append(metricsByReason[reason], strings.TrimSpace(r.Metric+" "+r.Mode))
		}
	}
	for _, reason := range reasons {
		warnings = append(warnings, NoIntervalWarningPrefix+strings.Join(metricsByReason[reason], ", ")+": "+reason)
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
