package scoring

import (
	"maps"
	"slices"
	"strings"
)

// Gathering has what a scorer knows of each item, while records come in.
type Gathering[U any] struct{ items map[string]*U }

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

// Finish returns the items that are complete, by their ids, and lets go of all.
func (g *Gathering[U]) Finish(complete func(*U) bool) (units []*U) {
	for _, item := range slices.Sorted(maps.Keys(g.items)) {
		if complete(g.items[item]) {
			units = append(units, g.items[item])
		}
	}
	g.items = nil
	return units
}
