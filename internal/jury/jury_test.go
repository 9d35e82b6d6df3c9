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
			r.Imported = &judging.Imported{Stored: true}
		}
	})
}

func TestRules(t *testing.T) {
	one := protocoltest.PairsRun(t, "one", 3, saying("A A  A B  - -"))
	two := protocoltest.PairsRun(t, "two", 3, saying("A B  A A  B -"))
	three := protocoltest.PairsRun(t, "three", 3, saying("B B  A A  B -"))
	for _, c := range []struct {
		rule   jury.Rule
		orders bool
		want   string
		calls  int
	}{
		{jury.Majority, false, "A B A A B no-verdict", 18},
		{jury.Unanimous, false, "tie tie A tie tie no-verdict", 18},
		{jury.Majority, true, "tie tie A A B B", 18}, // of the first pair three say A and three B
		{jury.Cascade, false, "A A A A B no-verdict", 2 + 4 + 6},
	} {
		out := filepath.Join(t.TempDir(), "jury")
		_, err := jury.Make(jury.Request{Runs: []string{one, two, three}, Rule: c.rule, Orders: c.orders, Out: out, Gavel: "test"})
		assert.NilError(t, err)
		assert.Equal(t, verdicts(t, out), c.want, "%s %v", c.rule, c.orders)
		run, err := scoring.Load(out, judging.Reading{Policy: judging.Unique})
		assert.NilError(t, err)
		assert.Equal(t, run.Items, 3)
		calls := 0
		for _, member := range run.Manifest.Stages {
			calls += member.Calls
		}
		assert.Equal(t, calls, c.calls, "%s %v", c.rule, c.orders)
	}
}

// TestATieIsAVote: two judges who say tie outvote one who does not, and are not heard as silent; a draw with a tie is
// a tie.
func TestATieIsAVote(t *testing.T) {
	one := tying(t, "one", 3, saying("tie tie  tie tie  tie -"))
	two := tying(t, "two", 3, saying("tie tie  - B  tie A"))
	right := tying(t, "right", 3, saying("A A  B B  A A"))
	for _, c := range []struct {
		rule   jury.Rule
		orders bool
		want   string
	}{
		{jury.Majority, false, "tie tie tie B tie A"}, // tie, nobody and B: a draw; tie, B and B: B
		{jury.Unanimous, false, "tie tie tie tie tie tie"},
		{jury.Weighted, false, "tie tie tie B tie A"}, // without probabilities as majority
		{jury.Majority, true, "tie tie B B A A"},      // of the second pair 2 ties and 3 B, of the third 2 ties and 3 A
		{jury.Cascade, false, "A A B B A A"},          // a tie names no response: the last is asked
	} {
		out := filepath.Join(t.TempDir(), "jury")
		runs := []string{one, two, right}
		_, err := jury.Make(jury.Request{Runs: runs, Rule: c.rule, Orders: c.orders, Out: out, Gavel: "test"})
		assert.NilError(t, err)
		assert.Equal(t, verdicts(t, out), c.want, "%s %v", c.rule, c.orders)
	}
}

// TestJudgesOfTiesAreNotRightByAnother: two judges who always say tie and a perfect one score 0, and not 100.
func TestJudgesOfTiesAreNotRightByAnother(t *testing.T) {
	tie := func(int, int) string { return "tie" }
	dirs := []string{
		tying(t, "one", 20, tie), tying(t, "two", 20, tie),
		tying(t, "perfect", 20, func(item, _ int) string { return "AB"[item%2 : item%2+1] }),
	}
	o := scoring.Options{Bootstrap: stats.Default}
	out := filepath.Join(t.TempDir(), "jury")
	r, err := jury.Run(jury.Request{Runs: dirs, Rule: jury.Majority, Out: out, Gavel: "test"}, o)
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
	_, err = jury.Make(jury.Request{Runs: []string{one, other}, Rule: jury.Majority, Out: out})
	assert.ErrorContains(t, err, "labelled otherwise")
	_, err = os.Stat(out)
	assert.Assert(t, os.IsNotExist(err), "a folder was left")
}

// TestTheOrderOfRecordsIsNoMatter: the same members make the same bytes, in whatever order their calls came back.
func TestTheOrderOfRecordsIsNoMatter(t *testing.T) {
	var dirs []string
	for k, said := range []string{"A A  A B  - -  B B", "A B  A A  B -  B A", "B B  A A  B B  A A"} {
		dirs = append(dirs, protocoltest.PairsRun(t, fmt.Sprintf("judge%d", k), 4, saying(said)))
	}
	made := func() string {
		out := filepath.Join(t.TempDir(), "jury")
		_, err := jury.Make(jury.Request{Runs: dirs, Rule: jury.Majority, Out: out, Gavel: "test"})
		assert.NilError(t, err)
		records, err := os.ReadFile(filepath.Join(out, judging.RecordsFile))
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
	r, err := jury.Run(jury.Request{Runs: dirs, Rule: jury.Majority, Out: filepath.Join(t.TempDir(), "jury"), Gavel: "test"}, scoring.Options{Bootstrap: stats.Default})
	assert.NilError(t, err)
	assert.Equal(t, r.N, 7)
}
