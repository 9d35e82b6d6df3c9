package scoring

import (
	"cmp"
	"fmt"
	"math"

	"gavel/scoring/stats"
)

// TestMargin tests for every two runs whether their headlines are the same within a margin, in points: whether the 90 %
// score interval of the difference lies within it. If not, they are different if McNemar's exact test is significant at
// 5 %. Before the end of a run, both are replaced by methods that are valid at every look.
func (c *Comparisons) TestMargin(points float64) error {
	for _, comparison := range c.Comparisons {
		w, err := comparison.testMargin(points / 100)
		if err != nil {
			return err
		}
		comparison.MarginTest = w
		comparison.describe()
	}
	return nil
}

// testMargin tests whether the headlines of both runs are the same within a margin, a share from 0 to 1. It returns
// an error if the headline is not right or wrong unit by unit.
func (c *Comparison) testMargin(margin float64) (*MarginTest, error) {
	d := c.HeadlineDifference()
	if d == nil || d.Table == nil {
		return nil, fmt.Errorf("%s and %s: a margin needs a headline that is right or wrong item by item, "+
			"as for pairs and answers", c.A.Run, c.B.Run)
	}
	t := d.Table
	n := t.N()
	iv := bounds{Interval: stats.Tango(t.OnlyB, t.OnlyA, n, 1-2*planAlpha), method: IntervalByTango}
	p := stats.McNemar(t.OnlyA, t.OnlyB)
	if d.sequentialInterval != nil {
		iv = *d.sequentialInterval
		p = *cmp.Or(d.P, new(1.0))
	}
	w := &MarginTest{
		Metric:           d.Metric,
		Points:           *rounded(100*margin, 4),
		Verdict:          MarginInconclusive,
		N:                n,
		RightToWrong:     t.OnlyA,
		WrongToRight:     t.OnlyB,
		ChangedWithOrder: c.ChangedWithOrder,
		BMinusA:          Percent(float64(t.OnlyB-t.OnlyA) / float64(n)),
		Low:              Percent(iv.Low),
		High:             Percent(iv.High),
		IntervalMethod:   iv.method,
	}
	switch {
	case iv.Low > -margin && iv.High < margin:
		w.Verdict = WithinMargin
	case p < planAlpha:
		w.Verdict = MarginDifferent
	default:
		discordant := float64(t.OnlyA+t.OnlyB+1) / float64(n+2)
		w.PairsNeeded = new(int(math.Ceil(stats.PairsToEquate(margin, discordant, planAlpha, planPower))))
	}
	return w, nil
}
