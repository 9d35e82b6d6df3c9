package pairwise

import (
	"path/filepath"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// What became of the pairs of a published judge, counted by hand from its file; and what strict is made of: how often
// verdicts are right where both orders agree, of how many pairs.
func TestWhatBecameOfPublishedPairs(t *testing.T) {
	file := judgingtest.Needs(t, o1Output)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := ImportJudgeBench(file, dir, "test"); err != nil {
		t.Fatal(err)
	}
	scoring.Register("pairwise", NewScorer)
	run, err := scoring.Load(dir, judging.Reading{Policy: judging.Unique})
	if err != nil {
		t.Fatal(err)
	}
	r := run.Score(stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1})
	all := r.BreakdownOf(scoring.Overall)
	for part, n := range map[string]int{PartRight: 203, PartWrong: 32, PartTie: 39, PartFirst: 58, PartSecond: 18, PartMissing: 0} {
		if all.Count(part) != n {
			t.Errorf("%d pairs are %s, want %d", all.Count(part), part, n)
		}
	}
	if all.N != 350 || len(r.Breakdowns) != 5 {
		t.Errorf("%d pairs in %d groups", all.N, len(r.Breakdowns))
	}
	sum := 0
	for _, b := range r.Breakdowns[1:] {
		sum += b.N
		strict := r.Result("strict", b.Group, "")
		if want := scoring.Percent(float64(b.Count(PartRight)) / float64(b.N)); *strict.Value != *want {
			t.Errorf("%s: strict is %v, the parts say %v", b.Group, *strict.Value, *want)
		}
	}
	if sum != all.N {
		t.Errorf("the groups have %d pairs of %d", sum, all.N)
	}
	right, kept := r.Overall(RightWhereAlike), r.Overall(Coverage)
	if right.N != 235 || *right.Value != *scoring.Percent(203.0 / 235) || kept.N != 350 || *kept.Value != *scoring.Percent(235.0 / 350) {
		t.Errorf("right where alike %v of %d, kept %v of %d", *right.Value, right.N, *kept.Value, kept.N)
	}
	const says = "Keep only verdicts that agree in both orders: they are right on 86 %, and 67 % of the pairs get one."
	if r.Says != says {
		t.Errorf("it says %q, want %q", r.Says, says)
	}
}
