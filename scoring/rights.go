package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// RightUnits holds for several runs the units on which each is right, by the headline metric of their protocol.
type RightUnits struct {
	Metric      string // key of the headline metric
	Unit        string // noun for one unit, such as pair
	Runs        []Side
	CommonUnits []string // ids of the units that all runs have judged
	// by unit: its cluster, whose units may depend on each other; its own id if it belongs to none
	Clusters     []string
	Right        [][]bool   // by run, then by unit: the run is right on it
	Outcomes     [][]string // by run, then by unit: the unit's outcome, such as right or tie; nil if the protocol has none
	CallsPerUnit int        // number of judgments of a unit in one repetition
	Warnings     Cautions
}

// RightUnitsOf returns the units that all runs have judged, and on which of them each run is right. It returns an error
// if the headline metric is not right or wrong by unit, if the runs have no units in common, or if they disagree on the
// gold answers.
func RightUnitsOf(runs []*Run) (*RightUnits, error) {
	sheets := runsWithSheets(runs, 0)
	metric, err := headlineOf(sheets[0])
	if err != nil {
		return nil, err
	}
	common := sheets[0].Units
	words := sheets[0].terms()
	out := &RightUnits{Metric: metric.Name, Unit: words.Unit, Right: make([][]bool, len(runs))}
	for _, s := range sheets {
		shared, err := sheets[0].join(common, s)
		if err != nil {
			return nil, err
		}
		common = nil
		for _, j := range shared {
			if _, den := metric.share(metric.Columns.slice(j.B.Row)); den == 1 {
				common = append(common, j.A)
			}
		}
	}
	if len(common) == 0 {
		return nil, fmt.Errorf("%s and the others have no scored %s in common: "+
			"give runs on the same dataset", sheets[0].Dir, cmp.Or(words.ComparisonUnit, words.Unit))
	}
	clusters := map[string]bool{}
	for _, u := range common {
		out.CommonUnits = append(out.CommonUnits, u.ID)
		out.Clusters = append(out.Clusters, u.ResamplingUnit())
		clusters[u.ResamplingUnit()] = true
	}
	for i, s := range sheets {
		parter, parts := s.scorer.(Partitioner)
		var ends []string
		for _, j := range sharedUnits(common, s.Units) {
			num, _ := metric.share(metric.Columns.slice(j.B.Row))
			out.Right[i] = append(out.Right[i], num > 0)
			if parts {
				ends = append(ends, parter.UnitOutcome(j.B))
			}
		}
		out.Outcomes = append(out.Outcomes, ends)
		out.Runs = append(out.Runs, s.side())
		out.CallsPerUnit = max(out.CallsPerUnit, s.callsPerItem())
		if n := len(s.Units) - len(common); n > 0 {
			out.Warnings.Add("jury.not-shared", s.Dir, phrases.CountWithNoun(n, words.Unit))
		}
	}
	if slices.ContainsFunc(out.Runs, func(s Side) bool { return s.Simulated }) {
		out.Warnings.Add(simulatedWarningCode)
	}
	if len(clusters) < len(common) {
		out.Warnings.Add("jury.dependent", phrases.CountWithNoun(len(common), words.Unit),
			phrases.CountWithNoun(len(clusters), runs[0].resamplingNoun()))
	}
	return out, nil
}

// Share returns the percentage of units on which a run, given by its index, is right, with its interval.
func (r *RightUnits) Share(run int, level float64) Estimate {
	right := []Metric{{Kind: KindTrials, Columns: ColumnSpan{0, 2}}}
	sample := newUnitRows("", 2, right)
	for u, ok := range r.Right[run] {
		sample.add(r.Clusters[u], "", []float64{Indicator(ok), 1})
	}
	sample.addClusters()
	return sample.Results("", right, stats.Bootstrap{Level: level})[0].estimate()
}

// ClusterRows returns a row of numbers for each cluster of units, the sum of those of its units.
func (r *RightUnits) ClusterRows(row func(unit int) []float64) [][]float64 {
	var sums OrderedMap[string, []float64]
	for u, cluster := range r.Clusters {
		sum := sums.Get(cluster)
		if *sum == nil {
			*sum = row(u)
		} else {
			floats.Add(*sum, row(u))
		}
	}
	return sums.Values
}

// headlineOf returns the headline metric of a run; an error if it is not right or wrong by unit.
func headlineOf(s scoredRun) (*Metric, error) {
	for i, m := range s.Metrics {
		if m.Headline && m.hasKind(KindShare) {
			return &s.Metrics[i], nil
		}
	}
	return nil, fmt.Errorf("%s: the headline of %s is not right or wrong %s by %s: give runs of pairs or of answers",
		s.Dir, s.Manifest.Spec.Protocol, s.terms().Unit, s.terms().Unit)
}

// callsPerItem returns the number of judgments of an item in one repetition, such as one for each order of its
// responses.
func (run *Run) callsPerItem() int {
	m := run.Manifest
	items := m.Spec.Dataset.Items * m.Spec.Parameters.Repetitions()
	return max(1, int(math.Round(float64(m.Judgments)/float64(max(1, items)))))
}
