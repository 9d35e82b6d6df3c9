package labels

import (
	"maps"
	"slices"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// clusters holds, by the name of each cluster of items, a row of numbers that sums up its items.
type clusters map[string][]float64

// clusterRow returns the row in c of an item's cluster; it creates a row of this length if needed.
func (p *panel) clusterRow(c clusters, item string, length int) []float64 {
	name := p.clusterOf(item)
	if c[name] == nil {
		c[name] = make([]float64, length)
	}
	return c[name]
}

// unitRows returns the rows, sorted by their clusters' names, as a sample for metrics.
func (c clusters) unitRows(metrics ...scoring.Metric) *scoring.UnitRows {
	var rows [][]float64
	for _, name := range slices.Sorted(maps.Keys(c)) {
		rows = append(rows, c[name])
	}
	return scoring.IndependentRows("", metrics, rows)
}

// addItem adds an item to the row of its cluster: agree tells whether two raters agree on the item.
// [panel.agreementShare] sums up the rows.
func (p *panel) addItem(c clusters, item string, agree bool) {
	row := p.clusterRow(c, item, 2)
	row[0] += scoring.Indicator(agree)
	row[1]++
}

// agreementShare returns the percentage of items on which raters agree, from rows filled by [panel.addItem], the number
// of items, and the number of their clusters, or 0 if each item is on its own.
func (p *panel) agreementShare(c clusters) (share Statistic, items, clustered int) {
	if len(c) == 0 {
		return share, 0, 0
	}
	agreement := scoring.Metric{Kind: scoring.KindTrials, Columns: scoring.ColumnSpan{0, 2}}
	sample := c.unitRows(agreement)
	r := sample.Results("", []scoring.Metric{agreement}, stats.Bootstrap{Level: p.bootstrap.Level})[0]
	share = Statistic{Value: r.Value, Low: r.Low, High: r.High, IntervalMethod: r.IntervalMethod}
	items = int(sample.Sums()[1])
	if len(c) < items {
		clustered = len(c)
	}
	return share, items, clustered
}
