package cli

import (
	"encoding/json"
	"fmt"
	"gavel/internal/trials"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// TestRunAgain: both wire formats, both goals; the same command again asks
// nothing, and another folder is filled from the cache to the same bytes.
func TestRunAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ollama bool
	}{{"openai", false}, {"ollama", true}} {
		t.Run(tt.name, func(t *testing.T) {
			home(t)
			j := newJudge(t, tt.ollama, prefersLonger)
			for _, protocol := range []string{"pairwise", "reversed"} {
				before := j.calls.Load()
				args := []string{"run", protocol, "--base-url", j.URL, "--model", "tiny", "--dataset", "sample", "--concurrency", "4"}
				first := mustCall(t, append(args, "--out", protocol)...)
				if n := j.calls.Load() - before; n != 64 {
					t.Errorf("%s: %d calls for 32 pairs, want 64", protocol, n)
				}
				again := mustCall(t, append(args, "--out", protocol)...)
				other := mustCall(t, append(args, "--out", protocol+"-2")...)
				if n := j.calls.Load() - before; n != 64 {
					t.Errorf("%s: the second and third run asked %d times", protocol, n-64)
				}
				for _, stdout := range []string{again, other} {
					if answerOf(stdout) != answerOf(first) {
						t.Errorf("%s: the three runs say otherwise:\n%s\n%s", protocol, first, stdout)
					}
				}
				if read(t, protocol+"/results.json") != read(t, protocol+"-2/results.json") {
					t.Errorf("%s: results.json of a cached run differs", protocol)
				}
			}
			shows(t, "both goals as one judge", "compare", "pairwise", "reversed", "--full")
		})
	}
}

// answerOf is what a run prints, without what it cost and what comes next.
func answerOf(stdout string) string {
	answer, _, _ := strings.Cut(stdout, "\ncost ")
	answer, _, _ = strings.Cut(answer, "\nnext ")
	return answer
}

// TestRequest: what an Ollama server is sent, every time.
func TestRequest(t *testing.T) {
	home(t)
	j := newJudge(t, true, always("[[A>B]]"))
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--no-cache")
	var ctx []float64
	for _, body := range j.bodies {
		var req struct {
			Stream, Truncate, Shift *bool
			Options                 map[string]float64
		}
		parse(t, body, &req)
		if req.Stream == nil || *req.Stream || req.Truncate == nil || *req.Truncate || req.Shift == nil || *req.Shift {
			t.Fatalf("stream, truncate and shift must be sent as false: %.200s", body)
		}
		if temp, ok := req.Options["temperature"]; !ok || temp != 0 {
			t.Fatalf("temperature must be sent as 0: %v", req.Options)
		}
		ctx = append(ctx, req.Options["num_ctx"])
	}
	for _, n := range ctx {
		if n != ctx[0] || n < 4096 {
			t.Fatalf("num_ctx must be one for the run and hold a reply: %v", ctx)
		}
	}
}

// TestSecondAttempt: JudgeBench's follow-up turn, with the reply kept.
func TestSecondAttempt(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(_ int64, user string) (int, string) {
		if strings.HasPrefix(user, "continue your judgment") {
			return http.StatusOK, "[[B>A]]"
		}
		return http.StatusOK, "I need to think."
	})
	out := mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "1", "--json")
	if n := j.calls.Load(); n != 4 {
		t.Errorf("%d calls, want two for each of two judgments", n)
	}
	if !strings.Contains(out, `"decided": 2`) {
		t.Errorf("both judgments should be decided:\n%s", out)
	}
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "1", "--attempts", "1", "--out", "one")
	if n := j.calls.Load(); n != 4 {
		t.Errorf("%d calls with --attempts 1: the first turns are in the cache", n)
	}
}

