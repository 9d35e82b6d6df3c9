package jury_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/jury"
	"gavel/judging"
	_ "gavel/protocols"
	"gavel/protocols/protocoltest"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// verdicts are those of a run, in the order of its records.
func verdicts(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	assert.NilError(t, judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		said := r.Choice
		if said == "" {
			said = string(r.Outcome)
		}
		all = append(all, said)
		return nil
	}))
	return strings.Join(all, " ")
}

// saying is a judge of so many pairs, each in both orders.
func saying(words string) func(item, showing int) string {
	all := strings.Fields(strings.ReplaceAll(words, "-", "none"))
	return func(item, showing int) string {
		if said := all[2*item+showing]; said != "none" {
			return said
		}
		return ""
	}
}

// tying is a run of pairs by a judge who may say tie, too.
func tying(t *testing.T, name string, n int, say func(item, showing int) string) string {
	t.Helper()
	return protocoltest.PairsRun(t, name, n, say, func(item int, r *judging.Record) {
		if say(item, r.Presentation) == "tie" {
			r.Outcome = judging.Tie
			r.Imported = &judging.ImportedFields{DecisionIsVerdict: true}
		}
	})
}

// madeBy makes a jury of runs by a rule.
func madeBy(t *testing.T, rule jury.Rule, orders bool, runs ...string) (out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "jury")
	_, err := jury.Make(jury.Recipe{Runs: runs, Rule: rule, VoteAcrossOrders: orders, Out: out, Gavel: "test"})
	assert.NilError(t, err)
	return out
}

// TestRules: what juries say, and how many calls of their members that takes. Two judges who say tie outvote one who
// does not, and are not heard as silent; a draw with a tie is a tie.
func TestRules(t *testing.T) {
	var named, ties []string
	for _, said := range []string{"A A  A B  - -", "A B  A A  B -", "B B  A A  B -"} {
		named = append(named, tying(t, fmt.Sprint("judge", len(named)), 3, saying(said)))
	}
	for _, said := range []string{"tie tie  tie tie  tie -", "tie tie  - B  tie A", "A A  B B  A A"} {
		ties = append(ties, tying(t, fmt.Sprint("tying", len(ties)), 3, saying(said)))
	}
	for _, c := range []struct {
		runs   []string
		rule   jury.Rule
		orders bool
		want   string
		calls  int
	}{
		{named, jury.Majority, false, "A B A A B no-verdict", 18},
		{named, jury.Unanimous, false, "tie tie A tie tie no-verdict", 18},
		{named, jury.Majority, true, "tie tie A A B B", 18}, // of the first pair three say A and three B
		{named, jury.Cascade, false, "A A A A B no-verdict", 2 + 4 + 6},
		{ties, jury.Majority, false, "tie tie tie B tie A", 18}, // tie, nobody and B: a draw; tie, B and B: B
		{ties, jury.Unanimous, false, "tie tie tie tie tie tie", 18},
		{ties, jury.Weighted, false, "tie tie tie B tie A", 18}, // without probabilities as majority
		{ties, jury.Majority, true, "tie tie B B A A", 18},      // of the second pair 2 ties and 3 B, of the third 2 ties and 3 A
		{ties, jury.Cascade, false, "A A B B A A", 18},          // a tie names no response: the last is asked
	} {
		out := madeBy(t, c.rule, c.orders, c.runs...)
		assert.Equal(t, verdicts(t, out), c.want, "%s %v", c.rule, c.orders)
		run, err := scoring.Load(out, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		assert.NilError(t, err)
		assert.Equal(t, run.Items, 3)
		calls := 0
		for _, member := range run.Manifest.Stages {
			calls += member.UsedJudgments
		}
		assert.Equal(t, calls, c.calls, "%s %v", c.rule, c.orders)
	}
}

// TestJudgesOfTiesAreNotRightByAnother: two judges who always say tie and a perfect one score 0, and not 100.
func TestJudgesOfTiesAreNotRightByAnother(t *testing.T) {
	tie := func(int, int) string { return "tie" }
	dirs := []string{
		tying(t, "one", 20, tie), tying(t, "two", 20, tie),
		tying(t, "perfect", 20, func(item, _ int) string { return "AB"[item%2 : item%2+1] }),
	}
	o := scoring.Options{Bootstrap: stats.DefaultBootstrap}
	out := filepath.Join(t.TempDir(), "jury")
	r, err := jury.MakeAndEvaluate(jury.Recipe{Runs: dirs, Rule: jury.Majority, Out: out, Gavel: "test"}, o)
	assert.NilError(t, err)
	assert.Equal(t, r.Metric, "strict")
	assert.Equal(t, *r.Value.Value, 0.0)
}

func TestNoJury(t *testing.T) {
	one := protocoltest.PairsRun(t, "one", 2, saying("A A A A"))
	other := protocoltest.PairsRun(t, "other", 2, func(int, int) string { return "A" })
	raw, err := os.ReadFile(filepath.Join(other, judging.RecordsFile))
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(filepath.Join(other, judging.RecordsFile), []byte(strings.ReplaceAll(string(raw), `"gold":"A"`, `"gold":"B"`)), 0o644))
	out := filepath.Join(t.TempDir(), "jury")
	_, err = jury.Make(jury.Recipe{Runs: []string{one, other}, Rule: jury.Majority, Out: out})
	assert.ErrorContains(t, err, "labelled otherwise")
	_, err = os.Stat(out)
	assert.Assert(t, os.IsNotExist(err), "a folder was left")
	three := protocoltest.PairsRun(t, "three", 3, saying("A A A A A A"))
	leftOut, err := jury.Make(jury.Recipe{Runs: []string{three, one}, Rule: jury.Majority, Out: out})
	assert.NilError(t, err)
	assert.Equal(t, leftOut, 2) // the other member has not judged the third pair
}

