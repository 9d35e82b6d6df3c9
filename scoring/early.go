package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gavel/judging"
	"gavel/scoring/stats"
)

// A run may be looked at before it has come to its end, or be ended for what was seen. Intervals and tests of one n
// that was fixed beforehand are then wrong. Where the run asks about its items in an order drawn by seed, those of
// this file take their place, which hold at every look at once (PROTOCOLS.md, section 6): they are over the first
// items of that order, up to the first that is not judged yet. Which of them end first depends on what they are,
// and so on their results.

// early is how far a run is in the order drawn.
type early struct {
	seed   int64
	place  map[string]int  // of the items that are judged, up to the first that is not
	failed map[string]bool // of them: nobody knows what they come to
}

// ended tells whether the intervals of one n that was fixed beforehand are the run's: it is complete, was never ours to
// end, or asks in the order of the file.
func (run *Run) ended() bool {
	m := run.Manifest
	return m.DrawnBy == nil || m.Imported != "" || run.Items >= m.Spec.Dataset.Items
}

// before is how far a run is that has not come to its end; nil of one that has.
func (run *Run) before(units []Unit) *early {
	if run.ended() {
		return nil
	}
	e := &early{seed: *run.Manifest.DrawnBy, place: map[string]int{}, failed: run.failed}
	if run.ids == nil {
		return e
	}
	ids, err := run.ids()
	if err != nil {
		return e
	}
	have := make(map[string]bool, len(units))
	for _, u := range units {
		have[u.ID] = true
	}
	most := len(ids)
	if st := run.Manifest.Stopped; st != nil {
		most = min(most, st.Items)
	}
	for i, id := range judging.Drawn(ids, e.seed)[:most] {
		if !have[id] {
			break
		}
		e.place[id] = i
	}
	return e
}

// first are the units that are in, in the order drawn.
func (e *early) first(units []Unit) []Unit {
	units = slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { _, in := e.place[u.ID]; return !in })
	slices.SortFunc(units, func(a, b Unit) int { return cmp.Compare(e.place[a.ID], e.place[b.ID]) })
	return units
}

// pairedOrder is the units of two runs, one of which at least is not at its end, in the order drawn, up to the first
// that either has not judged: none where they are asked in two orders.
type pairedOrder struct {
	in    []Joined
	seeds bool // the two are asked in different orders
}

// ahead are those of two runs; nil where both are at their ends.
func (a scoredRun) ahead(b scoredRun, joined []Joined) *pairedOrder {
	if a.early == nil && b.early == nil {
		return nil
	}
	e := cmp.Or(a.early, b.early)
	if a.early != nil && b.early != nil && a.early.seed != b.early.seed {
		return &pairedOrder{seeds: true}
	}
	judged := func(side *early, id string) bool {
		if side == nil {
			return true
		}
		_, in := side.place[id]
		return in && !side.failed[id]
	}
	by := make([]*Joined, len(e.place))
	for i, j := range joined {
		if id := j.A.ID; judged(a.early, id) && judged(b.early, id) {
			by[e.place[id]] = &joined[i]
		}
	}
	p := new(pairedOrder)
	for _, j := range by {
		if j == nil {
			break
		}
		p.in = append(p.in, *j)
	}
	return p
}

// sequence are the rows of those in a section.
func (p *pairedOrder) sequence(in section, row func(Joined) []float64) *sequence {
	s := newSequence()
	for _, j := range p.in {
		if in.has(j.A) {
			s.add(j.A.Cluster, row(j))
		}
	}
	return s
}

// String says what intervals and tests are made of.
func (p *pairedOrder) String() string {
	if p.seeds {
		return "the two are asked in orders of different seeds, and not both are at their end: " +
			"there are no intervals and tests that hold"
	}
	return fmt.Sprintf("not both are at their end: intervals and p, the inverse of an e-value, "+
		"are of the first %d of the order drawn, and hold however often one looks", len(p.in))
}

// noSequence is why a metric has no interval before the end.
const noSequence = noInterval + "the run is not at its end, and there is none of this metric that holds at every look"

// sequence is what stands in an early run's order: a row for each unit.
type sequence struct {
	rows   [][]float64
	failed []bool
	apart  bool // units do not belong together

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

// interval of a share. What failed is asked again: it counts as wrong for the lower end, as right for the upper one.
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

// scores are a difference unit by unit, of units that count once on either side.
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

// evidence against that two runs are alike: the e-value of the units on which one of them alone is right.
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

// LookedAt is said of intervals that are as usual, of a run that was drawn in an order to be looked at on the way.
const LookedAt = "the run is not at its end: intervals and p are those of a run whose length was fixed beforehand"

// looked says of a run that is not at its end what its intervals are.
func (run *Run) looked() string {
	m := run.Manifest
	switch {
	case run.Items >= m.Spec.Dataset.Items, m.Imported != "", m.DrawnBy == nil &&
		m.Status != judging.Interrupted && m.Status != judging.Running:
		return ""
	case m.DrawnBy == nil:
		return "not at its end, and asked in the order of the file: " +
			"intervals and tests are those of what is judged so far, and say nothing of the rest"
	case m.Stopped != nil && run.clusters != "":
		return fmt.Sprintf("stopped by rule (%s) after %d of %d items: those of one %s are alike, "+
			"so the answer holds of these very items, and is too sure of items like these",
			m.Stopped.Rule, m.Stopped.Items, m.Spec.Dataset.Items, run.clusters)
	case m.Stopped != nil:
		return fmt.Sprintf("stopped by rule (%s) after %d of %d items: intervals hold however often one looks",
			m.Stopped.Rule, m.Stopped.Items, m.Spec.Dataset.Items)
	}
	return "not at its end: intervals hold however often one looks, over the first items of the order drawn"
}