// TestFailuresAreAskedAgain: a failed call is a record, the run goes on, and the
// same command asks for the failed ones alone.
func TestFailuresAreAskedAgain(t *testing.T) {
	home(t)
	var mended atomic.Bool
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		if !mended.Load() && n%8 == 0 {
			return http.StatusBadRequest, `{"error":{"message":"no"}}`
		}
		return prefersLonger(n, user)
	})
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--out", "r"}
	ends(t, exitIncomplete, "8 of 64 judgments failed or are missing; run the same command again to go on", args...)
	mended.Store(true)
	before := j.calls.Load()
	mustCall(t, args...)
	if n := j.calls.Load() - before; n != 8 {
		t.Errorf("%d calls to mend 8 failures", n)
	}
	if n := strings.Count(read(t, "r/records.jsonl"), "\n"); n != 64 {
		t.Errorf("%d records for 64 judgments", n)
	}
	mustCall(t, append(args[:len(args)-1], "undisturbed")...)
	if read(t, "r/results.json") != read(t, "undisturbed/results.json") {
		t.Error("results.json differs from that of an undisturbed run")
	}
}

// TestGivesUp: an endpoint that stops answering ends the run soon, with what is
// left and how to go on.
func TestGivesUp(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		if n > 10 {
			return http.StatusUnauthorized, `{"error":{"message":"key expired"}}`
		}
		return prefersLonger(n, user)
	})
	ends(t, exitIncomplete, "key expired … of 64 judgments are left", "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "2", "--out", "r")
	// A success that arrives between failures starts the count anew.
	if n := j.calls.Load(); n > 10+2*10 {
		t.Errorf("%d calls: it should have given up after ten failures in a row", n)
	}
}

// TestPolicy: another reading, or another policy of the published one, reads the stored replies otherwise, says so, and
// leaves the run as it is.
func TestPolicy(t *testing.T) {
	home(t)
	j := newJudge(t, false, always("At first sight [[A>B]], but no: [[B>A]]"))
	shows(t, `64 = decided 64 … 64 of 64 replies read otherwise by the reading "paper" (--reading): strict is 0.00 by "robust", 0.00 by "paper"`, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "r", "--full")
	for _, flag := range [][]string{{"--policy", "unique"}, {"--reading", "paper"}} {
		out := mustCall(t, append(append([]string{"score", "--full"}, flag...), "r")...)
		if !strings.Contains(out, "64 = decided 0 + conflict 64") || strings.Contains(out, "than when they were recorded") {
			t.Errorf("%s:\n%s", flag, out)
		}
	}
	before := read(t, "r/results.json")
	shows(t, `64 = decided 64 … 64 of 64 verdicts differ from those read when they were recorded (policy "last"`, "score", "--policy", "last", "r", "--full")
	if j.calls.Load() != 64 || read(t, "r/results.json") != before {
		t.Error("score asked the judge or changed the run")
	}
}

// TestExportImport: a run that goes out in JudgeBench's format and comes back
// is still what it was.
func TestExportImport(t *testing.T) {
	home(t)
	mustCall(t, "run", "reversed", "--backend", "sim", "--model", "accuracy=0.7,first=0.3", "--dataset", "sample", "--out", "r")
	mustCall(t, "export", "judgebench", "r", "--out", "r.jsonl")
	ends(t, 0, "verdicts read from the replies; 64 of 64 stored decisions reproduced", "import", "judgebench", "r.jsonl", "--out", "back")
	cmp := mustCall(t, "compare", "r", "back", "--full")
	if !strings.Contains(cmp, "B = sim:accuracy=0.7,first=0.3 · reversed · prompt sop · r · SIMULATED") || strings.Contains(cmp, "differs") {
		t.Errorf("the run that came back:\n%s", cmp)
	}
}

// process starts gavel as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = os.Environ()
	return cmd
}

// TestKill: killed at many moments, the same command goes on; the end is the
// same, and no call but those in flight was asked twice.
func TestKill(t *testing.T) {
	dir := home(t)
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		time.Sleep(2 * time.Millisecond)
		return prefersLonger(n, user)
	})
	const concurrency, kills = 4, 8
	for round := range trials.Times(1) {
		killAndGoOn(t, dir, j, fmt.Sprint("r", round), concurrency, kills)
	}
}

