package merge_test

import (
	"context"
	"testing"

	"gavel/internal/suite"
	"gavel/judging"
)

// TestSuiteTriedAgain: each further try of a suite's shard that the engine counts has a folder of its own, and is
// merged without being named.
func TestSuiteTriedAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "s.yaml", []byte("name: s\njudges: [{model: \"accuracy=0.9,silent=0.1,seed=4\", backend: sim}]\n"+
		"conditions:\n  - {protocol: pairwise, dataset: sample, limit: 9}\n"))
	var folders []string
	for i, index := range []string{"0", "1"} {
		e, _ := maker("SLURM_ARRAY_TASK_ID="+index, "SLURM_ARRAY_TASK_COUNT=2", "SLURM_RESTART_COUNT=1")
		s, err := suite.Open("s.yaml")
		check(t, err)
		p, err := e.ShardFromValue("auto")
		check(t, err)
		check(t, s.SelectShard(p))
		check(t, s.Run(context.Background(), e, false))
		folders = append(folders, "runs/s"+judging.ShardSuffix(i+1, 2, 1))
		if s.Out != folders[i]+"_try-2" {
			t.Errorf("the second try is in %s", s.Out)
		}
	}
	e, _ := maker()
	check(t, join(e, "suite", folders))
	if runs, err := judging.FindRuns([]string{"suite"}, 0, nil); err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
}
