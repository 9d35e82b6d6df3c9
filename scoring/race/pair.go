package race

import "gavel/scoring/stats"

// pair holds the comparison of two judges of a race. Side 0 is the judge with the lower number, side 1 the other one.
type pair struct {
	items             int               // items that both judges have judged
	wins              [2]int            // by side: items on which this judge alone was right
	bets              [2]*stats.Capital // only in a race about the benchmark, by side: bet that this judge is better
	nonInferiority    [2]*stats.Capital // only with a margin, by side: bet that the other judge is not ahead by the margin
	provenNonInferior [2]bool           // by side: nonInferiority has reached the threshold
}

// newPair returns the comparison of two judges before their first item.
func newPair(rules Rules) *pair {
	p := new(pair)
	total := 0
	if rules.OnlyTheseItems {
		total = rules.Items
	}
	for side := range p.bets {
		if rules.OnlyTheseItems {
			p.bets[side] = stats.NewCapital(0, total)
		}
		if rules.TieMargin > 0 {
			p.nonInferiority[side] = stats.NewCapital(-rules.TieMargin, total)
		}
	}
	return p
}

// add records whether each of the two judges is right on the next item. threshold is the logarithm of the e-value that
// proves a tie. It reports whether the judges may have become tied.
func (p *pair) add(first, second bool, threshold float64) (changed bool) {
	p.items++
	score := float64(indicator(first) - indicator(second))
	if first != second {
		p.wins[indicator(second)]++
	}
	for side, score := range []float64{score, -score} {
		if p.bets[side] != nil {
			p.bets[side].Add(score)
		}
		if p.nonInferiority[side] != nil && p.nonInferiority[side].Add(score) >= threshold && !p.provenNonInferior[side] {
			p.provenNonInferior[side] = true
			changed = true
		}
	}
	return changed
}

// isAhead reports whether the judge of a side is significantly better than the other.
func (p *pair) isAhead(side int, crossing *stats.HeadsThreshold, threshold float64) bool {
	if p.bets[side] != nil {
		return p.bets[side].Log() >= threshold
	}
	return crossing.Reached(p.wins[side], p.wins[0]+p.wins[1])
}

// logE returns the natural logarithm of the e-value for "the judge of this side is better".
func (p *pair) logE(side int) float64 {
	if p.bets[side] != nil {
		return p.bets[side].Log()
	}
	return stats.LogOneSidedE(p.wins[side], p.wins[0]+p.wins[1])
}

// tied reports whether the two judges are significantly within the margin or, after all items of a benchmark, of which
// there are so many, have the same score.
func (p *pair) tied(items int) bool {
	return p.provenNonInferior[0] && p.provenNonInferior[1] ||
		p.bets[0] != nil && p.items == items && p.wins[0] == p.wins[1]
}
