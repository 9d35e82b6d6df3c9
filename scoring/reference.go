package scoring

import (
	"gavel/judging"
	"gavel/scoring/stats"
)

// Values of pattern.own.
const (
	OwnUnknown int8 = iota // there is none, or nobody can tell
	OwnRight
	OwnWrong
)

// knownOwn is what a record says of the judge's own answer.
func knownOwn(r *judging.Record) int8 {
	switch {
	case r.Own == nil:
		return OwnUnknown
	case r.Own.Right:
		return OwnRight
	}
	return OwnWrong
}

// Metrics of comparisons with the judge's own answer as reference, beside
// [GenerationAccuracy] and [CorrelationGJ]: with G = the judge's own answer is
// right and J = strict, over the pairs of which G is known. There is no agent
// whose being right could be held fixed: of every pair one response is.
const (
	StrictOwnRight = "strict-own-right" // strict where the judge's own answer is right
	StrictOwnWrong = "strict-own-wrong" // strict where it is wrong
)

// ReferenceMetrics lists them in the order tables print them.
var ReferenceMetrics = []string{GenerationAccuracy, StrictOwnRight, StrictOwnWrong, CorrelationGJ}

// Columns of a pair whose G is known.
const (
	pairKnown = iota
	pairOwnRight
	pairOwnWrong
	pairStrictRight // strict, and G
	pairStrictWrong // strict, and not G
	pairWidth
)

var referenceShares = []ratio{
	{GenerationAccuracy, "pair left out", "nobody knows of any pair whether the judge's own answer is right", pairOwnRight, pairKnown},
	{StrictOwnRight, "wrong", "no answer of the judge's own is known to be right", pairStrictRight, pairOwnRight},
	{StrictOwnWrong, "wrong", "no answer of the judge's own is known to be wrong", pairStrictWrong, pairOwnWrong},
}

// scoreReferences computes them for a group; none where no pair of the run was
// compared with a reference.
func scoreReferences(group string, units []pair, b stats.Bootstrap) []Result {
	c, any := newClusters(pairWidth), false
	for _, u := range units {
		if u.own == OwnUnknown {
			continue
		}
		any = true
		if group != Overall && u.group != group {
			continue
		}
		right, judged := share(u.own == OwnRight), share(u.strict())
		copy(c.filled, []float64{1, right, 1 - right, right * judged, (1 - right) * judged})
		c.add()
	}
	if !any {
		return nil
	}
	return append(c.ratios(group, referenceShares, b), c.ownAndStrict(group, b))
}

// ownAndStrict is the correlation of G and J.
func (c *clusters) ownAndStrict(group string, b stats.Bootstrap) Result {
	r := Result{Metric: CorrelationGJ, Group: group, Unit: UnitCorrelation, N: int(c.sums[pairKnown]), Missing: "wrong"}
	of := func(sums []float64) float64 {
		return stats.Binary(sums[pairKnown], sums[pairOwnRight], sums[pairStrictRight]+sums[pairStrictWrong], sums[pairStrictRight])
	}
	value := of(c.sums)
	switch judged := c.sums[pairStrictRight] + c.sums[pairStrictWrong]; {
	case value == value: // not NaN
		return r.with(value, b.SumsOf(&c.rows, 1, func(sums, out []float64) { out[0] = of(sums) })[0])
	case r.N == 0:
		return r.undefined("nobody knows of any pair whether the judge's own answer is right")
	case c.sums[pairOwnRight] == 0 || c.sums[pairOwnWrong] == 0:
		return r.undefined("G has no variance: the judge's own answers are all " + rightOrWrong(c.sums[pairOwnRight] > 0))
	default:
		return r.undefined("J has no variance: the pairs are all judged " + rightOrWrong(judged > 0))
	}
}

func rightOrWrong(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}
