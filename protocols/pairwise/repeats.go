package pairwise

import (
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// repeated are a pair's judgments of every time: first all of the first time.
type repeated struct {
	pattern pattern // without judgments
	times   [][2]judgment
}

// complete tells whether every judgment was answered.
func (p *repeated) complete(times int) bool {
	if len(p.times) < times {
		return false
	}
	for _, judgments := range p.times[:times] {
		for _, g := range judgments {
			if !g.seen || g.outcome == judging.Failed {
				return false
			}
		}
	}
	return true
}

// repeat notes a judgment of one of the times; false where it has been seen.
func (f *pairs) repeat(r *judging.Record, g judgment) bool {
	if f.repeats == nil {
		f.repeats = map[string]*repeated{}
	}
	p := f.repeats[r.Item]
	if p == nil {
		p = &repeated{pattern: pattern{group: r.Group, gold: candidate(r, r.Gold)}}
		f.repeats[r.Item] = p
	}
	for len(p.times) <= r.Repeat {
		p.times = append(p.times, [2]judgment{})
	}
	judgment := &p.times[r.Repeat][r.Presentation]
	if judgment.seen {
		return false
	}
	*judgment = g
	return true
}

// everyTime lists the units that were answered every time, as each time had
// them; only those that keep allows. The lists are in the order of the items.
func (f *pairs) everyTime(keep func(item string) bool) [][]pair {
	times := f.manifest.Spec.Parameters.Times()
	out := make([][]pair, times)
	for _, u := range f.rows {
		p := f.repeats[u.item]
		if p == nil || !p.complete(times) || !keep(u.item) {
			continue
		}
		for k := range out {
			pattern := p.pattern
			pattern.judgments = p.times[k]
			out[k] = append(out[k], pair{u.item, &pattern})
		}
	}
	return out
}

// agreement computes what repeats tell, nil for a run that asked once.
func (f *pairs) agreement(s *scoring.Sheet, b stats.Bootstrap) *scoring.Repeats {
	times := f.manifest.Spec.Parameters.Times()
	if times < 2 {
		return nil
	}
	each := f.everyTime(func(string) bool { return true })
	rows := make([][]float64, len(each[0]))
	for i := range rows {
		rows[i] = agreed(each, i)
	}
	same := []scoring.Metric{{Name: "self-agreement", Kind: scoring.Halves, Columns: scoring.Span{0, 2}, Why: scoring.Because("no prompt that was answered every time got a verdict"),
		Missing: "prompt left out where a call failed or no time gave a verdict; else it differs"}}
	rep := &scoring.Repeats{Times: times, SelfAgreement: scoring.SampleOf("pair", same, rows).Results(scoring.Overall, same, b)[0], Values: []scoring.RepeatedValue{}}
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
func eachTime(metric string, adds func(pair) (num, den float64), group string, times [][]pair) scoring.RepeatedValue {
	v := scoring.RepeatedValue{Metric: metric, Group: group}
	least, most, all := 0.0, 0.0, true
	for k, units := range times {
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
		if f.manifest.Spec.Parameters.Times() < 2 {
			continue
		}
		x := eachTime(metric, pairMetrics[k].Adds, group, f.everyTime(keep)).NoiseFloor
		if x != nil && (floor == nil || *x > *floor) {
			floor = x
		}
	}
	return floor
}
