package scoring

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// copied counts the replies that are copies of another to the same prompt: a proxy gave them, not the judge.
func (run *Run) copied() int {
	if run.again == nil || run.again.shared {
		return 0
	}
	return run.again.copies
}

// sheetsAgain returns the sheets of each time; none of a run that asked once, or was given copies.
func (run *Run) sheetsAgain(seed uint64) (sheets []*Sheet) {
	if run.again == nil || run.copied() > 0 {
		return nil
	}
	for _, scorer := range run.again.times {
		sheets = append(sheets, run.sheetOf(scorer, seed))
	}
	return sheets
}

// everyTime returns the units that were answered every time, as each time had them; only those that keep allows.
func everyTime(sheets []*Sheet, keep map[string]bool) [][]Unit {
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

// eachTime computes the metrics of a sheet in some sections, each time by itself; not what follows from the items
// alone, or from answers that are asked for once.
func (s *Sheet) eachTime(unit string, in []section, times [][]Unit) []RepetitionValue {
	values := []RepetitionValue{}
	for _, part := range in {
		var samples []*Sample
		for _, units := range times {
			one := &Sheet{Metrics: s.Metrics, Width: s.Width, Own: s.Own, Units: units}
			samples = append(samples, one.sample(unit, part))
		}
		for i := range s.Metrics {
			m := &s.Metrics[i]
			if m.is(Known) || m.Once || m.Sparse && samples[0].n(m) == 0 {
				continue
			}
			values = append(values, valuesOf(m, part.name, samples))
		}
	}
	return values
}

func valuesOf(m *Metric, group string, times []*Sample) RepetitionValue {
	v := RepetitionValue{Metric: m.Name, Group: group, Mode: m.Mode, Unit: m.Unit, Pairs: times[0].size}
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range times {
		x := s.valueOf(estimand{Metric: m, a: m.Less, b: m.Columns})
		one := inUnit(m.Unit, x)
		v.Each = append(v.Each, one)
		if one == nil {
			least = math.NaN() // it stays
			continue
		}
		least, most = min(least, *one), max(most, *one)
	}
	floor := most - least
	if m.Unit == "" {
		floor /= 100
	}
	v.NoiseFloor = inUnit(m.Unit, floor)
	return v
}

// repeated returns what asking more than once showed; nil of a run that asked once.
func (run *Run) repeated(s *Sheet, b stats.Bootstrap) *Repetitions {
	if run.again == nil {
		return nil
	}
	out := &Repetitions{
		Repetitions:   len(run.again.times),
		SelfAgreement: Result{Metric: SelfAgreement, Note: copiesNote},
		Values:        []RepetitionValue{},
	}
	if run.copied() == 0 {
		times := everyTime(run.sheetsAgain(b.Seed), nil)
		out.SelfAgreement = run.selfAgreement(b)
		out.Values = s.eachTime(run.resampled(), s.sections(s.Units), times)
	}
	return out
}

const copiesNote = "not measured: replies are copies of earlier ones"

// selfAgreement returns the share of prompts that came to the same every time, of those that got a verdict some time,
// over the items all of whose prompts were answered every time.
func (run *Run) selfAgreement(b stats.Bootstrap) Result {
	rows := map[string][]float64{}
	for _, p := range run.again.items {
		if slices.ContainsFunc(p.each, func(is promptVerdicts) bool { return is.answered < len(run.again.times) }) {
			continue
		}
		unit := run.clusterOf(p.unit)
		if rows[unit] == nil {
			rows[unit] = make([]float64, 2)
		}
		for _, is := range p.each {
			if is.verdict {
				rows[unit][0] += One(!is.differs)
				rows[unit][1]++
			}
		}
	}
	same := []Metric{{
		Name:    SelfAgreement,
		Kind:    kindOf(rows, 1),
		Columns: Span{0, 2},
		None:    "no prompt that was answered every time got a verdict",
		Missing: "prompt left out where a call failed or no time gave a verdict; else it differs",
	}}
	return SampleOf(run.resampled(), same, inOrder(rows)).Results(Overall, same, b)[0]
}

// kindOf shares whose denominators stand in a column: two trials a row are a score of 0, ½ or 1,
// more a share of several.
func kindOf(rows map[string][]float64, column int) MetricKind {
	for _, row := range rows {
		if row[column] > 2 {
			return Several
		}
	}
	return Halves
}

// floors returns the noise floors of runs on the units that they have in common, of one metric over all of them, or
// where none is named of every metric and group.
func floors(joined []Joined, only *Metric, runs ...scoredRun) (all floorValues) {
	common, keep := make([]Unit, len(joined)), make(map[string]bool, len(joined))
	for i, p := range joined {
		common[i], keep[p.A.ID] = p.A, true
	}
	for _, s := range runs {
		if s.sheets == nil {
			continue
		}
		sheet, in := *s.Sheet, s.sections(common)
		if only != nil {
			sheet.Metrics, in = slices.DeleteFunc(slices.Clone(s.Metrics), func(m Metric) bool {
				return m.Name != only.Name || m.Mode != only.Mode
			}), in[:1]
		}
		all = append(all, sheet.eachTime(s.resampled(), in, everyTime(s.sheets, keep))...)
	}
	return all
}

type floorValues []RepetitionValue

// of gives that of a metric: the largest of the runs that asked more than once, nil where none did.
func (all floorValues) of(metric, group, mode string) (floor *float64) {
	for _, v := range all {
		if v.Metric == metric && v.Group == group && v.Mode == mode && v.NoiseFloor != nil &&
			(floor == nil || *v.NoiseFloor > *floor) {
			floor = v.NoiseFloor
		}
	}
	return floor
}

// withinFloor tells whether a difference is not larger than a noise floor.
func withinFloor(diff, floor *float64) bool {
	return diff != nil && floor != nil && math.Abs(*diff) <= *floor
}
