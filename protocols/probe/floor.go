package probe

import (
	"math"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// isNeutral reports whether the rewrite is neutral: it changes only the form of the prompt and favours no response, so
// the verdicts that it changes are noise that any other prompt has too.
func (w rewrite) isNeutral() bool { return w.How != "" }

// comparesWith reports whether w is compared with the rewrite v: a neutral one, or the control of w.
func (w rewrite) comparesWith(v rewrite) bool {
	if w.Against == "" {
		return v.isNeutral()
	}
	return w.Against == v.Name
}

// trial holds the outcomes of rewrites on a pair, or on a cluster of pairs that counts as one.
type trial struct {
	sawRewrite, moved bool   // the judge saw the tested rewrite; its verdict moved
	neutralMoves      []bool // for each neutral rewrite that the judge saw: its verdict moved
}

// noiseFloor returns the share of verdicts that neutral rewrites other than w change (the noise floor), and the p-value
// of the effect of w beyond that. A verdict moves if it changes and, under a rewrite that favours the worse response,
// does not change to the better one.
func (all rewrites) noiseFloor(w rewrite, units []scoring.Unit, b stats.Bootstrap) (scoring.Proportion, float64) {
	var clusters scoring.OrderedMap[string, struct {
		trial
		changes [2]int // changes by neutral rewrites, and all
	}]
	for _, x := range units {
		u := x.Data.(pair)
		if !u.judgments[0].hasVerdict() {
			continue
		}
		current := trial{}
		cluster := clusters.Get(x.ResamplingUnit())
		for _, s := range u.judgments[2:] {
			v := all.Find(s.mode)
			if s.outcome == "" || s.outcome.IsUnserved() || v.Name != w.Name && !w.comparesWith(v) {
				continue
			}
			changed := w.changesVerdict(u, s)
			moved := changed && !(w.changesWorse() && s.choice == u.gold)
			if v.Name == w.Name {
				current.sawRewrite = true
				current.moved = moved
				continue
			}
			current.neutralMoves = append(current.neutralMoves, moved)
			if changed {
				cluster.changes[0]++
			}
			cluster.changes[1]++
		}
		previous := cluster.trial
		if current.sawRewrite && !previous.sawRewrite ||
			current.sawRewrite == previous.sawRewrite && previous.neutralMoves == nil {
			cluster.trial = current
		}
	}
	var trials []trial
	var changes [][2]int
	for _, c := range clusters.Values {
		trials = append(trials, c.trial)
		changes = append(changes, c.changes)
	}
	return scoring.ProportionOf(changes, b), exactP(trials)
}

// exactP returns the exact one-sided p-value of the number of moves by the tested rewrite, under the hypothesis that it
// is one more neutral rewrite. A pair's id decides which rewrites of it are shown. So each rewrite shown of a pair is
// equally likely to have caused a move; and a pair with only the tested rewrite is as likely to move as one with only
// neutral rewrites, of which one counts (Fisher's exact test).
func exactP(trials []trial) float64 {
	pairedMoves := []float64{1} // probability of each number of moves
	observed := 0
	var rewriteOnly, neutralOnly [2]int // pairs that moved, and all pairs
	for i, t := range trials {
		if t.sawRewrite && t.moved {
			observed++
		}
		switch {
		case t.sawRewrite && len(t.neutralMoves) > 0:
			moves := scoring.Indicator(t.moved)
			for _, m := range t.neutralMoves {
				moves += scoring.Indicator(m)
			}
			share := moves / float64(1+len(t.neutralMoves))
			pairedMoves = convolve(pairedMoves, []float64{1 - share, share})
		case t.sawRewrite:
			if t.moved {
				rewriteOnly[0]++
			}
			rewriteOnly[1]++
		case len(t.neutralMoves) > 0:
			if t.neutralMoves[i%len(t.neutralMoves)] {
				neutralOnly[0]++
			}
			neutralOnly[1]++
		}
	}
	moves, all := rewriteOnly[0]+neutralOnly[0], rewriteOnly[1]+neutralOnly[1]
	unpairedMoves := make([]float64, min(moves, rewriteOnly[1])+1)
	for k := max(0, moves-neutralOnly[1]); k < len(unpairedMoves); k++ {
		unpairedMoves[k] = math.Exp(stats.LogChoose(moves, k) + stats.LogChoose(all-moves, rewriteOnly[1]-k) -
			stats.LogChoose(all, rewriteOnly[1]))
	}
	less := 0.0
	more := 0.0
	for k, p := range convolve(pairedMoves, unpairedMoves) {
		if k < observed {
			less += p
		} else {
			more += p
		}
	}
	return more / (less + more)
}

// convolve returns the distribution of the sum of two independent counts from their distributions a and b.
func convolve(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for k, y := range b {
			sum[i+k] += x * y
		}
	}
	return sum
}
