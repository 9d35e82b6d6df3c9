package scoring

import "slices"

// Result finds a result; the zero value, which has no metric, stands for one that is not there.
func (r Report) Result(metric, group, mode string) Result {
	i := slices.IndexFunc(r.Results, func(x Result) bool {
		return x.Metric == metric && x.Group == group && x.Mode == mode
	})
	if i < 0 {
		return Result{}
	}
	return r.Results[i]
}

// Overall is the result of a metric over all items.
func (r Report) Overall(metric string) Result { return r.Result(metric, Overall, "") }

// Has tells whether a run was made in a mode.
func (r Report) Has(mode string) bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Mode == mode })
}

// Groups lists the groups that there are results of.
func (r Report) Groups() []string {
	var groups []string
	for _, x := range r.Results {
		if !slices.Contains(groups, x.Group) {
			groups = append(groups, x.Group)
		}
	}
	return groups
}
