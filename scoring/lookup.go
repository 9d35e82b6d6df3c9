package scoring

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gavel/internal/phrases"
)

// Result returns the result of a metric in a group and mode; the zero value, without a metric, if there is none.
func (r Report) Result(metric, group, mode string) Result {
	i := slices.IndexFunc(r.Results, func(x Result) bool {
		return x.Metric == metric && x.Group == group && x.Mode == mode
	})
	if i < 0 {
		return Result{}
	}
	return r.Results[i]
}

// Overall returns the result of a metric over all units, without a mode.
func (r Report) Overall(metric string) Result { return r.Result(metric, Overall, "") }

// HasMode reports whether the run has results of a mode, one of the ways in which a protocol asks.
func (r Report) HasMode(mode string) bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Mode == mode })
}

// Groups lists the groups of units that have results, first [Overall].
func (r Report) Groups() []string {
	var groups []string
	for _, x := range r.Results {
		if !slices.Contains(groups, x.Group) {
			groups = append(groups, x.Group)
		}
	}
	return groups
}

// BreakdownOf returns the numbers of a group's units by outcome; empty if outcomes are unknown.
func (r *Report) BreakdownOf(group string) Breakdown {
	if i := slices.IndexFunc(r.Breakdowns, func(b Breakdown) bool { return b.Group == group }); i >= 0 {
		return r.Breakdowns[i]
	}
	return Breakdown{Group: group}
}

// PublishedComparisonText describes in words how the judge compares with published judges by a metric, and names the
// nearest ones; "" without references. References must be sorted, the best first. A judge with only a published total
// is compared by that total.
func (r *Report) PublishedComparisonText(metric string) string {
	result := r.Overall(metric)
	var above, below, near []Reference
	for _, x := range r.References {
		switch {
		case x.Metric != metric || result.Value == nil:
		case x.P != nil && *x.P >= SignificanceLevel || x.Value == *result.Value:
			near = append(near, x)
		case x.Value > *result.Value:
			above = append([]Reference{x}, above...)
		default:
			below = append(below, x)
		}
	}
	var parts []string
	addPart := func(code string, all []Reference) {
		if len(all) == 0 {
			return
		}
		judge := phrases.Sentence(code, all[0].Name(), all[0].Value)
		if len(all) > 1 {
			judge += " " + phrases.Sentence("references.more", len(all)-1)
		}
		parts = append(parts, judge)
	}
	distance := func(x Reference) float64 { return math.Abs(x.Value - *result.Value) }
	slices.SortStableFunc(near, func(a, b Reference) int { return cmp.Compare(distance(a), distance(b)) })
	addPart("references.below", above)
	addPart("references.above", below)
	addPart("references.near", near)
	return strings.Join(parts, ", ")
}

// OnlyTotalsPublished reports whether only totals of the published judges are known, so that no difference was tested.
func (r *Report) OnlyTotalsPublished() bool {
	return !slices.ContainsFunc(r.References, func(x Reference) bool { return x.P != nil })
}

// Judgments returns the number of judgments of the first repetition in the records.
func (r Report) Judgments() int {
	n := 0
	for _, k := range r.Outcomes {
		n += k
	}
	return n
}

// SameValues reports whether another report of the run has the same numbers, apart from intervals. The other report may
// have more results, because later versions of gavel count more.
func (rep Report) SameValues(other Report) bool {
	if !maps.Equal(rep.Outcomes, other.Outcomes) {
		return false
	}
	for _, a := range rep.Results {
		b := other.Result(a.Metric, a.Group, a.Mode)
		if a.Metric != b.Metric || a.N != b.N || (a.Value == nil) != (b.Value == nil) ||
			a.Value != nil && math.Abs(*a.Value-*b.Value) > 1e-4 {
			return false
		}
	}
	return true
}

// headline returns the result of a headline metric over all units; an undefined one if there is none.
func (rep Report) headline(m Metric) Result {
	if x := rep.Result(m.Name, Overall, m.Mode); x.Metric != "" {
		return x
	}
	return Result{Metric: m.Name, Group: Overall, Mode: m.Mode, Note: "undefined: no judgments"}
}
