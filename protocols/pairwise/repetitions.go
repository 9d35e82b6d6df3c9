package pairwise

import (
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// repeatedPair is a pair's judgments of every repetition: first all of the first time.
type repeatedPair struct {
	pattern     pattern // without judgments
	repetitions [][2]judgment
}

// complete tells whether every judgment was answered.
func (p *repeatedPair) complete(repetitions int) bool {
	if len(p.repetitions) < repetitions {
		return false
	}
	for _, judgments := range p.repetitions[:repetitions] {
		for _, g := range judgments {
			if !g.seen || g.outcome == judging.Failed {
				return false
			}
		}
	}
	return true
}

// addRepetition notes a judgment of one of the repetitions; false where it has been seen.
func (f *pairs) addRepetition(r *judging.Record, g judgment) bool {
	if f.repetitions == nil {
		f.repetitions = map[string]*repeatedPair{}
	}
	p := f.repetitions[r.Item]
	if p == nil {
		p = &repeatedPair{pattern: pattern{group: r.Group, gold: candidate(r, r.Gold)}}
		f.repetitions[r.Item] = p
	}
	for len(p.repetitions) <= r.Repetition {
		p.repetitions = append(p.repetitions, [2]judgment{})
	}
	judgment := &p.repetitions[r.Repetition][r.Presentation]
	if judgment.seen {
		return false
	}
	*judgment = g
	return true
}

// everyTime lists the units that were answered every time, as each time had
// them; only those that keep allows. The lists are in the order of the items.
func (f *pairs) everyTime(keep func(item string) bool) [][]pair {
	repetitions := f.manifest.Spec.Parameters.Repetitions()
	out := make([][]pair, repetitions)
	for _, u := range f.rows {
		p := f.repetitions[u.item]
		if p == nil || !p.complete(repetitions) || !keep(u.item) {
			continue
		}
		for k := range out {
			pattern := p.pattern
			pattern.judgments = p.repetitions[k]
			out[k] = append(out[k], pair{u.item, &pattern})
		}
	}
	return out
}

// agreement computes what repetitions tell, nil for a run that asked once.
func (f *pairs) agreement(s *scoring.Sheet, b stats.Bootstrap) *scoring.Repetitions {
	repetitions := f.manifest.Spec.Parameters.Repetitions()
	if repetitions < 2 {
		return nil
	}
	each := f.everyTime(func(string) bool { return true })
	rows := make([][]float64, len(each[0]))
	for i := range rows {
		rows[i] = agreed(each, i)
	}
	same := []scoring.Metric{{Name: "self-agreement", Kind: scoring.Halves, Columns: scoring.Span{0, 2}, Why: scoring.Because("no prompt that was answered every time got a verdict"),
		Missing: "prompt left out where a call failed or no time gave a verdict; else it differs"}}
	rep := &scoring.Repetitions{Repetitions: repetitions, SelfAgreement: scoring.SampleOf("pair", same, rows).Results(scoring.Overall, same, b)[0], Values: []scoring.RepetitionValue{}}
	for _, g := range s.GroupNames() {
		for k, m := range Metrics {
			rep.Values = append(rep.Values, eachTime(m.Name, pairMetrics[k].Adds, g, each))
		}
	}
	return rep
}

// agreed counts, of a pair's prompts that got a verdict some time, those that got the same every time, and all.
func agreed(each [][]pair, i int) []float64 {
	row := make([]float64, 2)
	for s := range each[0][i].judgments {
		first, agree := each[0][i].judgments[s], true
		verdict := first.verdict()
		for _, units := range each[1:] {
			g := units[i].judgments[s]
			agree = agree && g.outcome == first.outcome && g.choice == first.choice
			verdict = verdict || g.verdict()
		}
		if verdict {
			row[0] += scoring.One(agree)
			row[1]++
		}
	}
	return row
}

// eachTime computes a metric on a group, each time by itself.
func eachTime(metric string, adds func(pair) (num, den float64), group string, repetitions [][]pair) scoring.RepetitionValue {
	v := scoring.RepetitionValue{Metric: metric, Group: group}
	least, most, all := 0.0, 0.0, true
	for k, units := range repetitions {
		var num, den float64
		n := 0
		for _, u := range units {
			if group == scoring.Overall || u.group == group {
				a, b := adds(u)
				num, den, n = num+a, den+b, n+1
			}
		}
		v.Pairs = n
		x := scoring.Percent(num / den)
		v.Each = append(v.Each, x)
		switch {
		case x == nil:
			all = false
		case k == 0:
			least, most = *x, *x
		default:
			least, most = min(least, *x), max(most, *x)
		}
	}
	if all {
		v.NoiseFloor = scoring.Percent((most - least) / 100)
	}
	return v
}

// noise is the larger noise floor of a metric on a group over the runs that asked more than once, on the pairs compared; nil
// where none did.
func noise(metric, group string, joined []scoring.Joined, runs ...*pairs) *float64 {
	common := make([]string, len(joined))
	for i, p := range joined {
		common[i] = p.A.ID
	}
	keep := func(item string) bool { _, ok := slices.BinarySearch(common, item); return ok }
	k := slices.IndexFunc(pairMetrics, func(m scoring.Summed[pair]) bool { return m.Name == metric })
	var floor *float64
	for _, f := range runs {
		if f.manifest.Spec.Parameters.Repetitions() < 2 {
			continue
		}
		x := eachTime(metric, pairMetrics[k].Adds, group, f.everyTime(keep)).NoiseFloor
		if x != nil && (floor == nil || *x > *floor) {
			floor = x
		}
	}
	return floor
}
