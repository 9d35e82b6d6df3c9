package scoring

import (
	"fmt"
	"math"
	"slices"

	"gavel/judging"
	"gavel/scoring/stats"
)

// compared are the metrics that a comparison prints; those marked binary are
// right or wrong pair by pair and get McNemar's test.
var compared = []struct {
	name   string
	binary bool
	groups bool // also by group
}{
	{"strict", true, true},
	{"counter", true, false},
	{"half-tie", false, false},
	{"drop", false, false},
	{"consistency", false, false},
	{"first-position", false, false},
}

func metricNamed(name string) Metric {
	i := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	return Metrics[i]
}

// both is a pair judged in two runs.
type both struct{ a, b pair }

func (f *pairs) compare(other Scorer, boot stats.Bootstrap) (diffs []Difference, n, onlyA, onlyB int, err error) {
	g, ok := other.(*pairs)
	if !ok {
		return nil, 0, 0, 0, errOtherFamily
	}
	joined := join(f.rows, g.rows)
	for _, p := range joined {
		if p.a.gold != p.b.gold {
			return nil, 0, 0, 0, fmt.Errorf("they disagree on the label of %s: they are of different datasets", p.a.item)
		}
	}
	groups := groupsOf(unitsOf(joined))
	for _, m := range compared {
		in := groups[:1]
		if m.groups {
			in = groups
		}
		for _, group := range in {
			metric, in := metricNamed(m.name), pairsIn(joined, group)
			d := difference(metric, m.binary, group, in, boot)
			if d.Floor = noise(metric, group, in, f, g); d.Floor != nil && d.Diff != nil && math.Abs(*d.Diff) <= *d.Floor {
				d.Noise = true
			}
			diffs = append(diffs, d)
		}
	}
	return diffs, len(joined), len(f.rows) - len(joined), len(g.rows) - len(joined), nil
}

// versus tests two runs by strict.
func (f *pairs) versus(other Scorer, h heading, _ stats.Permutation) (float64, int) {
	strict := metricNamed(h.metric)
	var t Table2x2
	for _, u := range join(f.rows, other.(*pairs).rows) {
		a, _ := strict.share(u.a)
		b, _ := strict.share(u.b)
		t.count(a > 0, b > 0)
	}
	return t.mcNemar()
}

// together takes two goals of one model for one judge.
func (f *pairs) together(c *Comparison, other Scorer, boot stats.Bootstrap) {
	a, b := f.manifest.Spec, other.(*pairs).manifest.Spec
	if a.Model == b.Model && a.Goal != b.Goal {
		c.Ensemble = ensemble(join(f.rows, other.(*pairs).rows), boot)
	}
}

// join pairs units by item id; both lists are sorted by it.
func join(a, b []pair) []both {
	var out []both
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].item < b[j].item:
			i++
		case a[i].item > b[j].item:
			j++
		default:
			out = append(out, both{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

func unitsOf(pairs []both) []pair {
	units := make([]pair, len(pairs))
	for i, p := range pairs {
		units[i] = p.a
	}
	return units
}

func pairsIn(pairs []both, group string) []both {
	if group == Overall {
		return pairs
	}
	return slices.DeleteFunc(slices.Clone(pairs), func(p both) bool { return p.a.group != group })
}

// difference resamples pairs with both runs' games, so that the difference is
// paired; each run's share is over its own denominator.
func difference(m Metric, binary bool, group string, pairs []both, b stats.Bootstrap) Difference {
	rows := make([][]float64, len(pairs))
	var table Table2x2
	var sum [4]float64
	for i, p := range pairs {
		an, ad := m.share(p.a)
		bn, bd := m.share(p.b)
		rows[i] = []float64{an, ad, bn, bd}
		for k, v := range rows[i] {
			sum[k] += v
		}
		table.count(an > 0, bn > 0)
	}
	diff := func(s []float64) float64 { return s[2]/s[3] - s[0]/s[1] }
	iv := b.Sums(rows, 1, func(s, out []float64) { out[0] = diff(s) })[0]
	d := Difference{
		Metric: m.Name, Group: group, N: len(pairs),
		A: percent(sum[0] / sum[1]), B: percent(sum[2] / sum[3]), Diff: percent(diff(sum[:])),
		Low: percent(iv.Low), High: percent(iv.High),
	}
	if d.Diff == nil {
		d.Noise, d.Note = true, "undefined: no "+m.N+" in one of the runs"
		return d
	}
	d.Noise = d.holdsZero()
	if binary {
		p := math.Round(stats.McNemar(table.OnlyA, table.OnlyB)*1e6) / 1e6
		d.Table, d.P = &table, &p
		d.Noise = d.Noise || p >= alpha
	}
	return d
}

// named is the response that a unit's two games agree on, or −1.
func (u pair) named() int8 {
	if u.bothDecided() && u.games[0].choice == u.games[1].choice {
		return u.games[0].choice
	}
	return judging.Nobody
}

func ensemble(pairs []both, b stats.Bootstrap) *Ensemble {
	rows := make([][]float64, len(pairs))
	var agree, right float64
	for i, p := range pairs {
		same := p.a.named() != judging.Nobody && p.a.named() == p.b.named()
		rows[i] = []float64{share(same), share(same && p.a.named() == p.a.gold)}
		agree += rows[i][0]
		right += rows[i][1]
	}
	n := float64(len(pairs))
	iv := b.Sums(rows, 2, func(s, out []float64) { out[0], out[1] = s[0]/n, s[1]/s[0] })
	var notes [2]string
	if agree == 0 || agree == n {
		iv[0], notes[0] = alike(agree > 0, len(pairs), b.Level), allAlike
	}
	if agree > 0 && (right == 0 || right == agree) {
		iv[1], notes[1] = alike(right > 0, int(agree), b.Level), allAlike
	}
	e := &Ensemble{
		Coverage: Result{Metric: "coverage", Group: Overall, N: len(pairs), Value: percent(agree / n), Low: percent(iv[0].Low), High: percent(iv[0].High), Missing: "not covered", Note: notes[0]},
		Strict:   Result{Metric: "strict", Group: Overall, N: int(agree), Missing: "pair left out", Note: notes[1]},
	}
	if agree == 0 {
		e.Strict.Note = "undefined: the goals agree on no pair"
		return e
	}
	e.Strict.Value, e.Strict.Low, e.Strict.High = percent(right/agree), percent(iv[1].Low), percent(iv[1].High)
	return e
}
