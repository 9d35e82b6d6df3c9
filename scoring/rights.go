package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Rights is on which units several runs are right, by the headline of their protocol.
type Rights struct {
	Metric   string
	Unit     string // what one unit is called: pair
	Runs     []Side
	Units    []string   // ids of those that all runs have judged
	Clusters []string   // of each what it hangs together with: its own id where that is nothing
	Right    [][]bool   // of each run, by unit
	Parts    [][]string // of each run, by unit: the part of its breakdown; nil where it has none
	Calls    int        // that a unit takes: judgments of it, asked once
	Warnings []string
}

// RightsOf finds them. It is an error where the headline is not right or wrong unit by unit, or where runs have no
// units in common or disagree on what is right of them.
func RightsOf(runs []*Run) (*Rights, error) {
	sheets := sheetsOf(runs, 0)
	metric, err := headlineOf(sheets[0])
	if err != nil {
		return nil, err
	}
	common := sheets[0].Units
	words := sheets[0].words()
	out := &Rights{Metric: metric.Name, Unit: words.Unit, Right: make([][]bool, len(runs))}
	for _, s := range sheets {
		joined, err := sheets[0].join(common, s)
		if err != nil {
			return nil, err
		}
		var kept []Unit
		for _, j := range joined {
			if _, den := metric.share(metric.Columns.of(j.B.Row)); den == 1 {
				kept = append(kept, j.A)
			}
		}
		common = kept
	}
	if len(common) == 0 {
		return nil, fmt.Errorf("%s and the others have no %s in common that is right or wrong: "+
			"give runs on the same dataset", sheets[0].Dir, cmp.Or(words.Common, words.Unit))
	}
	clusters := map[string]bool{}
	for _, u := range common {
		out.Units = append(out.Units, u.ID)
		out.Clusters = append(out.Clusters, cmp.Or(u.Cluster, u.ID))
		clusters[cmp.Or(u.Cluster, u.ID)] = true
	}
	for i, s := range sheets {
		parter, parts := s.scorer.(Parter)
		var ends []string
		for _, j := range join(common, s.Units) {
			num, _ := metric.share(metric.Columns.of(j.B.Row))
			out.Right[i] = append(out.Right[i], num > 0)
			if parts {
				ends = append(ends, parter.Part(j.B))
			}
		}
		out.Parts = append(out.Parts, ends)
		out.Runs = append(out.Runs, s.side())
		out.Calls = max(out.Calls, s.callsPerItem())
		if n := len(s.Units) - len(common); n > 0 {
			out.Warnings = append(out.Warnings,
				fmt.Sprintf("%s has %d %ss that others have not judged: left out", s.Dir, n, words.Unit))
		}
	}
	if slices.ContainsFunc(out.Runs, func(s Side) bool { return s.Simulated }) {
		out.Warnings = append(out.Warnings, simulatedWarning)
	}
	if len(clusters) < len(common) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d %ss are of %d %ss, and those of one are alike: "+
			"what is said of items like these is too sure, what is said of the benchmark is not",
			len(common), words.Unit, len(clusters), runs[0].resampled()))
	}
	return out, nil
}

// Share returns the share of units that a run is right on, with its interval and how that was made.
func (r *Rights) Share(run int, level float64) Estimate {
	right := []Metric{{Kind: Several, Columns: Span{0, 2}}}
	sample := newSample("", 2, right)
	for u, is := range r.Right[run] {
		sample.add(r.Clusters[u], "", []float64{One(is), 1})
	}
	sample.close()
	return sample.Results("", right, stats.Bootstrap{Level: level})[0].estimate()
}

// headlineOf returns the metric that a race is by.
func headlineOf(s scoredRun) (*Metric, error) {
	for i, m := range s.Metrics {
		if m.Headline && m.is(Share) {
			return &s.Metrics[i], nil
		}
	}
	return nil, fmt.Errorf("%s: the headline of %s is not right or wrong %s by %s: give runs of pairs or of answers",
		s.Dir, s.Manifest.Spec.Protocol, s.words().Unit, s.words().Unit)
}

// callsPerItem returns the number of judgments of an item.
func (run *Run) callsPerItem() int {
	m := run.Manifest
	items := m.Spec.Dataset.Items * m.Spec.Parameters.Repetitions()
	return max(1, int(math.Round(float64(m.Judgments)/float64(max(1, items)))))
}
