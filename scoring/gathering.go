package scoring

import (
	"maps"
	"slices"
	"strings"
)

// Gathering collects the data of each item from its records. With Metrics it is an [Itemwise].
type Gathering[U any] struct {
	Complete func(*U) bool // reports whether all records of an item are in; nil: one record is enough
	Metrics  []Summed[U]
	items    map[string]*U
}

// Of returns the data of an item. For a new item, begin makes them from a copy of its id.
func (g *Gathering[U]) Of(item string, begin func(item string) U) *U {
	if g.items == nil {
		g.items = map[string]*U{}
	}
	if g.items[item] == nil {
		item = strings.Clone(item)
		g.items[item] = new(begin(item))
	}
	return g.items[item]
}

// Known returns the data of an item; nil for an unknown one.
func (g *Gathering[U]) Known(item string) *U { return g.items[item] }

// Item returns what a complete item adds to numerator and denominator of a metric.
func (g *Gathering[U]) Item(id, metric string) (num, den float64, complete bool) {
	u := g.items[id]
	if u == nil || g.Complete != nil && !g.Complete(u) {
		return 0, 0, false
	}
	for _, m := range g.Metrics {
		if m.Name == metric {
			num, den = m.Adds(*u)
		}
	}
	return num, den, true
}

// Gathered returns the data of all complete items, sorted by id, and releases the rest.
func (g *Gathering[U]) Gathered() (units []*U) {
	for _, item := range slices.Sorted(maps.Keys(g.items)) {
		if u := g.items[item]; g.Complete == nil || g.Complete(u) {
			units = append(units, u)
		}
	}
	g.items = nil
	return units
}
