package merge_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/carry/merge"
	"gavel/internal/eval"
	"gavel/internal/suite"
	"gavel/judging"
)

// TestTriesWithoutLocks: where a file system has no locks and an engine does not count the tries of a task, each has a
// folder of its own, goes on with what the last one wrote, and is merged without being named.
func TestTriesWithoutLocks(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "s.yaml", []byte("name: s\njudges: [{model: \"accuracy=0.9,silent=0.1,seed=4\", backend: sim}]\nconditions:\n  - {protocol: pairwise, dataset: sample, limit: 9}\n"))
	whole, parts := shards(t, 2, "limit=9")
	locks := true
	try := func() *eval.Maker {
		e, _ := maker("JOB_COMPLETION_INDEX=1")
		e.Locks = func(string) bool { return locks }
		return e
	}
	if again := run(t, try(), "pairwise", "limit=9", "shard=auto/2"); again != parts[1] {
		t.Errorf("with locks it is in %s", again)
	}
	locks = false
	if again := run(t, try(), "pairwise", "limit=9", "shard=2/2"); again != parts[1] {
		t.Errorf("of a shard that was named it is in %s", again)
	}
	all := lines(t, parts[1])
	cutShort(t, parts[1])
	write(t, filepath.Join(parts[1], judging.RecordsFile), []byte(strings.Join(all[:3], "")))
	again := run(t, try(), "pairwise", "limit=9", "shard=auto/2")
	if !strings.HasPrefix(again, parts[1]+"_try-") || judging.WithoutShard(again) != judging.WithoutShard(parts[1]) {
		t.Fatalf("the second try is in %s", again)
	}
	if got := lines(t, again); strings.Join(got[:3], "") != strings.Join(all[:3], "") || len(got) != len(all) {
		t.Errorf("the second try has %d records, and did not go on with those of the first", len(got))
	}
	e, notes := maker()
	check(t, merge.Merge(context.Background(), e, merge.Request{Out: "merged", Shards: parts}))
	sameRun(t, whole, "merged")
	if got := notes.String(); got != again+" is taken too: a later try of a shard that is named\nmerged: 2 shards merged" {
		t.Error(got)
	}

	var named []string
	for i := range 2 {
		e, _ := maker("JOB_COMPLETION_INDEX=" + []string{"0", "1"}[i])
		e.Locks = func(string) bool { return false }
		s, err := suite.Open("s.yaml")
		check(t, err)
		p, err := e.Part("auto/2")
		check(t, err)
		check(t, s.Only(e, p))
		check(t, s.Run(context.Background(), e, false))
		named = append(named, "runs/s"+judging.ShardSuffix(i+1, 2, ""))
		if s.Out == named[i] {
			t.Errorf("a suite without locks is in %s", s.Out)
		}
	}
	check(t, merge.Merge(context.Background(), e, merge.Request{Out: "suite", Shards: named}))
	if runs, err := judging.FindRuns([]string{"suite"}, 0, nil); err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
}
