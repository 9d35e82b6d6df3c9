package labels

import (
	"gavel/scoring"
	"gavel/scoring/stats"
)

// tally counts items that agree.
type tally struct {
	p        *panel
	clusters map[string]int
	parts    []stats.Part
	units    []stats.Unit // of items that are weighed
	yes      int
}

func (p *panel) tally() *tally { return &tally{p: p, clusters: map[string]int{}} }

// add counts an item; a weight of 0 is that of items that are not weighed.
func (t *tally) add(item string, is bool, weight float64) {
	name := t.p.cluster(item)
	at, ok := t.clusters[name]
	if !ok {
		at = len(t.parts)
		t.clusters[name] = at
		t.parts = append(t.parts, stats.Part{Often: 1})
	}
	u := stats.Unit{Cluster: at, Weight: weight}
	if t.parts[at].Den++; is {
		t.yes++
		t.parts[at].Num++
		u.Truth = 1
	}
	t.units = append(t.units, u)
}

// share of items that agree, and in how many clusters they are; 0 where each is by itself.
func (t *tally) share() (n Number, clusters int) {
	if len(t.units) == 0 {
		return Number{}, 0
	}
	if len(t.parts) < len(t.units) {
		clusters = len(t.parts)
	}
	share := float64(t.yes) / float64(len(t.units))
	switch {
	case t.units[0].Weight > 0:
		if e := stats.Clustered(t.units, 0, t.p.b.Level); len(t.units) > 1 {
			return percents(e.Mean, e.Interval, ByDesign), clusters
		}
		return percents(share, stats.Interval{Low: 0, High: 1}, ByDesign), clusters
	case clusters == 0:
		return percents(share, stats.Blaker(t.yes, len(t.units), t.p.b.Level), scoring.ByBlaker), 0
	}
	x, of := stats.Effective(t.parts, t.p.b.Level)
	return percents(share, stats.MidP(x, of, t.p.b.Level), scoring.ByMidP), clusters
}

// ByDesign is the interval of items that were drawn with probabilities that differ, or that hang together.
const ByDesign = "design-based"
