package multioption

import (
	_ "embed"
	"slices"

	"gavel/judging"
	"gavel/protocols/probe"
	"gavel/scoring"
)

// axisMinusPosition is the metric of a Grade score over an axis minus that over the positions.
const axisMinusPosition = "grade-minus-position"

//go:embed axes.yaml
var axesFile string

// axes lists what a run can vary, the positions first.
var axes, _ = probe.ParseCatalogue(axesFile)

const varyNone = "none"

// varyOption selects the axes that a run varies beside the positions.
var varyOption = judging.Option{
	Name:    "vary",
	Default: varyNone,
	Values:  []string{varyNone, "length", "markdown", "author", "parts", "all"},
	Usage:   "also mark each option in turn by `AXIS`: length, markdown, author, parts or all; a Grade score over each",
}

// asRotation returns a record of a run with --vary as one of the n that its axis has of an item with n options. Of an
// axis other than the positions, the order begins with the marked option: marks count as positions do.
func asRotation(r judging.Record) *judging.Record {
	r.Presentation %= len(r.Order)
	r.Presentations = len(r.Order)
	if r.Mode != "" {
		r.Order = slices.Concat(r.Order[r.Presentation:], r.Order[:r.Presentation])
	}
	return &r
}

// axisMetrics lists the metrics of the axes but the positions, which only runs that vary them have: the Grade score
// over each, and its difference from that over the positions.
func (f *multiOptionScorer) axisMetrics() (list []scoring.SumMetric[scoredBallot]) {
	for _, w := range axes[1:] {
		for positions, name := range []string{GradeScore, axisMinusPosition} {
			minus := float64(positions)
			list = append(list, scoring.SumMetric[scoredBallot]{
				Metric: scoring.Metric{
					Name: name, Mode: w.Name, Kind: scoring.KindMean, MinUnitValue: -minus, OmitsEmptyGroups: true,
					Value: func(c []float64) float64 { return c[0] / c[1] }, // no share, though all be 0 or 1
				},
				Contribution: func(t scoredBallot) (num, den float64) {
					b := f.itemsByAxis.Lookup(w.Name + t.item)
					if b == nil || !b.complete() {
						return 0, 0
					}
					return b.scores(t.missingPolicy)[gradeIndex] - minus*t.judgeScores[gradeIndex], 1
				},
			})
		}
	}
	return list
}
