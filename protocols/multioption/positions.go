package multioption

import (
	"fmt"
	"strconv"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of the positions that a judge chooses, separately for items with each number of options.
const (
	PositionMetricPrefix = "place-" // begins the name; then the position, from 1: share of verdicts for it
	// begins the name; then the position, from 1: share of verdicts in which a right option was there
	RightPositionMetricPrefix = "right-place-"
	positionsChiSquare        = "places-chi-square"
	positionsP                = "places-p"
)

// positionTable returns for one group of items how often the judge chose each position, and a test of whether the
// differences may be chance. The test assumes independent judgments. Those of one item are not: a judge that always
// picks the same option spreads over the positions more evenly than chance would.
func positionTable(
	group string, tallies []scoredBallot, s *scoring.Sheet, unit string, b stats.Bootstrap,
) []scoring.Result {
	var counts []int
	decided := 0
	for _, t := range tallies {
		itemCounts := t.positionCounts()
		if counts == nil {
			counts = make([]int, len(itemCounts))
		}
		if len(itemCounts) != len(counts) {
			return nil // some items have an unrelated option: their positions are not comparable
		}
		for i, n := range itemCounts {
			counts[i] += n
			decided += n
		}
	}
	list := positionMetrics(len(counts))
	results := s.WithMetrics(list, 2*len(list), func(u scoring.Unit) []float64 {
		if u.Groups[0] != group {
			return nil
		}
		return u.Data.(scoredBallot).positionRow()
	}).ScoreAsGroup(group, unit, b)
	chi2, df, p := stats.Uniformity(counts)
	note := fmt.Sprintf("%d degrees of freedom", df)
	switch {
	case decided == 0:
		note = noPositions
	case decided < 5*len(counts):
		note += "; fewer than 5 judgments a position: p is rough"
	}
	x := scoring.Result{
		Metric:      positionsChiSquare,
		Group:       group,
		Unit:        scoring.UnitStatistic,
		Value:       scoring.RoundFraction(chi2),
		N:           decided,
		MissingRule: "left out",
		Note:        note,
	}
	results = append(results, x)
	x.Metric = positionsP
	x.Value = scoring.RoundToTwelveDigits(p)
	return append(results, x)
}

// noPositions explains why the test of positions has no value.
const noPositions = "undefined: no judgments with a verdict"

// positionMetrics returns the metrics for items with n positions: how often each was chosen, and how often
// a right option was there.
func positionMetrics(n int) []scoring.Metric {
	var list []scoring.Metric
	for _, m := range []scoring.Metric{
		{Name: PositionMetricPrefix, Kind: scoring.KindTrials},
		{Name: RightPositionMetricPrefix, Kind: scoring.KindFromItems, OmitsEmptyGroups: true},
	} {
		name := m.Name
		for i := range n {
			m.Name = name + strconv.Itoa(i+1)
			m.Columns = scoring.ColumnSpan{2 * len(list), 2*len(list) + 2}
			list = append(list, m)
		}
	}
	return list
}

// positionRow returns an item's columns for positionMetrics: for each position the verdicts for it and all verdicts,
// then how often a right option was there, and all verdicts if the item has a label.
func (t scoredBallot) positionRow() []float64 {
	n := len(t.ids)
	row := make([]float64, 4*n)
	for i, order := range t.orders {
		if t.positions[i] == judging.NoCandidate {
			continue
		}
		row[2*t.positions[i]]++
		for position, option := range order {
			row[2*position+1]++
			if len(t.rightOptions) > 0 {
				row[2*(n+position)] += scoring.Indicator(t.isRightOption(option))
				row[2*(n+position)+1]++
			}
		}
	}
	return row
}

// warnings returns warnings for the report: missing verdicts, items without verdicts or labels, and uneven orders.
func (f *multiOptionScorer) warnings(all []scoredBallot, missing scoring.MissingPolicy) []string {
	var w scoring.Cautions
	judgments := 0
	noVerdict := 0
	incomplete := 0
	empty := 0
	unlabelled := 0
	uneven := 0
	for _, t := range all {
		n, k := t.verdictCount(), len(t.positions)
		judgments += k
		noVerdict += k - n
		if n < k {
			incomplete++
		}
		if n == 0 {
			empty++
		}
		if len(t.rightOptions) == 0 {
			unlabelled++
		}
		if t.perfect[gradeIndex] < 1-roundingTolerance {
			uneven++
		}
	}
	w.AddCount("options.no-verdict", noVerdict, judgments, incomplete, missing)
	w.AddCount("options.empty", empty)
	w.AddCount("options.no-label", unlabelled, len(all), f.goal)
	w.AddCount("options.uneven", uneven)
	if f.choiceWeight > 0 {
		w.Add("options.weight", f.choiceWeight)
	}
	return w
}
