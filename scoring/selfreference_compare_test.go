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

// Two judges on the same answers, against the second computation.
func TestCompareSelfReference(t *testing.T) {
	for _, how := range scoring.MissingPolicies {
		a, b := world(1, 50), world(1, 50)
		other := world(2, 50)
		for i := range b { // another judge of the same answers
			b[i].own, b[i].cot, b[i].self = other[i].own, other[i].cot, other[i].self
		}
		a = a[2:]        // one agent's answer to q000 is left in A
		b = b[:len(b)-3] // q049 is only in A
		runA, runB := judgedRun(t, a...), judgedRun(t, b...)
		for _, r := range []*scoring.Run{runA, runB} {
			r.CountMissing(how)
		}
		runB.Manifest.ID = "other"
		all, err := scoring.Compare([]*scoring.Run{runA, runB}, quick)
		if err != nil {
			t.Fatal(err)
		}
		c := all.Comparisons[0]
		if c.N != 145 || c.OnlyA != 3 || c.OnlyB != 2 || c.Unit != "judgment" || all.Bootstrap.Unit != "question" || c.A.Items != 148 {
			t.Errorf("%d in both, %d and %d alone, in %s, resampled by %s, %d in A", c.N, c.OnlyA, c.OnlyB, c.Unit, all.Bootstrap.Unit, c.A.Items)
		}
		commonA, commonB := a[:145], b[2:]
		for _, mode := range bothModes {
			word := wordIn(mode)
			for _, group := range []string{scoring.Overall, "law", selfreference.AgentGroup("large")} {
				var partA, partB []judgedAnswer
				for i := range commonA {
					x, y := commonA[i], commonB[i]
					if x.item() != y.item() {
						t.Fatal(x.item(), y.item())
					}
					lost := word(x) != "C" && word(x) != "I" || word(y) != "C" && word(y) != "I"
					if lost && how == scoring.MissingDrop || group != scoring.Overall && group != x.group && group != selfreference.AgentGroup(x.agent) {
						continue
					}
					partA, partB = append(partA, x), append(partB, y)
				}
				wantA, wantB := second(partA, word, how == scoring.MissingDrop), second(partB, word, how == scoring.MissingDrop)
				for _, metric := range []string{selfreference.F1, selfreference.Accuracy, selfreference.PartialGJ} {
					if group != scoring.Overall && metric != selfreference.F1 {
						continue
					}
					d := differenceIn(t, c, metric, group, mode)
					scale := 100.0
					if metric == selfreference.PartialGJ {
						scale = 1
					}
					if math.Abs(*d.A-scale*wantA[metric]) > 1e-4 || math.Abs(*d.B-scale*wantB[metric]) > 1e-4 || math.Abs(*d.Diff-scale*(wantB[metric]-wantA[metric])) > 1e-4 || d.N != len(partA) {
						t.Errorf("%s, %s of %s (%s): %v − %v = %v of %d, want %v − %v of %d", how, metric, group, mode, *d.B, *d.A, *d.Diff, d.N, wantB[metric], wantA[metric], len(partA))
					}
					if *d.Low > *d.Diff || *d.High < *d.Diff {
						t.Errorf("%s of %s: %v is not in [%v, %v]", metric, group, *d.Diff, *d.Low, *d.High)
					}
					if d.Table != nil || metric == selfreference.Accuracy && d.Note == "" {
						t.Errorf("%s has a 2×2 table of judgments that go together: %+v", metric, d)
					}
				}
			}
		}
		own := differenceIn(t, c, scoring.GenerationAccuracy, scoring.Overall, "")
		if own.N != 49 || own.Table == nil || own.Table.Both+own.Table.OnlyA+own.Table.OnlyB+own.Table.Neither != 49 || own.P == nil || own.Holm == nil {
			t.Errorf("own answers: %+v", own)
		}
		if got := 100 * float64(own.Table.OnlyB-own.Table.OnlyA) / 49; math.Abs(got-*own.Diff) > 1e-4 {
			t.Errorf("difference %v, by the table %v", *own.Diff, got)
		}
	}
}

// With one answer a question, judgments are independent and get their test.
func TestCompareOneAgent(t *testing.T) {
	better := make([]judgedAnswer, len(eight))
	copy(better, eight)
	for i := range better {
		better[i].cot = map[bool]string{true: "C", false: "I"}[better[i].right]
	}
	a, b := judgedRun(t, eight...), judgedRun(t, better...)
	b.Manifest.ID = "other"
	all, err := scoring.Compare([]*scoring.Run{a, b}, quick)
	if err != nil {
		t.Fatal(err)
	}
	c := all.Comparisons[0]
	d := differenceIn(t, c, selfreference.Accuracy, scoring.Overall, "cot")
	if want := (scoring.Table2x2{Both: 4, OnlyB: 4}); *d.Table != want || *d.P != 0.125 || !d.Noise || *d.Diff != 50 {
		t.Errorf("accuracy: %+v, table %+v", d, d.Table)
	}
	silent := make([]judgedAnswer, len(eight)) // no verdict is right, on a wrong answer neither
	copy(silent, eight)
	for i := range silent {
		silent[i].cot = ""
	}
	quiet := judgedRun(t, silent...)
	quiet.Manifest.ID = "quiet"
	if none, err := scoring.Compare([]*scoring.Run{quiet, b}, quick); err != nil {
		t.Error(err)
	} else if d := differenceIn(t, none.Comparisons[0], selfreference.Accuracy, scoring.Overall, "cot"); *d.Table != (scoring.Table2x2{OnlyB: 8}) || *d.Diff != 100 || d.Noise {
		t.Errorf("against silence: %+v, table %+v", d, d.Table)
	}
	d = differenceIn(t, c, selfreference.PartialGJ, scoring.Overall, "cot")
	if d.Diff != nil || d.Note != "undefined: in B J has no variance: the judgments are all right" || !d.Noise {
		t.Errorf("r-gj-a: %+v", d)
	}
	d = differenceIn(t, c, selfreference.F1, scoring.Overall, "self")
	if *d.Diff != 0 || *d.Low >= 0 || *d.High <= 0 || !d.Noise {
		t.Errorf("f1: %+v", d)
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
