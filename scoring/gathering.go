package scoring

import (
	"maps"
	"slices"
	"strings"
)

// Gathering has what a scorer knows of each item, while records come in. With Metrics it is [Itemwise].
type Gathering[U any] struct {
	Complete func(*U) bool // tells whether all records of an item are in; nil: one is all
	Metrics  []Summed[U]
	items    map[string]*U
}

// Of returns what is known of an item. Where that is nothing, it begins as begin makes it of the item's id, which is no
// view into a record.
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

// Known returns what is known of an item; nil is nothing.
func (g *Gathering[U]) Known(item string) *U { return g.items[item] }

// Item returns what a complete item adds to a metric.
func (g *Gathering[U]) Item(id, metric string) (num, den float64, complete bool) {
	u := g.items[id]
	if u == nil || g.Complete != nil && !g.Complete(u) {
		return 0, 0, false
	}
	num, den = Adds(g.Metrics, metric, *u)
	return num, den, true
}

// Gathered returns the items that are complete, by their ids, and lets go of all.
func (g *Gathering[U]) Gathered() (units []*U) {
	for _, item := range slices.Sorted(maps.Keys(g.items)) {
		if u := g.items[item]; g.Complete == nil || g.Complete(u) {
			units = append(units, u)
		}
	}
	g.items = nil
	return units
}
