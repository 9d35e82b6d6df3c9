package scoring

import (
	"cmp"
	"math"
	"slices"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// A run may be scored before its end, or end early because of its results. Intervals and tests for an n that was fixed
// beforehand are then invalid. If the run takes its items in an order drawn by seed, it gets the intervals and tests of
// this file, which are valid at all looks together (PROTOCOLS.md, section 6). They cover the items of that order before
// the first unjudged one: which requests end first depends on the items, and so on their results.

// earlyItems holds, for an unfinished run, the items judged in the order drawn by seed, up to the first unjudged one.
type earlyItems struct {
	orderKey string // seed of the order, and the part that comes last in it
	// by item id: its index in the order, for the items before the first unjudged one
	positions map[string]int
	failed    map[string]bool // ids of items with a failed call, whose outcome is therefore unknown
}

// sharedUnitOrder holds the units that two runs share, at least one of them before its end, in the order drawn by seed,
// up to the first unit that either run has not judged. It is empty if the runs have different orders.
type sharedUnitOrder struct {
	units        []SharedUnit
	ordersDiffer bool // the two runs have different orders
}

// sequence returns the rows of the units in a section, in the drawn order.
func (p *sharedUnitOrder) sequence(in section, row func(SharedUnit) []float64) *sequence {
	s := newSequence()
	for _, j := range p.units {
		if in.containsUnit(j.A) {
			s.add(j.A.Cluster, row(j))
		}
	}
	return s
}

// String returns a warning about how many units the intervals and tests cover.
func (p *sharedUnitOrder) String() string {
	if p.ordersDiffer {
		return phrases.Sentence("warning.orders-differ")
	}
	return phrases.Sentence("warning.early-comparison", len(p.units))
}

// noSequenceNote is the note of a metric that has no interval before the end of the run.
var noSequenceNote = noIntervalNotePrefix + phrases.Sentence("note.no-sequence")

// sequence holds a row of numbers for each unit of a run before its end, or of two such runs, in the drawn order.
type sequence struct {
	rows        [][]float64
	failed      []bool // by row: a call failed, so the outcome is unknown; empty if rows are of two runs
	independent bool   // no two units belong to one cluster

	clusters map[string]bool // the clusters of the units so far
}

func newSequence() *sequence { return &sequence{independent: true, clusters: map[string]bool{}} }

// add appends the row of a unit; cluster is "" for a unit without one.
func (s *sequence) add(cluster string, row []float64) {
	s.rows = append(s.rows, row)
	s.independent = s.independent && (cluster == "" || !s.clusters[cluster])
	s.clusters[cluster] = true
}

// sequence returns the rows of the units before the first unjudged one, in the drawn order.
func (e *earlyItems) sequence(units []Unit) *sequence {
	units = slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { _, in := e.positions[u.ID]; return !in })
	slices.SortFunc(units, func(a, b Unit) int { return cmp.Compare(e.positions[a.ID], e.positions[b.ID]) })
	s := newSequence()
	for _, u := range units {
		s.add(u.Cluster, u.Row)
		s.failed = append(s.failed, e.failed[u.ID])
	}
	return s
}

// interval returns the interval, valid at every look, of a share or of a difference. Failed units will be repeated:
// they count as wrong for the lower end and as right for the upper one.
func (s *sequence) interval(q estimand, level float64) bounds {
	if q.isDifference() {
		return s.differenceInterval(q, level)
	}
	if q.Value != nil || q.ValueFromUnits != nil || !s.independent || len(s.rows) == 0 ||
		q.hasKind(KindRatio) || q.hasKind(KindCorrelation) {
		return boundsWithoutInterval(noSequenceNote)
	}
	var nums, dens []float64
	var failedRows []int                                     // indexes of failed units
	maxDen, binary := q.MaxDenominator, q.hasKind(KindShare) // the observed values must not influence the method
	for i, row := range s.rows {
		num, den := q.share(q.valueColumns.slice(row))
		num = snap(num, den)
		if s.failed[i] {
			failedRows = append(failedRows, i)
		}
		nums, dens = append(nums, num), append(dens, den)
		maxDen, binary = max(maxDen, den), binary && (den == 0 && num == 0 || den == 1 && (num == 0 || num == 1))
	}
	if maxDen == 0 {
		return boundsWithoutInterval(noSequenceNote)
	}
	interval := func(failed float64) (iv stats.Interval) {
		for _, i := range failedRows {
			nums[i], dens[i] = failed*maxDen, maxDen
		}
		if !binary {
			return stats.BettingRatioSequence(nums, dens, maxDen, level)
		}
		k, n := 0, 0
		for i, num := range nums {
			k, n = k+int(num), n+int(dens[i])
		}
		return stats.ShareConfidenceSequence(k, n, level)
	}
	method := IntervalByBetting
	if binary {
		method = IntervalBySequence
	}
	return q.intervalOnCurve(stats.Interval{Low: interval(0).Low, High: interval(1).High}, method)
}

// scores returns the difference for each unit; ok is false unless every unit counts exactly once on both sides.
func (s *sequence) scores(q estimand) (scores []float64, ok bool) {
	if q.Value != nil || q.ValueFromUnits != nil || q.ValueFromShare != nil ||
		!s.independent || slices.Contains(s.failed, true) {
		return nil, false
	}
	for _, row := range s.rows {
		x, dx := q.share(q.subtrahendColumns.slice(row))
		y, dy := q.share(q.valueColumns.slice(row))
		if dx != 1 || dy != 1 {
			return nil, false
		}
		scores = append(scores, snap(y, 1)-snap(x, 1))
	}
	return scores, len(scores) > 0
}

// differenceInterval returns the interval, valid at every look, of a metric's difference between two spans of columns.
func (s *sequence) differenceInterval(q estimand, level float64) bounds {
	scores, ok := s.scores(q)
	if !ok {
		return boundsWithoutInterval(noSequenceNote)
	}
	return bounds{Interval: stats.BettingSequence(scores, 0, level), method: IntervalByBetting}
}

// evidence returns the e-value against the hypothesis that two runs are equally good, from the units on which only one
// of them is right; NaN if units are not right or wrong.
func (s *sequence) evidence(q estimand) (e float64) {
	scores, ok := s.scores(q)
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

// FixedLengthWarning warns that intervals assume a number of items that was fixed beforehand, although the run may be
// scored before its end.
var FixedLengthWarning = phrases.Sentence("warning.fixed-length")
