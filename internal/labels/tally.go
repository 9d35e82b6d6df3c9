package labels

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

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

// agreementRow returns the numbers that an item adds to the agreement of two raters who give it the labels x and y:
// whether they are equal, and 1; of scores also x, y, x² + y², xy and |x − y|.
func (p *panel) agreementRow(x, y string) []float64 {
	row := []float64{scoring.Indicator(x == y), 1}
	if p.scored {
		a, _ := strconv.ParseFloat(x, 64)
		b, _ := strconv.ParseFloat(y, 64)
		row = append(row, a, b, a*a+b*b, a*b, math.Abs(a-b))
	}
	return row
}

// addItem adds an item, the numbers of [panel.agreementRow], to the row of its cluster. [panel.agreementShare] sums up
// the rows.
func (p *panel) addItem(c clusters, item string, row []float64) {
	floats.Add(p.clusterRow(c, item, len(row)), row)
}

// columnSums returns the sums of the columns of rows, those of [panel.agreementRow].
func columnSums(rows [][]float64) []float64 {
	sums := make([]float64, 7)
	for _, row := range rows {
		floats.Add(sums, row)
	}
	return sums
}

// weightedKappa returns the quadratic-weighted κ of two raters' scores, as [stats.WeightedKappa] does, from rows of
// [panel.agreementRow].
func weightedKappa(rows [][]float64) float64 {
	sums := columnSums(rows)
	product := 2 * sums[2] * sums[3] / sums[1]
	return (2*sums[5] - product) / (sums[4] - product)
}

// scoreAgreement returns how close two raters' scores are, from rows filled by [panel.addItem].
func (p *panel) scoreAgreement(c clusters) ScoreAgreement {
	columns := scoring.ColumnSpan{0, 7}
	distance := func(rows [][]float64) float64 { sums := columnSums(rows); return sums[6] / sums[1] }
	metrics := []scoring.Metric{
		{Unit: scoring.UnitCorrelation, Columns: columns, ValueFromUnits: weightedKappa},
		{Unit: scoring.UnitStatistic, Columns: columns, ValueFromUnits: distance},
	}
	r := c.unitRows(metrics...).Results("", metrics, p.bootstrap)
	return ScoreAgreement{WeightedKappa: newStatistic(r[0]), Distance: newStatistic(r[1])}
}

// newStatistic returns a result's value with its interval.
func newStatistic(r scoring.Result) *Statistic {
	return &Statistic{Value: r.Value, Low: r.Low, High: r.High, IntervalMethod: r.IntervalMethod}
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
	items = int(sample.Sums()[1])
	if len(c) < items {
		clustered = len(c)
	}
	return *newStatistic(r), items, clustered
}
