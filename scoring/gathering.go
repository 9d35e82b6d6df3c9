package scoring

import (
	"maps"
	"slices"
	"strings"
)

// Collector collects data of type U for each item from its records. With Metrics it is an [ItemwiseScorer] scorer.
type Collector[U any] struct {
	Complete func(*U) bool  // reports whether all records of an item are in; nil: one record is enough
	Metrics  []SumMetric[U] // metrics that each complete item adds to
	items    map[string]*U  // data by item id
}

// Get returns the data of an item. For a new item it calls begin with a copy of the id.
func (g *Collector[U]) Get(item string, begin func(item string) U) *U {
	if g.items == nil {
		g.items = map[string]*U{}
	}
	if g.items[item] == nil {
		item = strings.Clone(item)
		g.items[item] = new(begin(item))
	}
	return g.items[item]
}

// Lookup returns the data of an item; nil for an item without records.
func (g *Collector[U]) Lookup(item string) *U { return g.items[item] }

// ItemContribution returns the numbers that a complete item adds to numerator and denominator of a metric.
func (g *Collector[U]) ItemContribution(id, metric string) (num, den float64, complete bool) {
	u := g.items[id]
	if u == nil || g.Complete != nil && !g.Complete(u) {
		return 0, 0, false
	}
	for _, m := range g.Metrics {
		if m.Name == metric {
			num, den = m.Contribution(*u)
		}
	}
	return num, den, true
}

// CompleteUnits returns the data of all complete items, sorted by id.
func (g *Collector[U]) CompleteUnits() (units []*U) {
	for _, item := range slices.Sorted(maps.Keys(g.items)) {
		if u := g.items[item]; g.Complete == nil || g.Complete(u) {
			units = append(units, u)
		}
	}
	return units
}
