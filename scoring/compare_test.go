package scoring_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"gavel/internal/codec"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// judged is a run of n pairs, labelled A, of which those that right names are
// right in both judgments and the others wrong in both.
func judged(name string, n int, right func(i int) bool) *scoring.Run {
	return named(name, halves(n, right)...)
}

func halves(n int, right func(i int) bool) (units []twoJudgments) {
	for i := range n {
		judgment := "B"
		if right(i + 1) {
			judgment = "A"
		}
		group := []string{"Math", "Coding"}[i%2]
		units = append(units, unit(fmt.Sprintf("p%03d", i+1), group, "A", judgment, judgment))
	}
	return units
}

func named(name string, units ...twoJudgments) *scoring.Run {
	run := runOf(units...)
	run.Dir, run.Manifest.Spec.Model.Name = name, name
	run.Manifest.ID = name
	return run
}

func upTo(k int) func(int) bool { return func(i int) bool { return i <= k } }

func compare(t *testing.T, b stats.Bootstrap, runs ...*scoring.Run) *scoring.Comparisons {
	t.Helper()
	c, err := scoring.Compare(runs, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func differenceOf(t *testing.T, c *scoring.Comparison, metric, group string) scoring.Difference {
	t.Helper()
	for _, d := range c.Differences {
		if d.Metric == metric && d.Group == group {
			return d
		}
	}
	t.Fatalf("no difference of %s, %s", metric, group)
	return scoring.Difference{}
}

func is(p *float64, want float64) bool { return p != nil && math.Abs(*p-want) < 1e-9 }

func number(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

// Three runs of twenty pairs: a right on all, b on eight, c on fourteen of them.
//
//	a, b: 12 alone against 0: p = 2 · 2⁻¹² = 0.000488, of strict, counter, half-tie and drop
//	a, c:  6 alone against 0: p = 2 · 2⁻⁶  = 0.03125, likewise
//	b, c:  0 against 6 alone: p =            0.03125, likewise
//
// All differ in nothing but that. Holm's correction is over all tests of the three comparisons, whatever
// metrics there are.
func TestHolmOverThreeComparisons(t *testing.T) {
	all := compare(t, stats.DefaultBootstrap, judged("a", 20, upTo(20)), judged("b", 20, upTo(8)), judged("c", 20, upTo(14)))
	for i, want := range []struct {
		a, b  string
		p     float64
		noise bool
	}{{"a", "b", 2.0 / 4096, false}, {"a", "c", 0.03125, true}, {"b", "c", 0.03125, true}} {
		c := all.Comparisons[i]
		d := differenceOf(t, c, "strict", scoring.Overall)
		if c.A.Run != want.a || c.B.Run != want.b || !is(d.P, want.p) || d.NotSignificant != want.noise {
			t.Errorf("%s, %s: p %v, Holm %v, may be noise %v; want %+v", c.A.Run, c.B.Run, number(d.P), number(d.Holm), d.NotSignificant, want)
		}
		if *d.Low <= 0 && *d.High >= 0 {
			t.Errorf("%s, %s: the interval [%v, %v] holds 0", c.A.Run, c.B.Run, *d.Low, *d.High)
		}
	}
	var p, holm, byGroup []float64
	for _, c := range all.Comparisons {
		for _, d := range c.Differences {
			if d.P == nil {
				continue
			}
			p, holm = append(p, *d.P), append(holm, *d.Holm)
			if d.Metric == "strict" && d.Group != scoring.Overall {
				byGroup = append(byGroup, *d.P)
			}
		}
	}
	if want := fmt.Sprintf("all %d differences of 3 comparisons", len(p)); all.FamilyText != want {
		t.Errorf("family %q, want %q", all.FamilyText, want)
	}
	for i, want := range stats.Holm(p) {
		if math.Abs(holm[i]-want) > 1e-9 {
			t.Errorf("p %v of %d is corrected to %v, want %v", p[i], len(p), holm[i], want)
		}
	}
	// by group, in the order of all comparisons: ten pairs each; p = 2 · 2⁻⁶, twice, and 2 · 2⁻³ = 0.25,
	// four times
	if !slices.Equal(byGroup, []float64{0.03125, 0.03125, 0.25, 0.25, 0.25, 0.25}) {
		t.Errorf("by group: %v", byGroup)
	}
}

// What is paired is resampled paired: eight more of the same pairs is a sure difference, though each share alone is
// known to ±10. As one of seven or more in a table it may be noise all the same.
func TestDifferenceIsPaired(t *testing.T) {
	all := compare(t, stats.DefaultBootstrap, judged("a", 100, upTo(50)), judged("b", 100, upTo(58)))
	d := differenceOf(t, all.Comparisons[0], "strict", scoring.Overall)
	if *d.Low < 1 || *d.High > 15 || !is(d.P, 2.0/256) || *d.Holm < 7*2.0/256 || !d.NotSignificant { // 2 · 2⁻⁸
		t.Errorf("[%v, %v], p %v", *d.Low, *d.High, number(d.P))
	}
}

func TestCompareRefuses(t *testing.T) {
	a := judged("runs/a", 4, upTo(4))
	others, turns := halves(4, upTo(4)), halves(4, upTo(4))
	for i := range others {
		others[i].id += "x"
	}
	turns[2].gold = "B"
	other, turned := named("runs/b", others...), named("runs/c", turns...)
	other.Manifest.Dataset.Name = "others"
	for _, c := range []struct {
		name  string
		other *scoring.Run
		err   string
	}{
		{"no pair in common", other, "runs/a and runs/b have no pair in common (datasets pairs and others)"},
		{"another label", turned, "runs/a and runs/c have different labels for p003"},
	} {
		if _, err := scoring.Compare([]*scoring.Run{a, c.other}, quick); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		}
	}
}

func TestCompareWarns(t *testing.T) {
	a, b := judged("a", 30, upTo(3)), judged("b", 30, upTo(3))
	if w := compare(t, quick, a, b).Comparisons[0].Warnings; len(w) != 0 {
		t.Errorf("%q", w)
	}
	b.Manifest.Simulated = true
	if w := compare(t, quick, a, b).Comparisons[0].Warnings; len(w) != 1 || !strings.HasPrefix(w[0], "simulated judge") {
		t.Errorf("%q", w)
	}
	c := compare(t, quick, a, a).Comparisons[0]
	if !slices.Contains(c.Warnings, "both are the same run") {
		t.Errorf("%q", c.Warnings)
	}
	if d := differenceOf(t, c, "strict", scoring.Overall); !is(d.BMinusA, 0) || !is(d.P, 1) || !d.NotSignificant {
		t.Errorf("a run and itself: %+v", d)
	}
}

// Resampling has nothing to draw from where all are alike, and must not pass
// that off as certainty.
func TestEnsembleOfAlike(t *testing.T) {
	better, worse := judged("a", 10, upTo(10)), judged("a", 10, upTo(10))
	worse.Manifest.Spec.Goal = "worse"
	e := compare(t, stats.DefaultBootstrap, better, worse).Comparisons[0].Ensemble
	for _, r := range []scoring.Result{e.Coverage, e.Strict} { // exact, 10 of 10
		if !is(r.Value, 100) || !is(r.Low, 71.7065) || !is(r.High, 100) || r.IntervalMethod != scoring.IntervalByBlaker {
			t.Errorf("%s", show(r))
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	a := judged("runs/a", 10, upTo(5))
	b := judged("runs/b", 11, func(i int) bool { return i <= 3 || i >= 6 && i <= 9 })
	b.Manifest.Spec.Model, b.Manifest.Spec.Goal, b.Manifest.Spec.Protocol = a.Manifest.Spec.Model, "worse", "reversed"
	var first, again bytes.Buffer
	for _, buf := range []*bytes.Buffer{&first, &again} {
		if err := codec.WriteIndented(buf, compare(t, stats.DefaultBootstrap, a, b)); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != again.String() {
		t.Error("the same runs gave other bytes")
	}
	golden.AssertBytes(t, first.Bytes(), "compare.json")
}

// TestByCluster: the rows of one cluster are added up, in the order in which clusters come.
func TestByCluster(t *testing.T) {
	of := func(id, cluster string) scoring.SharedUnit {
		return scoring.SharedUnit{A: scoring.Unit{ID: id, Cluster: cluster}}
	}
	rows := scoring.ClusterSums([]scoring.SharedUnit{of("1", "q"), of("2", ""), of("3", "r"), of("4", "q"), of("5", "")}, func(j scoring.SharedUnit) []float64 {
		n, _ := strconv.Atoi(j.A.ID)
		return []float64{float64(n), 1}
	})
	assert.DeepEqual(t, rows, [][]float64{{5, 2}, {2, 1}, {3, 1}, {5, 1}})
}
