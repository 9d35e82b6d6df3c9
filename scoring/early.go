package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gavel/scoring/stats"
)

// A run may be scored before its end, or end early because of its results. Intervals and tests for an n that was fixed
// beforehand are then wrong. If the run asks about its items in an order drawn by seed, those of this file are used,
// which hold at every look at once (PROTOCOLS.md, section 6). They cover the first items of that order, up to the first
// that is not judged yet: which requests end first depends on the items, and so on their results.

// early holds the items of a run that is not at its end, as far as they are judged in the order drawn.
type early struct {
	seed   int64
	place  map[string]int  // of the items in the order, up to the first that is not judged
	failed map[string]bool // items whose outcome is unknown
}

// first returns the units that are in, in the order drawn.
func (e *early) first(units []Unit) []Unit {
	units = slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { _, in := e.place[u.ID]; return !in })
	slices.SortFunc(units, func(a, b Unit) int { return cmp.Compare(e.place[a.ID], e.place[b.ID]) })
	return units
}

// pairedOrder holds the units of two runs, of which at least one is not at its end, in the order drawn, up to the first
// that either run has not judged. It has none if the runs have different orders.
type pairedOrder struct {
	in    []Joined
	seeds bool // the orders differ
}

// sequence returns the rows of the units in a section.
func (p *pairedOrder) sequence(in section, row func(Joined) []float64) *sequence {
	s := newSequence()
	for _, j := range p.in {
		if in.has(j.A) {
			s.add(j.A.Cluster, row(j))
		}
	}
	return s
}

// String tells which units intervals and tests are made of.
func (p *pairedOrder) String() string {
	if p.seeds {
		return "the two are asked in orders of different seeds, and not both are at their end: " +
			"there are no intervals and tests that hold"
	}
	return fmt.Sprintf("not both are at their end: intervals and p, the inverse of an e-value, "+
		"are of the first %d of the order drawn, and hold however often one looks", len(p.in))
}

// noSequence is the reason given when a metric has no interval before the end.
const noSequence = noInterval + "the run is not at its end, and there is none of this metric that holds at every look"

// sequence holds a row for each unit of an early run, in its order.
type sequence struct {
	rows   [][]float64
	failed []bool
	apart  bool // no two units are of one cluster

	clusters map[string]bool
}

func newSequence() *sequence { return &sequence{apart: true, clusters: map[string]bool{}} }

func (s *sequence) add(cluster string, row []float64) {
	s.rows = append(s.rows, row)
	s.apart = s.apart && (cluster == "" || !s.clusters[cluster])
	s.clusters[cluster] = true
}

func (e *early) sequence(units []Unit) *sequence {
	s := newSequence()
	for _, u := range e.first(units) {
		s.add(u.Cluster, u.Row)
		s.failed = append(s.failed, e.failed[u.ID])
	}
	return s
}

// interval returns the interval of a share. Failed units will be asked again: they count as wrong for the lower end and
// as right for the upper one.
func (s *sequence) interval(q estimand, level float64) bounds {
	if q.differs() {
		return s.difference(q, level)
	}
	if q.Value != nil || q.Units != nil || !s.apart || len(s.rows) == 0 || q.is(Ratio) || q.is(Correlation) {
		return unbounded(noSequence)
	}
	var nums, dens []float64
	var lost []int                     // places of what failed
	most, whole := q.Most, q.is(Share) // what is seen must not choose how to bet
	for i, row := range s.rows {
		num, den := q.share(q.b.of(row))
		num = snapped(num, den)
		if s.failed[i] {
			lost = append(lost, i)
		}
		nums, dens = append(nums, num), append(dens, den)
		most, whole = max(most, den), whole && (den == 0 && num == 0 || den == 1 && (num == 0 || num == 1))
	}
	if most == 0 {
		return unbounded(noSequence)
	}
	ends := func(failed float64) (iv stats.Interval) {
		for _, i := range lost {
			nums[i], dens[i] = failed*most, most
		}
		if !whole {
			return stats.BettingRatio(nums, dens, most, level)
		}
		k, n := 0, 0
		for i, num := range nums {
			k, n = k+int(num), n+int(dens[i])
		}
		return stats.Sequence(k, n, level)
	}
	by := ByBetting
	if whole {
		by = BySequence
	}
	return q.curved(stats.Interval{Low: ends(0).Low, High: ends(1).High}, by)
}

// scores returns the differences unit by unit; ok is false unless every unit counts once on either side.
func (s *sequence) scores(m *Metric, a, b Span) (scores []float64, ok bool) {
	if m.Value != nil || m.Units != nil || m.Curve != nil || !s.apart || slices.Contains(s.failed, true) {
		return nil, false
	}
	for _, row := range s.rows {
		x, dx := m.share(a.of(row))
		y, dy := m.share(b.of(row))
		if dx != 1 || dy != 1 {
			return nil, false
		}
		scores = append(scores, snapped(y, 1)-snapped(x, 1))
	}
	return scores, len(scores) > 0
}

func (s *sequence) difference(q estimand, level float64) bounds {
	scores, ok := s.scores(q.Metric, q.a, q.b)
	if !ok {
		return unbounded(noSequence)
	}
	return bounds{Interval: stats.Betting(scores, 0, level), by: ByBetting}
}

// evidence returns the e-value against equal runs, from the units on which only one of them is right.
func (s *sequence) evidence(m *Metric, columns [2]Span) (e float64) {
	scores, ok := s.scores(m, columns[0], columns[1])
	if !ok {
		return math.NaN()
	}
	k, n := 0, 0
	for _, d := range scores {
		switch d {
		case 1:
			k, n = k+1, n+1
		case -1:
			n++
		case 0:
		default:
			return math.NaN()
		}
	}
	return math.Exp(stats.LogE(k, n))
}

// LookedAt warns of intervals for a fixed n where a run may be scored before its end.
const LookedAt = "the run is not at its end: intervals and p are those of a run whose length was fixed beforehand"