func killAndGoOn(t *testing.T, dir string, j *judge, run string, concurrency, kills int) {
	before, killed := j.calls.Load(), 0
	args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", fmt.Sprint(concurrency), "--cache", "c-" + run, "--out", run}
	for i := range kills {
		cmd := process(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		target := j.calls.Load() + int64(1+i)
		for j.calls.Load() < target && !done(filepath.Join(dir, run, "results.json")) {
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		killed++
	}
	if out, err := process(t, args...).CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := j.calls.Load() - before; n > int64(64+killed*concurrency) {
		t.Errorf("%d calls for 64 judgments and %d kills of at most %d in flight", n, killed, concurrency)
	}
	if n := strings.Count(read(t, run+"/records.jsonl"), "\n"); n != 64 {
		t.Errorf("%d records for 64 judgments", n)
	}
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--no-cache", "--out", "undisturbed-"+run)
	if read(t, run+"/results.json") != read(t, "undisturbed-"+run+"/results.json") {
		t.Error("results.json differs from that of an undisturbed run")
	}
}

func done(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestInterrupt: Ctrl-C waits for what is in flight, writes what it has and says
// how to go on.
func TestInterrupt(t *testing.T) { interrupted(t, syscall.SIGINT) }

// TestHangUpEndsARunAsCtrlCDoes: a terminal that was closed left the run's status at "running".
func TestHangUpEndsARunAsCtrlCDoes(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("these tests ignore hang-ups, as under nohup, and so does what they start")
	}
	interrupted(t, syscall.SIGHUP)
}

// TestHangUpIsIgnoredUnderNohup and the run is made to its end.
func TestHangUpIsIgnoredUnderNohup(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	home(t)
	var cmd *exec.Cmd
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		if n == 5 {
			cmd.Process.Signal(syscall.SIGHUP)
		}
		return prefersLonger(n, user)
	})
	cmd = process(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "r")
	cmd.Args = append([]string{sh, "-c", `trap "" HUP; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sh
	if out, err := cmd.CombinedOutput(); err != nil || j.calls.Load() != 64 {
		t.Errorf("%v after %d calls\n%s", err, j.calls.Load(), out)
	}
}

// TestInterruptEndsTries: what waits for its next try is not asked again after Ctrl-C, and is missing, not failed.
func TestInterruptEndsTries(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("no signals between processes on Windows")
	}
	home(t)
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		if n > 4 {
			return http.StatusServiceUnavailable, "full"
		}
		return prefersLonger(n, user)
	})
	var stderr overheard
	cmd := process(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--retry-for", "30s", "--out", "r")
	cmd.Stderr = &stderr
	assert.NilError(t, cmd.Start())
	for j.calls.Load() < 7 {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGINT)
	stderr.until("stopping: waiting for open requests")
	asked := j.calls.Load()
	cmd.Wait()
	assert.Equal(t, cmd.ProcessState.ExitCode(), exitInterrupted)
	assert.Check(t, j.calls.Load() <= asked+1, "%d calls, %d when it was stopped", j.calls.Load(), asked) // one was on its way
	assert.Equal(t, len(records(t, "r")), 4)
}

func interrupted(t *testing.T, by os.Signal) {
	if os.PathSeparator == '\\' {
		t.Skip("no signals between processes on Windows")
	}
	home(t)
	// From the fifth on, what is asked is answered when gavel has said that it
	// stops: then two calls are in flight.
	var stderr overheard
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		if n >= 5 {
			stderr.until("stopping: waiting for open requests")
		}
		return prefersLonger(n, user)
	})
	cmd := process(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "2", "--out", "r")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for j.calls.Load() < 6 {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(by)
	cmd.Wait()
	asked := j.calls.Load()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Fatalf("exit status %d\n%s", code, stderr.String())
	}
	if n := int64(strings.Count(read(t, "r/records.jsonl"), "\n")); n != 6 || asked != 6 {
		t.Errorf("%d records after %d calls: the two that were in flight should have been the last, and kept", n, asked)
	}
	if !strings.Contains(stderr.String(), "run the same command again to go on") || !strings.Contains(read(t, "r/run.json"), `"status": "interrupted"`) {
		t.Errorf("stderr:\n%s", stderr.String())
	}
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "2", "--out", "r")
	if n := j.calls.Load(); n != 64 {
		t.Errorf("%d calls in all for 64 judgments", n)
	}
}

// TestLoading: a llama.cpp server that is still loading its model is waited for.
func TestLoading(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	ready := j.Config.Handler
	var looks atomic.Int64
	j.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" && looks.Add(1) <= 2 {
			http.Error(w, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, http.StatusServiceUnavailable)
			return
		}
		ready.ServeHTTP(w, r)
	})
	ends(t, 0, "waiting for the server, up to 2m0s: HTTP 503: Loading model", "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--limit", "1")
}

// TestDryRun calls nothing but says how much it would.
func TestDryRun(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	args := []string{"run", "reversed", "--base-url", j.URL, "--dataset", "sample"}
	mustCall(t, append(args, "--limit", "4", "--out", "part")...)
	before := j.calls.Load()
	out := mustCall(t, append(args, "--dry-run")...)
	if j.calls.Load() != before {
		t.Error("a dry run asked the judge")
	}
	for _, want := range []string{"judgments             64", "in the cache        8", "calls to make       56", "which assistant's answer is worse", "<|The End of Assistant B's Answer|>"} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan lacks %q:\n%.900s", want, out)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("a dry run made a folder")
	}
}

// TestSelection: the sample is the same for every judge and protocol.
func TestSelection(t *testing.T) {
	home(t)
	ids := func(run string) string {
		var ids []string
		for line := range strings.Lines(read(t, run+"/items.jsonl")) {
			var row struct {
				ID string `json:"pair_id"`
			}
			json.Unmarshal([]byte(line), &row)
			ids = append(ids, row.ID)
		}
		return strings.Join(ids, " ")
	}
	sim := func(out, protocol, model string, more ...string) {
		mustCall(t, append([]string{"run", protocol, "--backend", "sim", "--model", model, "--dataset", "sample", "--out", out}, more...)...)
	}
	sim("a", "pairwise", "right", "--sample", "5", "--seed", "7")
	sim("b", "reversed", "coin", "--sample", "5", "--seed", "7")
	sim("c", "pairwise", "right", "--sample", "5", "--seed", "8")
	if ids("a") != ids("b") || ids("a") == ids("c") || len(strings.Fields(ids("a"))) != 5 {
		t.Errorf("samples: %q, %q, %q", ids("a"), ids("b"), ids("c"))
	}
	write(t, "ids.txt", strings.ReplaceAll(ids("a"), " ", "\n"))
	sim("d", "pairwise", "right", "--ids", "ids.txt")
	if ids("d") != ids("a") {
		t.Errorf("--ids gave %q", ids("d"))
	}
}

// Every time of a run with repetitions stands when it goes on.
func TestRepetitionsStand(t *testing.T) {
	home(t)
	args := []string{"run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--repeat", "3", "--out", "r"}
	mustCall(t, args...)
	before := read(t, "r/records.jsonl")
	_, stderr, code := call(t, args...)
	if code != 0 || !strings.Contains(stderr, "all 192 judgments are in") || read(t, "r/records.jsonl") != before {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// An option that is not given is not checked: the answer protocol runs without
// its marker.
func TestOptionsLeftOut(t *testing.T) {
	home(t)
	mustCall(t, "run", "answer", "--backend", "sim", "--model", "right", "--dataset", "sample-number")
	ends(t, exitUsage, "--marker", "run", "answer", "--backend", "sim", "--model", "right", "--dataset", "sample-number", "--marker", " ")
}
