package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gavel/judging"
)

// These tests make a suite in shards with the engines themselves: Slurm, which scripts/slurm.sh runs, and GNU parallel.
//
//	eval "$(scripts/servers.sh start llama)"; eval "$(scripts/slurm.sh start)"
//	go test ./internal/cli -run ServersShards -count=1 -v

const shardsOfServers = 8

// shardedSuite is a suite over llama.cpp and a scripted server, beside one that nobody disturbed. While hold is set, the
// scripted server answers to no choice among options, which every shard asks for last. gavel is in the PATH.
func shardedSuite(t *testing.T) (file string, stub *judge, hold *atomic.Bool) {
	t.Helper()
	llama := os.Getenv("GAVEL_LLAMA_URL")
	if llama == "" {
		t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
	}
	dir := home(t)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(dir, "gavel")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	hold = new(atomic.Bool)
	stub = newJudge(t, false, func(n int64, user string) (int, string) {
		for hold.Load() && strings.Contains(user, "[Option 2]") {
			time.Sleep(10 * time.Millisecond)
		}
		return answersAll(n, user)
	})
	write := func(name string, concurrency int) string {
		return write(t, name+".yaml", fmt.Sprintf(`
name: %s
defaults: {concurrency: %d, max-tokens: 24}
judges:
  - {name: stub, model: tiny, base-url: %s}
  - {name: llama, model: tiny, base-url: %s}
conditions:
  - {protocol: pairwise, dataset: sample, prompt: direct, limit: 16}
  - {protocol: self-reference, dataset: sample-choice, sample: 2, agents: ["sim:accuracy=0.5,seed=1"], name: self}
  - {protocol: multi-option, dataset: sample-options, limit: 8}
`, name, concurrency, stub.URL, llama))
	}
	mustCall(t, "suite", "run", "--json", write("undisturbed", 8))
	return write("s", 1), stub, hold
}

// merged holds runs/s to the undisturbed suite.
func merged(t *testing.T) {
	t.Helper()
	runs, err := judging.FindRuns([]string{"runs/undisturbed"}, 1, nil)
	if err != nil || len(runs) < 8 {
		t.Fatalf("%v, %v", runs, err)
	}
	for _, run := range runs {
		if folder := filepath.Join("runs/s", filepath.Base(run)); read(t, run+"/results.json") != read(t, folder+"/results.json") || read(t, run+"/items.jsonl") != read(t, folder+"/items.jsonl") {
			t.Errorf("%s is not that of the undisturbed suite", folder)
		}
	}
	t.Logf("%d runs are equal to the undisturbed ones", len(runs))
}

// TestServersShardsOnSlurm: an array of eight by the script of docs/examples. Two tasks are killed with -9 and requeued, a
// third is requeued while it runs, slurmctld is killed and started again, and the dependent job merges all.
func TestServersShardsOnSlurm(t *testing.T) {
	if os.Getenv("SLURM_CONF") == "" {
		t.Skip("SLURM_CONF is not set: run scripts/slurm.sh start")
	}
	file, stub, hold := shardedSuite(t)
	does := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	eventually := func(name string, condition func() bool) {
		t.Helper()
		for end := time.Now().Add(4 * time.Minute); !condition(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				logs, _ := exec.Command("sh", "-c", "squeue -a; tail -n 5 *.log").CombinedOutput()
				t.Fatalf("%s: never\n%s", name, logs)
			}
		}
	}
	slurm := func(args string) {
		cmd := exec.Command(filepath.Join(sourceDir, "../../scripts/slurm.sh"), args)
		cmd.Env = append(os.Environ(), "SLURM_DIR="+filepath.Dir(os.Getenv("SLURM_CONF")))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("slurm.sh %s: %v\n%s", args, err, out)
		}
	}
	job := read(t, filepath.Join(sourceDir, "../../docs/examples/slurm.sh"))
	job = strings.NewReplacer("suite=suite.yaml", "suite="+file, "out=runs/suite", "out=runs/s", "tasks=8", "tasks="+strconv.Itoa(shardsOfServers)).Replace(job)
	write(t, "job.sh", job)
	before := stub.calls.Load()
	hold.Store(true)
	array := regexp.MustCompile(`array (\d+)`).FindStringSubmatch(does("bash", "job.sh"))[1]
	for _, task := range []string{"3", "5", "6"} {
		eventually("task "+task+" waits for a choice", func() bool {
			_, err := os.Stat("runs/s_shard-" + task + "-of-8/stub_multi-option_sample-options_1_limit-8/run.json")
			return err == nil && gavelOf(array, task) > 0
		})
	}
	for _, task := range []string{"3", "5"} { // the task ends with gavel
		p, err := os.FindProcess(gavelOf(array, task))
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		eventually("task "+task+" has failed", func() bool {
			return strings.Contains(does("scontrol", "show", "job", array+"_"+task), "JobState=FAILED")
		})
		does("scontrol", "requeue", array+"_"+task)
	}
	// Slurm kills what it requeues while it runs, and says how often it did: that try has another folder.
	does("scontrol", "requeue", array+"_6")
	requeued := time.Now()
	eventually("slurmctld has written down what it was told", func() bool {
		info, err := os.Stat(filepath.Join(filepath.Dir(os.Getenv("SLURM_CONF")), "state/job_state"))
		return err == nil && info.ModTime().After(requeued)
	})
	slurm("crash")
	slurm("start")
	hold.Store(false)
	eventually("the shards are merged", func() bool { _, err := os.Stat("runs/s"); return err == nil })
	merged(t)
	if _, err := os.Stat("runs/s_shard-6-of-8_try-2/suite.json"); err != nil {
		t.Errorf("the second try of task 6: %v", err)
	}
	for task, again := range map[string]string{"3": "shard 3/8 in runs/s_shard-3-of-8, by ", "5": "shard 5/8 in runs/s_shard-5-of-8, by ", "6": "shard 6/8 in runs/s_shard-6-of-8_try-2, by "} {
		log := read(t, "gavel-"+task+".log")
		t.Logf("task %s:\n%s", task, log)
		if strings.Count(log, "shard "+task+"/8 in") != 2 || !strings.Contains(log, again) {
			t.Errorf("the log of task %s is not of both tries:\n%s", task, log)
		}
	}
	t.Logf("the merge:\n%s", read(t, "gavel-merge.log"))
	t.Logf("%d calls of the array, %d of the undisturbed suite", stub.calls.Load()-before, before)
}

// gavelOf is the process of gavel in a task of an array; 0 where there is none.
func gavelOf(array, task string) int {
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range processes {
		raw, _ := os.ReadFile(path)
		env := "\x00" + string(raw)
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if strings.Contains(env, "\x00SLURM_ARRAY_JOB_ID="+array+"\x00") && strings.Contains(env, "\x00SLURM_ARRAY_TASK_ID="+task+"\x00") && strings.HasPrefix(string(command), "gavel\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}