// TestTheOrderOfRecordsIsNoMatter: the same members make the same bytes, in whatever order their calls came back.
func TestTheOrderOfRecordsIsNoMatter(t *testing.T) {
	var dirs []string
	for k, said := range []string{"A A  A B  - -  B B", "A B  A A  B -  B A", "B B  A A  B B  A A"} {
		dirs = append(dirs, protocoltest.PairsRun(t, fmt.Sprintf("judge%d", k), 4, saying(said)))
	}
	made := func() string {
		records, err := os.ReadFile(filepath.Join(madeBy(t, jury.Majority, false, dirs...), judging.RecordsFile))
		assert.NilError(t, err)
		return string(records)
	}
	before := made()
	for _, dir := range dirs {
		path := filepath.Join(dir, judging.RecordsFile)
		raw, err := os.ReadFile(path)
		assert.NilError(t, err)
		lines := strings.SplitAfter(strings.TrimSuffix(string(raw), "\n")+"\n", "\n")
		slices.Reverse(lines)
		assert.NilError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
	}
	assert.Equal(t, made(), before)
}

// TestItemsThatAreNotWhole: what lacks an order says nothing about strict, so it is not counted.
func TestItemsThatAreNotWhole(t *testing.T) {
	var dirs []string
	for k := range 3 {
		dir := protocoltest.PairsRun(t, fmt.Sprintf("judge%d", k), 8, func(item, _ int) string { return "AB"[item%2 : item%2+1] })
		path := filepath.Join(dir, judging.RecordsFile)
		raw, err := os.ReadFile(path)
		assert.NilError(t, err)
		lines := strings.SplitAfter(string(raw), "\n")
		assert.NilError(t, os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-2], "")), 0o644)) // p008 keeps one of two
		dirs = append(dirs, dir)
	}
	r, err := jury.MakeAndEvaluate(jury.Recipe{Runs: dirs, Rule: jury.Majority, Out: filepath.Join(t.TempDir(), "jury"), Gavel: "test"}, scoring.Options{Bootstrap: stats.DefaultBootstrap})
	assert.NilError(t, err)
	assert.Equal(t, r.N, 7)
}
