package race

import "gavel/scoring/stats"

// pair compares two judges. Side 0 is the first judge, side 1 the second.
type pair struct {
	items int
	wins  [2]int            // items on which that side alone was right
	bets  [2]*stats.Capital // for a benchmark: that this side is better
	near  [2]*stats.Capital // with a margin: that the other side is not ahead by the margin
	won   [2]bool           // near has been enough
}

func newPair(rules Rules) *pair {
	p := new(pair)
	of := 0
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

// add takes the outcomes of the next item. It reports whether the two may have become tied.
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
		if p.near[side] != nil && p.near[side].Add(score) >= enough && !p.won[side] {
			p.won[side] = true
			changed = true
		}
	}
	return changed
}

// ahead reports whether a side is significantly better.
func (p *pair) ahead(side int, crossing *stats.Crossing, enough float64) bool {
	if p.bets[side] != nil {
		return p.bets[side].Log() >= enough
	}
	return crossing.Reached(p.wins[side], p.wins[0]+p.wins[1])
}

// logE returns the logarithm of the evidence that a side is better.
func (p *pair) logE(side int) float64 {
	if p.bets[side] != nil {
		return p.bets[side].Log()
	}
	return stats.LogAbove(p.wins[side], p.wins[0]+p.wins[1])
}

// tied reports whether the two are significantly within the margin or, on a benchmark of so many items, have the same
// score.
func (p *pair) tied(of int) bool {
	return p.won[0] && p.won[1] || p.bets[0] != nil && p.items == of && p.wins[0] == p.wins[1]
}
