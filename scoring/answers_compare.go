package scoring

import (
	"fmt"

	"gavel/scoring/stats"
)

// answeredTwice is a question that two runs have answered.
type answeredTwice struct{ a, b answer }

func (f *answers) noun() string { return "answer" }

func (f *answers) compare(other Scorer, boot stats.Bootstrap) (diffs []Difference, n, onlyA, onlyB int, err error) {
	g, ok := other.(*answers)
	if !ok {
		return nil, 0, 0, 0, errOtherFamily
	}
	joined := f.join(g)
	common := make([]answer, len(joined))
	for i, p := range joined {
		if common[i] = p.a; p.a.gold != p.b.gold {
			return nil, 0, 0, 0, fmt.Errorf("the runs disagree on the right answer to %s: they are of different datasets", f.id(p.a))
		}
	}
	for _, group := range f.groupNames(common) {
		diffs = append(diffs, f.difference(group, joined, boot))
	}
	return diffs, len(joined), len(f.rows) - len(joined), len(g.rows) - len(joined), nil
}

// join pairs answers by question; both lists are sorted by it.
func (f *answers) join(g *answers) []answeredTwice {
	var out []answeredTwice
	for i, k := 0, 0; i < len(f.rows) && k < len(g.rows); {
		switch a, b := f.id(f.rows[i]), g.id(g.rows[k]); {
		case a < b:
			i++
		case a > b:
			k++
		default:
			out = append(out, answeredTwice{f.rows[i], g.rows[k]})
			i, k = i+1, k+1
		}
	}
	return out
}

func (f *answers) difference(group string, joined []answeredTwice, boot stats.Bootstrap) Difference {
	c, in, right := newClusters(3), f.in(group), new(Table2x2)
	for _, p := range joined {
		if in(p.a) && p.a.gold != "" {
			c.filled[0], c.filled[1], c.filled[2] = 1, share(p.a.right), share(p.b.right)
			c.add()
			right.count(p.a.right, p.b.right)
		}
	}
	return contrasts([]contrast{{
		Difference: Difference{Metric: GenerationAccuracy, Group: group, N: int(c.sums[0]), Table: right},
		values:     func(sums []float64) (a, b float64) { return sums[1] / sums[0], sums[2] / sums[0] },
		why:        "no question with a label is answered in both",
	}}, c, boot)[0]
}
