package race

import "gavel/scoring/stats"

// pair is what is known of two judges. Sides are 0 for the first and 1 for the second.
type pair struct {
	items int
	wins  [2]int            // items on which that side alone was right
	bets  [2]*stats.Capital // of a benchmark: that this side is the better
	near  [2]*stats.Capital // with a margin: that the other side is not ahead by as much
	told  [2]bool           // near has been won
}

func newPair(rules Rules) *pair {
	p, of := new(pair), 0
	if rules.Benchmark {
		of = rules.Items
	}
	for side := range p.bets {
		if rules.Benchmark {
			p.bets[side] = stats.NewCapital(0, of)
		}
		if rules.Margin > 0 {
			p.near[side] = stats.NewCapital(-rules.Margin, of)
		}
	}
	return p
}

// add takes the next item; it tells whether that can have changed who is ahead or tied.
func (p *pair) add(first, second bool, enough float64) (changed bool) {
	p.items++
	score := 0.0
	switch {
	case first && !second:
		p.wins[0]++
		score = 1
	case second && !first:
		p.wins[1]++
		score = -1
	}
	for side, score := range []float64{score, -score} {
		if p.bets[side] != nil {
			p.bets[side].Add(score)
		}
		if p.near[side] != nil && p.near[side].Add(score) >= enough && !p.told[side] {
			p.told[side], changed = true, true
		}
	}
	return changed
}

// ahead tells whether a side is surely the better.
func (p *pair) ahead(side int, crossing *stats.Crossing, enough float64) bool {
	if p.bets[side] != nil {
		return p.bets[side].Log() >= enough
	}
	return crossing.Reached(p.wins[side], p.wins[0]+p.wins[1])
}

// logE is how surely.
func (p *pair) logE(side int) float64 {
	if p.bets[side] != nil {
		return p.bets[side].Log()
	}
	return stats.LogAbove(p.wins[side], p.wins[0]+p.wins[1])
}

// tied tells whether the two are surely within the margin or, on a benchmark of so many items, the same on all of them.
func (p *pair) tied(of int) bool {
	return p.told[0] && p.told[1] || p.bets[0] != nil && p.items == of && p.wins[0] == p.wins[1]
}
