package suite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/eval"
)

// TestSuitesThatAreNotForShards: a run that needs all items is refused with its line, before anything is asked.
func TestSuitesThatAreNotForShards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "race.yaml")
	text := "judges: [{model: coin, backend: sim}]\nconditions:\n  - protocol: pairwise\n    dataset: sample\n    until: strict>=60\n"
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	s, err := Open(path)
	assert.NilError(t, err)
	err = s.SelectShard(eval.Shard{Index: 1, Count: 8})
	assert.Assert(t, errors.Is(err, eval.ErrUsage), err)
	assert.ErrorContains(t, err, path+":5: ")
	assert.ErrorContains(t, err, "leave it out with --shard")
}
