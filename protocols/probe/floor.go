package probe

import (
	"cmp"
	"math"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// form tells whether the rewrite changes nothing but the form of the prompt: it pushes the verdict in no direction, so
// what it changes is noise that any other prompt has too.
func (w rewrite) form() bool { return w.How != "" }

// trial is a pair, or one of those that belong together: whether a rewrite was asked of it and moved the verdict, and
// for each neutral rewrite beside it, whether that did.
type trial struct {
	asked, moved bool
	neutral      []bool
}

// floor returns the verdicts that neutral rewrites other than w change, and the p of what w does beyond them. A rewrite
// for the worse response moves a verdict that it changes, and not to the better one; any other, one that it changes.
func (all rewrites) floor(w rewrite, units []scoring.Unit, b stats.Bootstrap) (scoring.Proportion, float64) {
	var clusters scoring.Tally[string, struct {
		trial
		changes [2]int // by neutral rewrites, of so many
	}]
	for _, x := range units {
		u := x.Of.(pair)
		if !u.said[0].verdict() {
			continue
		}
		now := trial{}
		cluster := clusters.Of(cmp.Or(x.Cluster, x.ID))
		for _, s := range u.said[2:] {
			v := all.named(s.mode)
			if s.outcome == "" || s.outcome.Unserved() || v.Name != w.Name && !v.form() {
				continue
			}
			changed := s.other(u.said[0])
			moved := changed && !(w.worse() && s.choice == u.gold)
			if v.Name == w.Name {
				now.asked = true
				now.moved = moved
				continue
			}
			now.neutral = append(now.neutral, moved)
			cluster.changes[0] += int(scoring.One(changed))
			cluster.changes[1]++
		}
		if old := cluster.trial; now.asked && !old.asked || old.asked == now.asked && old.neutral == nil {
			cluster.trial = now
		}
	}
	var trials []trial
	var changes [][2]int
	for _, c := range clusters.Values {
		trials = append(trials, c.trial)
		changes = append(changes, c.changes)
	}
	return scoring.ProportionOf(changes, b), exceeds(trials)
}

// exceeds returns the exact one-sided p that the rewrite moves so many verdicts, were it one more neutral rewrite.
// Which rewrites a pair is shown is drawn by its id. So, of the verdicts of one pair that move, each is as likely the
// rewrite's as any that was asked; and a pair that is shown the rewrite alone is as likely to move as one that is shown
// neutral ones alone, of which one counts (Fisher's exact test).
func exceeds(trials []trial) float64 {
	within := []float64{1} // the probability of each number of moves by the rewrite
	observed := 0
	var alone, others [2]int // verdicts that move, and all
	for i, t := range trials {
		observed += int(scoring.One(t.asked && t.moved))
		switch {
		case t.asked && len(t.neutral) > 0:
			moves := scoring.One(t.moved)
			for _, m := range t.neutral {
				moves += scoring.One(m)
			}
			within = convolved(within, []float64{1 - moves/float64(1+len(t.neutral)), moves / float64(1+len(t.neutral))})
		case t.asked:
			alone[0] += int(scoring.One(t.moved))
			alone[1]++
		case len(t.neutral) > 0:
			others[0] += int(scoring.One(t.neutral[i%len(t.neutral)]))
			others[1]++
		}
	}
	moves, all := alone[0]+others[0], alone[1]+others[1]
	between := make([]float64, min(moves, alone[1])+1)
	for k := max(0, moves-others[1]); k < len(between); k++ {
		between[k] = math.Exp(stats.LogChoose(moves, k) + stats.LogChoose(all-moves, alone[1]-k) -
			stats.LogChoose(all, alone[1]))
	}
	less := 0.0
	more := 0.0
	for k, p := range convolved(within, between) {
		if k < observed {
			less += p
		} else {
			more += p
		}
	}
	return more / (less + more)
}

// convolved is the distribution of the sum of two independent numbers.
func convolved(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for k, y := range b {
			sum[i+k] += x * y
		}
	}
	return sum
}
