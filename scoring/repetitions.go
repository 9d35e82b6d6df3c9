package scoring

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// copiedReplyCount returns the number of replies with the ID of an earlier reply to the same prompt: a proxy sent these
// again, so they tell nothing about the judge.
func (run *Run) copiedReplyCount() int {
	if run.repeats == nil || run.repeats.hasSharedReplyIDs {
		return 0
	}
	return run.repeats.copies
}

// repeatSheets returns one sheet of scored units for each repetition; none if the run asks once or has copied replies.
func (run *Run) repeatSheets(seed uint64) (sheets []*Sheet) {
	if run.repeats == nil || run.copiedReplyCount() > 0 {
		return nil
	}
	for _, scorer := range run.repeats.scorers {
		sheets = append(sheets, run.sheetOf(scorer, seed))
	}
	return sheets
}

// completeUnits returns for each repetition, of which sheets has one, the units answered in all repetitions. If keep is
// not nil, it returns only units whose id is in keep.
func completeUnits(sheets []*Sheet, keep map[string]bool) [][]Unit {
	often := map[string]int{}
	for _, s := range sheets {
		for _, u := range s.Units {
			often[u.ID]++
		}
	}
	out := make([][]Unit, len(sheets))
	for k, s := range sheets {
		for _, u := range s.Units {
			if often[u.ID] == len(sheets) && (keep == nil || keep[u.ID]) {
				out[k] = append(out[k], u)
			}
		}
	}
	return out
}

// valuesByRepetition computes the metrics of a sheet in each section of units, for each repetition by itself. times
// holds the units of each repetition. It leaves out metrics that the items determine alone and those of answers that
// are asked once.
func (s *Sheet) valuesByRepetition(unit string, in []section, times [][]Unit) []RepetitionValue {
	values := []RepetitionValue{}
	for _, part := range in {
		var samples []*UnitRows
		for _, units := range times {
			sheet := *s
			sheet.Units = units
			samples = append(samples, sheet.sectionRows(unit, part))
		}
		for i := range s.Metrics {
			m := &s.Metrics[i]
			if m.hasKind(KindFromItems) || m.AskedOnce || m.OmitsEmptyGroups && samples[0].n(m) == 0 {
				continue
			}
			values = append(values, repeatedValue(m, part.name, samples))
		}
	}
	return values
}

// repeatedValue returns the values of a metric in a group, one for each repetition in times, and their largest
// difference.
func repeatedValue(m *Metric, group string, times []*UnitRows) RepetitionValue {
	v := RepetitionValue{Metric: m.Name, Group: group, Mode: m.Mode, Unit: m.Unit, Units: times[0].unitCount}
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, s := range times {
		value := convertToUnit(m.Unit, s.pointEstimate(m.estimand()))
		v.Values = append(v.Values, value)
		if value == nil {
			lowest = math.NaN() // remains NaN
			continue
		}
		lowest, highest = min(lowest, *value), max(highest, *value)
	}
	floor := highest - lowest
	if m.Unit == "" {
		floor /= 100
	}
	v.NoiseFloor = convertToUnit(m.Unit, floor)
	return v
}

// repetitions returns the results over all repetitions; nil if the run asks once.
func (run *Run) repetitions(s *Sheet, b stats.Bootstrap) *Repetitions {
	if run.repeats == nil {
		return nil
	}
	out := &Repetitions{
		Repetitions:   len(run.repeats.scorers),
		SelfAgreement: Result{Metric: SelfAgreement, Note: copiesNote},
		Values:        []RepetitionValue{},
	}
	if run.copiedReplyCount() == 0 {
		times := completeUnits(run.repeatSheets(b.Seed), nil)
		out.SelfAgreement = run.selfAgreement(b)
		out.Values = s.valuesByRepetition(run.resamplingNoun(), s.sections(s.Units), times)
	}
	return out
}

// copiesNote is the note of self-agreement where [Run.copiedReplyCount] is above 0.
const copiesNote = "not measured: replies are copies of earlier ones"

// selfAgreement returns the percentage of prompts with the same verdict in all repetitions, of those with a verdict in
// at least one. It covers the items whose prompts were answered in all repetitions.
func (run *Run) selfAgreement(b stats.Bootstrap) Result {
	rows := map[string][]float64{}
	for _, p := range run.repeats.items {
		if slices.ContainsFunc(p.prompts, func(v promptVerdicts) bool {
			return v.answered < len(run.repeats.scorers)
		}) {
			continue
		}
		unit := run.clusterOf(p.unit)
		if rows[unit] == nil {
			rows[unit] = make([]float64, 2)
		}
		for _, verdicts := range p.prompts {
			if verdicts.hasVerdict {
				rows[unit][0] += Indicator(!verdicts.differs)
				rows[unit][1]++
			}
		}
	}
	same := []Metric{{
		Name:          SelfAgreement,
		Kind:          kindOfShare(rows, 1),
		Columns:       ColumnSpan{0, 2},
		NoValueReason: "no prompt that was answered in all repetitions has a verdict",
		MissingRule:   "prompt left out if a call failed, or every verdict is missing; else it differs",
	}}
	return IndependentRows(run.resamplingNoun(), same, rowsSortedByKey(rows)).Results(Overall, same, b)[0]
}

// kindOfShare returns the kind of a share whose denominators are in a column of rows: Halves if no row has more than
// two trials, else Several.
func kindOfShare(rows map[string][]float64, column int) MetricKind {
	for _, row := range rows {
		if row[column] > 2 {
			return KindTrials
		}
	}
	return KindHalfPoints
}

// sharedRepetitionValues returns for each run that repeats its prompts the values of its repetitions on the shared
// units: only for a metric over all these units or, if only is nil, for every metric and group.
func sharedRepetitionValues(shared []SharedUnit, only *Metric, runs ...scoredRun) (all repetitionValues) {
	common, keep := make([]Unit, len(shared)), make(map[string]bool, len(shared))
	for i, p := range shared {
		common[i], keep[p.A.ID] = p.A, true
	}
	for _, s := range runs {
		if s.sheets == nil {
			continue
		}
		sheet, in := *s.Sheet, s.sections(common)
		if only != nil {
			sheet.Metrics, in = s.sharedMetrics(&Sheet{Metrics: []Metric{*only}}), in[:1]
		}
		all = append(all, sheet.valuesByRepetition(s.resamplingNoun(), in, completeUnits(s.sheets, keep))...)
	}
	return all
}

// repetitionValues holds the values of the repetitions of one or two runs.
type repetitionValues []RepetitionValue

// find returns the noise floor of a metric, the largest difference between two repetitions of a run: the larger one of
// the runs that repeat their prompts, nil if none does.
func (all repetitionValues) find(metric, group, mode string) (floor *float64) {
	for _, v := range all {
		if v.Metric == metric && v.Group == group && v.Mode == mode && v.NoiseFloor != nil &&
			(floor == nil || *v.NoiseFloor > *floor) {
			floor = v.NoiseFloor
		}
	}
	return floor
}

// withinFloor reports whether the size of a difference does not exceed a noise floor, both in the same unit.
func withinFloor(diff, floor *float64) bool {
	return diff != nil && floor != nil && math.Abs(*diff) <= *floor
}
