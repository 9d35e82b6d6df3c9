package multioption

import (
	"fmt"
	"strconv"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of the positions chosen, by number of options.
const (
	PositionMetric     = "place-" // and the position, from 1: how often it was chosen, of all judgments with a verdict
	positionsChiSquare = "places-chi-square"
	positionsP         = "places-p"
)

// positions are how often each position was chosen, and whether that may be chance. The test takes judgments for
// independent of each other; those of one item are not: a judge that always picks the same option spreads over the
// positions more evenly than chance would.
func positions(group string, tallies []countedChoices) []scoring.Result {
	var counts []int
	for _, t := range tallies {
		of := t.positionCounts()
		if counts == nil {
			counts = make([]int, len(of))
		}
		if len(of) != len(counts) {
			return nil // some with and some without an unrelated option: no position of one is a position of the other
		}
		for i, n := range of {
			counts[i] += n
		}
	}
	decided := 0
	for _, n := range counts {
		decided += n
	}
	var results []scoring.Result
	for i, n := range counts {
		r := scoring.Result{
			Metric:  PositionMetric + strconv.Itoa(i+1),
			Group:   group,
			N:       decided,
			Missing: leftOut,
			Value:   scoring.Percent(float64(n) / float64(decided)),
		}
		if decided == 0 {
			r.Note = noPositions
		}
		results = append(results, r)
	}
	chi2, df, p := stats.Uniformity(counts)
	note := fmt.Sprintf("%d degrees of freedom", df)
	switch {
	case decided == 0:
		note = noPositions
	case decided < 5*len(counts):
		note += "; fewer than 5 judgments a position: p is rough"
	}
	return append(results,
		scoring.Result{
			Metric:  positionsChiSquare,
			Group:   group,
			Unit:    scoring.UnitStatistic,
			Value:   scoring.Fraction(chi2),
			N:       decided,
			Missing: leftOut,
			Note:    note,
		},
		scoring.Result{
			Metric:  positionsP,
			Group:   group,
			Unit:    scoring.UnitStatistic,
			Value:   scoring.Precise(p),
			N:       decided,
			Missing: leftOut,
			Note:    note,
		})
}

const noPositions = "undefined: no judgments with a verdict"

// warnings of a choice among several options.
func (f *choices) warnings(all []countedChoices, missing scoring.MissingPolicy) []string {
	var w []string
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	judgments := 0
	lost := 0
	touched := 0
	empty := 0
	unknown := 0
	few := 0
	for _, t := range all {
		n, k := t.ballot.usable(), len(t.positions)
		judgments += k
		lost += k - n
		if n < k {
			touched++
		}
		if n == 0 {
			empty++
		}
		if len(t.right) == 0 {
			unknown++
		}
		if t.perfect.grade < 1-1e-9 {
			few++
		}
	}
	if lost > 0 {
		say("%d of %d judgments have no verdict, in %d items: the scores are by the policy %q, "+
			"and grade-usable and grade-strict give both", lost, judgments, touched, missing)
	}
	if empty > 0 {
		say("%d items have no verdict at all and score 0", empty)
	}
	if unknown > 0 {
		say("%d of %d items have no label for the %s option: they are left out of the accuracy", unknown, len(all), f.goal)
	}
	if few > 0 {
		say("in %d items the options do not stand at all positions equally often: "+
			"a judge that always picks the same option scores less than 1 there", few)
	}
	return w
}
