package suite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/internal/eval"
)

// TestSuitesThatAreNotForShards: what every shard would refuse is refused before a job is written.
func TestSuitesThatAreNotForShards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "race.yaml")
	file := func(more string) *Suite {
		t.Helper()
		text := "judges: [{model: coin, backend: sim}]\nconditions:\n  - protocol: pairwise\n    dataset: sample\n" + more
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
		s, err := Open(path)
		assert.NilError(t, err)
		return s
	}
	for _, c := range []struct {
		more  string
		tasks int
		each  time.Duration
		want  string
	}{
		{"", 8, time.Hour, ""},
		{"    until: strict>=60\n", 8, time.Hour, path + ":5: "},
		{"    until: strict>=60\n", 8, time.Hour, "leave it out with --shard"},
		{"", 0, 0, "--tasks is from 1 to 100000"},
		{"", 100_001, 0, "--tasks is from 1 to 100000"},
		{"", 8, 0, "--time more than 0"},
	} {
		err := file(c.more).InShards(c.tasks, c.each)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, eval.ErrUsage) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q in %d: %v, want %q", c.more, c.tasks, err, c.want)
		}
	}
}
