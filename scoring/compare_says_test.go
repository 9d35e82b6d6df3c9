package scoring

import (
	"strings"
	"testing"
)

// compared is a comparison of two judges of pairs by made-up counts.
func compared(t Table2x2, change func(c *Comparison, d *Difference)) *Comparison {
	d := *ConsistentDifference("strict", Overall, t)
	c := &Comparison{
		A:              Side{Run: "r/a", ID: "1", RunSetup: RunSetup{Model: "org/ann", Prompt: "sop"}},
		B:              Side{Run: "r/b", ID: "2", RunSetup: RunSetup{Model: "bob", Prompt: "sop"}},
		N:              d.N,
		headlineMetric: Metric{Name: "strict", Term: Term{Label: "correct in both orders", Direction: Higher}},
	}
	if change != nil {
		change(c, &d)
	}
	c.Differences = []Difference{{Metric: "strict", Group: "Math"}, d}
	c.describe()
	return c
}

// TestComparisonSays: every branch of the first line, over made-up numbers.
func TestComparisonSays(t *testing.T) {
	close := Table2x2{Both: 40, OnlyA: 12, OnlyB: 10, Neither: 38}
	apart := Table2x2{Both: 40, OnlyA: 5, OnlyB: 35, Neither: 20}
	for _, c := range []struct {
		name   string
		table  Table2x2
		change func(c *Comparison, d *Difference)
		want   string
	}{
		{name: "B is better", table: apart, want: "bob is better by 30 points [18, 40]: correct in both orders on 45 % and 75 % of the same 100 pairs."},
		{name: "A is better", table: Table2x2{Both: 40, OnlyA: 35, OnlyB: 5, Neither: 20},
			want: "ann is better by 30 points [18, 40]: correct in both orders on 75 % and 45 % of the same 100 pairs."},
		{name: "too close", table: close, want: "No significant difference: correct in both orders on 52 % and 50 % of the same 100 pairs. About 4,410 pairs are needed to separate them."},
		{name: "no difference", table: Table2x2{Both: 10}, want: "No significant difference: correct in both orders on 100 % and 100 % of the same 10 pairs."},
		{name: "the same run", table: close, change: func(c *Comparison, _ *Difference) { c.B.ID = "1" }, want: "Both are the same run."},
		{name: "neither gives a verdict", table: Table2x2{Neither: 10},
			change: func(c *Comparison, _ *Difference) { c.A.lacksVerdicts, c.B.lacksVerdicts = true, true },
			want:   "Nothing to compare: neither judge gives a verdict."},
		{name: "one gives no verdict", table: Table2x2{Neither: 10},
			change: func(c *Comparison, _ *Difference) { c.B.lacksVerdicts = true },
			want:   "Nothing to compare: bob gives no verdict."},
		{name: "no value", table: close, change: func(_ *Comparison, d *Difference) { d.BMinusA = nil },
			want: "The runs cannot be compared: one of them has no value of the headline metric."},
		{name: "no test", table: close, change: func(_ *Comparison, d *Difference) { d.P = nil },
			want: "No significance test for this difference: correct in both orders on 52 % and 50 % of the same 100 pairs."},
		{name: "the noise floor", table: apart, change: func(_ *Comparison, d *Difference) { d.Floor, d.NotSignificant = new(35.0), true },
			want: "No significant difference: correct in both orders on 45 % and 75 % of the same 100 pairs, and repeating one of the runs changes it by as much."},
		{name: "not at its end", table: close, change: func(_ *Comparison, d *Difference) { d.Test = eValueTest },
			want: "No significant difference: correct in both orders on 52 % and 50 % of the same 100 pairs."},
		{name: "within the margin", table: close, change: func(c *Comparison, _ *Difference) {
			c.MarginTest = &MarginTest{Verdict: WithinMargin, Points: 15}
		}, want: "The same within 15 points: correct in both orders on 52 % and 50 % of the same 100 pairs."},
		{name: "within it, by the place", table: close, change: func(c *Comparison, _ *Difference) {
			c.MarginTest = &MarginTest{Verdict: WithinMargin, Points: 15, ChangedWithOrder: &[2]int{51, 99}}
		}, want: "of the same 100 pairs. But both judges change most verdicts with the order, on 51 and 99 of 100 pairs: equal scores say little here."},
		{name: "not surely within it", table: close, change: func(c *Comparison, _ *Difference) {
			c.MarginTest = &MarginTest{Verdict: MarginInconclusive, Points: 2, PairsNeeded: new(4021)}
		}, want: "are needed to separate them. About 4,030 pairs are needed to show that they are the same within 2 points, if they are."},
		{name: "where each agrees with itself", table: close, change: func(c *Comparison, _ *Difference) { c.WhenConsistent = ConsistentDifference("x", Overall, apart) },
			want: "But on the 100 pairs where both judges are consistent, bob is correct 30 points more often [18, 40]."},
		{name: "there, too", table: apart, change: func(c *Comparison, _ *Difference) { c.WhenConsistent = ConsistentDifference("x", Overall, apart) },
			want: "75 % of the same 100 pairs. On the 100 pairs where both judges are consistent, bob is correct"},
		{name: "not there", table: apart, change: func(c *Comparison, _ *Difference) { c.WhenConsistent = ConsistentDifference("x", Overall, close) },
			want: "On the 100 pairs where both judges are consistent: no significant difference."},
		{name: "a score", table: apart, change: func(c *Comparison, d *Difference) {
			d.Unit, c.Unit, c.headlineMetric.Term = UnitScore, "item", Term{Label: "Grade score"}
			d.A, d.B, d.BMinusA, d.Low, d.High = new(0.4), new(0.7), new(0.3), new(0.1), new(0.5)
		}, want: "bob is higher by 0.30 [0.10, 0.50]: Grade score 0.40 and 0.70 on the same 100 items."},
	} {
		if got := compared(c.table, c.change).Says; !strings.HasSuffix(got, c.want) && !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	half := compared(close, func(c *Comparison, _ *Difference) {
		c.MarginTest = &MarginTest{Verdict: WithinMargin, Points: 15, ChangedWithOrder: &[2]int{50, 99}}
	})
	if strings.Contains(half.Says, "little") {
		t.Errorf("where one of the two reads: %q", half.Says)
	}
	none := &Comparison{headlineMetric: Metric{Name: "strict"}}
	if none.describe(); none.Says == "" {
		t.Error("nothing is said of a comparison without a number")
	}
	if ConsistentDifference("x", Overall, Table2x2{}) != nil {
		t.Error("a comparison of no pair")
	}
}

// TestNamesOfTwo: what differs between two runs of one model is part of their names.
func TestNamesOfTwo(t *testing.T) {
	for _, c := range []struct {
		a, b Side
		want [2]string
	}{
		{a: Side{RunSetup: RunSetup{Model: "org/x"}}, b: Side{RunSetup: RunSetup{Model: "y"}}, want: [2]string{"x", "y"}},
		{a: Side{RunSetup: RunSetup{Model: "org/x"}}, b: Side{RunSetup: RunSetup{Model: "other/x"}}, want: [2]string{"x (org/x)", "x (other/x)"}},
		{a: Side{RunSetup: RunSetup{Model: "x", Prompt: "sop"}}, b: Side{RunSetup: RunSetup{Model: "x", Prompt: "cot"}}, want: [2]string{"x (prompt sop)", "x (prompt cot)"}},
		{a: Side{RunSetup: RunSetup{Model: "x"}, Run: "1"}, b: Side{RunSetup: RunSetup{Model: "x"}, Run: "2"}, want: [2]string{"x (1)", "x (2)"}},
	} {
		if got := [2]string(DisplayNames([]Side{c.a, c.b})); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
