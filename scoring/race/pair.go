package race

import "gavel/scoring/stats"

// pair holds the comparison of two judges. Side 0 is the first judge, side 1 the second.
type pair struct {
	items          int
	wins           [2]int            // items on which this side alone was right
	bets           [2]*stats.Capital // only for a benchmark: bet that this side is better
	nonInferiority [2]*stats.Capital // only with a margin: bet that the other side is not ahead by the margin
	proven         [2]bool           // nonInferiority has reached the threshold
}

func newPair(rules Rules) *pair {
	p := new(pair)
	total := 0
	if rules.Benchmark {
		total = rules.Items
	}
	for side := range p.bets {
		if rules.Benchmark {
			p.bets[side] = stats.NewCapital(0, total)
		}
		if rules.Margin > 0 {
			p.nonInferiority[side] = stats.NewCapital(-rules.Margin, total)
		}
	}
	return p
}

// add records the outcomes of the next item. It reports whether the two judges may have become tied.
func (p *pair) add(first, second bool, threshold float64) (changed bool) {
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
		if p.nonInferiority[side] != nil && p.nonInferiority[side].Add(score) >= threshold && !p.proven[side] {
			p.proven[side] = true
			changed = true
		}
	}
	return changed
}

// ahead reports whether a side is significantly better.
func (p *pair) ahead(side int, crossing *stats.Crossing, threshold float64) bool {
	if p.bets[side] != nil {
		return p.bets[side].Log() >= threshold
	}
	return crossing.Reached(p.wins[side], p.wins[0]+p.wins[1])
}

// logE returns the logarithm of the e-value that a side is better.
func (p *pair) logE(side int) float64 {
	if p.bets[side] != nil {
		return p.bets[side].Log()
	}
	return stats.LogAbove(p.wins[side], p.wins[0]+p.wins[1])
}

// tied reports whether the two judges are significantly within the margin or, after all items of a benchmark, have the
// same score.
func (p *pair) tied(items int) bool {
	return p.proven[0] && p.proven[1] || p.bets[0] != nil && p.items == items && p.wins[0] == p.wins[1]
}
