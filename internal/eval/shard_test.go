package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestAutoReadsWhatEnginesSay: the variables are those that the engines document, and whatever makes no sense is
// refused with its name.
func TestAutoReadsWhatEnginesSay(t *testing.T) {
	for _, c := range []struct{ value, env, want string }{
		{"3/16", "SLURM_ARRAY_TASK_ID=9", "3/16"},
		{"auto", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_STEP=1", "1/8"},
		{"auto/3", "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=1", "1/3"}, // --array=2-4
		{"auto/1", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_STEP=1", "1/1"}, // --array=3
		{"auto/8", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_STEP=1", "1/8"},
		{"auto/16", "JOB_COMPLETION_INDEX=0", "1/16"},
		{"auto/16", "JOB_COMPLETION_INDEX=15", "16/16"},
		{"auto", "SKYPILOT_JOB_RANK=1 SKYPILOT_NUM_JOBS=4", "2/4"},
		{"auto", "DSTACK_NODE_RANK=0 DSTACK_NODES_NUM=3", "1/3"},
		{"auto/5", "PARALLEL_SEQ=1", "1/5"},
		{"auto/5", "PARALLEL_SEQ=5", "5/5"},

		{"auto", "", "looked for SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, SKYPILOT_JOB_RANK, DSTACK_NODE_RANK, PARALLEL_SEQ"},
		{"auto", "JOB_COMPLETION_INDEX=3", "JOB_COMPLETION_INDEX=3 does not say how many shards there are: give auto/N"},
		{"auto", "SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_ID=3 does not say how many shards there are: give auto/N"},
		{"auto/4", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8", "says that there are 8 shards, not 4"},
		{"auto", "SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=1", "is not one of the 3 tasks that begin at 1: give the array as a range"},                // --array=1,3,8
		{"auto", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_STEP=1", "a part of a longer one: give auto/1 if it is the whole array"}, // --array=3
		{"auto", "SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=1", "give auto/3 if it is the whole array"},                         // --array=2-4
		{"auto/8", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_STEP=1", "says that there are 1 shards, not 8; for a single shard give K/8"},
		{"auto", "SLURM_ARRAY_TASK_ID=9223372036854775807 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=4", "is not one of the 4 tasks"},
		{"auto", "SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=4", "SLURM_ARRAY_TASK_ID=x is not a number"},
		{"auto", "SLURM_ARRAY_TASK_ID=-1 SLURM_ARRAY_TASK_COUNT=4", "is not a number from 0"},
		{"auto/5", "PARALLEL_SEQ=6", "is not one of the 5 tasks"},
		{"auto/5", "PARALLEL_SEQ=0", "is not one of the 5 tasks"},
		{"auto/4", "SLURM_ARRAY_TASK_ID=1 PARALLEL_SEQ=2", "SLURM_ARRAY_TASK_ID and PARALLEL_SEQ are both set"},
		{"0/4", "", "expected K/N"}, {"5/4", "", "expected K/N"}, {"4", "", "expected K/N"}, {"auto/0", "", "expected K/N"}, {"a/b", "", "expected K/N"},
		{"1/100001", "", "1/100001"}, {"", "", "expected K/N"}, {"auto/", "", "expected K/N"}, {"1/x", "", "expected K/N"},
	} {
		e := &Maker{Getenv: func(name string) string {
			for pair := range strings.FieldsSeq(c.env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		}}
		p, err := e.ShardFromValue(c.value)
		got := p.String()
		if p.Try > 1 {
			got += fmt.Sprint(" try ", p.Try)
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want && !(err != nil && strings.Contains(got, c.want)) {
			t.Errorf("--shard %s with %q: %s, want %s", c.value, c.env, got, c.want)
		}
		if err == nil && c.env != "" && strings.HasPrefix(c.value, "auto") && !strings.Contains(c.env, strings.Split(p.EngineVariables, ", ")[0]) {
			t.Errorf("--shard %s with %q says that it read %q", c.value, c.env, p.EngineVariables)
		}
	}
}

// TestALaterTryTakesUpWhatIsThere: also where the try before it had not begun.
func TestALaterTryTakesUpWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	put("s_shard-1-of-2/cell/run.json", "one")
	put("s_shard-1-of-2/cell/records.jsonl", "half a li")
	put("s_shard-1-of-2/.cache/000001.vlog", "a cache is one process's")
	put("s_shard-1-of-2/cell/.lock", "")
	out := filepath.Join(dir, "s_shard-1-of-2_try-3")
	assert.NilError(t, CopyEarlierTry(out, 3))
	var files []string
	filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if name, _ := filepath.Rel(out, path); err == nil && !d.IsDir() {
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	if got := strings.Join(files, " "); got != "cell/records.jsonl cell/run.json" {
		t.Errorf("it took up %s", got)
	}
	put("s_shard-1-of-2/cell/run.json", "newer")
	assert.NilError(t, CopyEarlierTry(out, 3))
	if raw, _ := os.ReadFile(filepath.Join(out, "cell/run.json")); string(raw) != "one" {
		t.Errorf("what a try has is put in the place of another's: %s", raw)
	}
	if err := CopyEarlierTry(filepath.Join(dir, "new_try-2"), 2); err != nil {
		t.Error(err)
	}
}
