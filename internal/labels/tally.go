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
	items    int
	yes      int
}

func (p *panel) tally() *tally { return &tally{p: p, clusters: map[string]int{}} }

func (t *tally) add(item string, agrees bool) {
	name := t.p.cluster(item)
	at, seen := t.clusters[name]
	if !seen {
		at = len(t.parts)
		t.clusters[name] = at
		t.parts = append(t.parts, stats.Part{Often: 1})
	}
	t.items++
	t.parts[at].Den++
	if agrees {
		t.yes++
		t.parts[at].Num++
	}
}

// share of items that agree, and in how many clusters they are; 0 where each is by itself.
func (t *tally) share() (n Number, clusters int) {
	if t.items == 0 {
		return Number{}, 0
	}
	share := float64(t.yes) / float64(t.items)
	if len(t.parts) == t.items {
		return percents(share, stats.Blaker(t.yes, t.items, t.p.b.Level), scoring.ByBlaker), 0
	}
	x, of := stats.Effective(t.parts, t.p.b.Level)
	return percents(share, stats.MidP(x, of, t.p.b.Level), scoring.ByMidP), len(t.parts)
}

// ByDesign is the interval of items that hang together.
const ByDesign = "design-based"
