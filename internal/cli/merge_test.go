package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
)

// TestShardsOfARunAreMerged: three tasks of an array, each with a cache of its own, come to the run that nobody split, which
// can be replayed.
func TestShardsOfARunAreMerged(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample"}
	mustCall(t, append(args, "--no-cache", "--out", "whole")...)
	calls := j.calls.Load()
	merge := []string{"merge", "merged"}
	for i := range 3 {
		t.Setenv("SLURM_ARRAY_TASK_ID", fmt.Sprint(1+i)) // --array=1-3
		t.Setenv("SLURM_ARRAY_TASK_MIN", "1")
		t.Setenv("SLURM_ARRAY_TASK_COUNT", "3")
		ends(t, 0, fmt.Sprintf("shard %d/3, by SLURM_ARRAY_TASK_ID=%d", i+1, 1+i), append(args, "--shard", "auto", "--dry-run")...)
		mustCall(t, append(args, "--shard", "auto")...)
		mustCall(t, append(args, "--shard", "auto", "--out", "named")...)
		merge = append(merge, fmt.Sprintf("named_shard-%d-of-3", i+1))
	}
	if n := j.calls.Load() - calls; n != 2*calls {
		t.Errorf("%d calls of shards with caches of their own, want twice %d", n, calls)
	}
	j.Close()
	if folders, _ := filepath.Glob("runs/*_shard-?-of-3/.cache"); len(folders) != 3 {
		t.Errorf("caches: %v", folders)
	}
	ends(t, 0, "merged: 3 shards merged", merge...)
	if read(t, "merged/results.json") != read(t, "whole/results.json") {
		t.Error("results.json is not that of the unsharded run")
	}
	if _, stderr, code := call(t, "replay", "merged", "--out", "again"); code != 0 || !strings.Contains(stderr, "the same, byte for byte") {
		t.Errorf("replay: exit status %d: %s", code, stderr)
	}
	if _, stderr, code := call(t, "merge"); code != exitUsage || !strings.Contains(stderr, "the folders of the shards are missing") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	if _, stderr, code := call(t, append(args, "--shard", "4/3")...); code != exitUsage || !strings.Contains(stderr, `--shard "4/3": expected K/N`) {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	if _, stderr, code := call(t, append(args, "--shard", "1/3", "--until", "strict>=60")...); code != exitUsage || !strings.Contains(stderr, "leave it out with --shard") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// TestShardsOfASuiteOnOllama: every shard asks with the context that its judge has in the file, though its own judgments
// may need less, and so its runs are parts of the same runs.
func TestShardsOfASuiteOnOllama(t *testing.T) {
	home(t)
	j := newJudge(t, true, answersAll)
	file := write(t, "s.yaml", fmt.Sprintf(`
name: s
judges: [{name: one, model: tiny, base-url: %q, num-ctx: 20000}]
conditions:
  - {protocol: pairwise, dataset: sample, limit: 9, prompt: [sop, direct]}
  - {protocol: self-reference, dataset: sample-number, agents: ["sim:accuracy=0.5,seed=1"], name: self}
`, j.URL))
	mustCall(t, "suite", "run", file)
	merge := []string{"merge", "merged"}
	for i := range 4 {
		mustCall(t, "suite", "run", file, "--shard", fmt.Sprintf("%d/4", i+1))
		merge = append(merge, fmt.Sprintf("runs/s_shard-%d-of-4", i+1))
	}
	mustCall(t, merge...)
	runs, err := judging.FindRuns([]string{"runs/s"}, 1, nil)
	if err != nil || len(runs) < 5 {
		t.Fatalf("%v, %v", runs, err)
	}
	for _, run := range runs {
		if at := filepath.Join("merged", filepath.Base(run)); read(t, run+"/results.json") != read(t, at+"/results.json") {
			t.Errorf("%s is not that of the unsharded suite", at)
		}
	}
	if mustCall(t, "suite", "results", "--json", file) == "" {
		t.Error("no results")
	}
	ends(t, exitUsage, "it is said on the command line", "suite", "run", write(t, "shard.yaml", "judges: [{model: coin, backend: sim}]\nconditions: [{protocol: pairwise, dataset: sample, shard: 1/2}]\n"))
	ends(t, exitUsage, "--num-ctx is missing: the context has to be that of all judgments", "run", "self-reference", "--base-url", j.URL, "--dataset", "sample-number", "--agents", "sim:accuracy=0.5,seed=1", "--shard", "1/2")
}

// TestShardsAreReplayed: a shard, of a run or of a suite, is made again from its folder alone, without
// what is missing there.
func TestShardsAreReplayed(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	file := write(t, "s.yaml", fmt.Sprintf("name: s\njudges: [{name: one, model: tiny, base-url: %q}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 5}]\n", j.URL))
	mustCall(t, "suite", "run", file, "--shard", "1/2")
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "5", "--shard", "2/2", "--out", "two")
	suites, err := filepath.Glob("runs/s_shard-1-of-2/*/run.json")
	if err != nil || len(suites) != 1 {
		t.Fatal(suites, err)
	}
	for i, run := range []string{filepath.Dir(suites[0]), "two"} {
		ends(t, 0, "the same, byte for byte", "replay", run, "--out", fmt.Sprint("again", i))
	}
	lines := strings.SplitAfter(read(t, "two/records.jsonl"), "\n")
	write(t, "two/records.jsonl", strings.Join(lines[1:], ""))
	const want = "1 of 4 judgments cannot be repeated: they failed or are missing in two (repeat its command to complete it)"
	if _, stderr, code := call(t, "replay", "two", "--out", "less"); code != 3 || !strings.Contains(stderr, want) {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}
