package scoring_test

import (
	"math"
	"testing"

	"gavel/judging"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// differenceIn finds a difference of a comparison.
func differenceIn(t *testing.T, c *scoring.Comparison, metric, group, mode string) scoring.Difference {
	t.Helper()
	for _, d := range c.Differences {
		if d.Metric == metric && d.Group == group && d.Mode == mode {
			return d
		}
	}
	t.Fatalf("no difference of %s in %s, mode %q, among %d", metric, group, mode, len(c.Differences))
	return scoring.Difference{}
}

// Two judges on the same answers: the values of each are those of its own report on the answers that both judged, where
// judgments without a verdict are left out those of which neither lacks one.
func TestCompareSelfReference(t *testing.T) {
	for _, how := range []scoring.MissingPolicy{scoring.MissingWrong, scoring.MissingDrop} {
		a, b := world(1, 50), world(1, 50)
		other := world(2, 50)
		for i := range b { // another judge of the same answers
			b[i].own, b[i].cot, b[i].self = other[i].own, other[i].cot, other[i].self
		}
		common := len(a) - 5
		runA, runB := judgedRun(t, a[2:]...), judgedRun(t, b[:len(b)-3]...)
		runA.SetMissingPolicy(how)
		runB.SetMissingPolicy(how)
		all := compare(t, quick, runA, runB)
		c := all.Comparisons[0]
		if c.N != common || c.UnitsOnlyInA != 3 || c.UnitsOnlyInB != 2 || c.Unit != "judgment" || all.Bootstrap.Unit != "question" || c.A.Items != common+3 {
			t.Errorf("%d in both, %d and %d alone, in %s, resampled by %s, %d in A", c.N, c.UnitsOnlyInA, c.UnitsOnlyInB, c.Unit, all.Bootstrap.Unit, c.A.Items)
		}
		for _, mode := range bothModes {
			word := wordIn(mode)
			var parts [2][]judgedAnswer
			for i := 2; i < 2+common; i++ {
				if how == scoring.MissingWrong || len(word(a[i])) == 1 && len(word(b[i])) == 1 {
					parts[0], parts[1] = append(parts[0], a[i]), append(parts[1], b[i])
				}
			}
			var alone [2]scoring.Report
			for side, part := range parts {
				run := judgedRun(t, part...)
				run.SetMissingPolicy(how)
				alone[side] = run.Score(quick)
			}
			for _, d := range c.Differences {
				if d.Mode != mode {
					continue
				}
				x, y := alone[0].Result(d.Metric, d.Group, mode), alone[1].Result(d.Metric, d.Group, mode)
				if number(d.A) != number(x.Value) || number(d.B) != number(y.Value) || math.Abs(*d.BMinusA-(*d.B-*d.A)) > 2e-4 {
					t.Errorf("%s, %s of %s (%s): %v − %v = %v, want %s and %s", how, d.Metric, d.Group, mode, number(d.B), number(d.A), number(d.BMinusA), show(x), show(y))
				}
				if *d.Low > *d.BMinusA || *d.High < *d.BMinusA || d.Table != nil || d.Metric == selfreference.Accuracy && d.Note == "" {
					t.Errorf("%s of %s: not within its interval, or a 2×2 table of judgments that go together: %+v", d.Metric, d.Group, d)
				}
			}
		}
		own := differenceIn(t, c, scoring.GenerationAccuracy, scoring.Overall, "")
		if own.N != 49 || own.Table == nil || own.Table.N() != 49 || own.P == nil || own.Holm == nil {
			t.Errorf("own answers: %+v", own)
		}
	}
}

func TestCompareSelfReferenceRefuses(t *testing.T) {
	run := judgedRun(t, eight...)
	other := eight[0]
	other.right = false
	one := judgedRun(t, judgedAnswer{question: "elsewhere", own: true, right: true, cot: "C", self: "C"})
	answered := gather(t, manifestOf("answer", 1), []*judging.Record{choice("q1", "", "A", "The answer is (A)", 4)})
	for name, b := range map[string]*scoring.Run{"another answer": judgedRun(t, other), "nothing in common": one, "another family": answered} {
		for _, pair := range [][]*scoring.Run{{run, b}, {b, run}} {
			if _, err := scoring.Compare(pair, quick); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
}
