package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/internal/doctor"
	"gavel/judging"
)

// engines lists the engines that serve SmolLM2, a small instruction model, with the variables that hold their addresses.
var engines = []struct {
	name, variable string
	server         string // of scripts/servers.sh
	other          string // has the script start it with other weights; "": those of tinyModel
}{
	{name: "llama.cpp", variable: "GAVEL_LLAMA_URL", server: "llama"},
	{name: "Ollama", variable: "GAVEL_OLLAMA_URL", server: "ollama"},
	{name: "vLLM", variable: "GAVEL_VLLM_URL", server: "vllm", other: "SERVERS_FLAGS=--load-format dummy"},
}

// engineRuns are asked of each engine: every protocol, free and constrained, with and without probabilities.
var engineRuns = []struct {
	out, args string
	judgments int
	isDecided bool
}{
	{out: "direct", args: "pairwise --dataset sample --limit 6 --prompt direct --constrain --logprobs", judgments: 12, isDecided: true},
	{out: "free", args: "pairwise --dataset sample --limit 1 --prompt sop", judgments: 2},
	{out: "reversed", args: "reversed --dataset sample --limit 2 --prompt direct --constrain", judgments: 4, isDecided: true},
	{out: "probed", args: "probe --dataset sample --limit 2 --prompt direct --constrain", judgments: 12, isDecided: true},
	{out: "options", args: "multi-option --dataset sample-options --limit 1 --constrain --accept-cut", judgments: 2},
	{out: "judged", args: "self-reference --dataset sample-choice --sample 0 --limit 2 --agents sim:accuracy=0.6 --constrain --accept-cut",
		judgments: 4, isDecided: true},
}

// TestEnginesOfPyPI asks servers that have less than the engines: one request at a time, another server
// behind them, or no list of models.
func TestEnginesOfPyPI(t *testing.T) {
	if os.Getenv("GAVEL_ENGINES") == "" {
		t.Skip("GAVEL_ENGINES is not set: scripts/check.sh --nightly sets it")
	}
	home(t)
	for _, server := range []struct{ name, variable, model string }{
		{name: "llama-cpp-python", variable: "GAVEL_LLAMACPP_URL", model: "tiny"},
		{name: "LiteLLM", variable: "GAVEL_LITELLM_URL", model: "tiny"},
		{name: "transformers", variable: "GAVEL_TRANSFORMERS_URL", model: "SmolLM2-135M-Instruct"},
	} {
		t.Run(server.name, func(t *testing.T) {
			name := server.name
			url := os.Getenv(server.variable)
			if url == "" {
				t.Skipf("%s is not set", server.variable)
			}
			args := []string{"run", "pairwise", "--dataset", "sample", "--limit", "4", "--prompt", "direct",
				"--base-url", url, "--model", server.model, "--max-tokens", "24"}
			mustCall(t, append(args, "--out", name)...)
			all := records(t, name)
			for _, r := range all {
				if r.Outcome == judging.Failed || r.Unverified {
					t.Errorf("%s: %s, unverified %t: %s", r.Item, r.Outcome, r.Unverified, r.Error)
				}
			}
			if len(all) != 8 {
				t.Errorf("%d judgments, want 8", len(all))
			}
			rerun(t, name, args)
		})
	}
}

// TestEngines asks one model in three engines, for the step of that name of scripts/check.sh. Each is ready by the doctor's
// checks; each answers every protocol; what was asked once comes from the cache. How far their verdicts agree is logged.
func TestEngines(t *testing.T) {
	if os.Getenv("GAVEL_ENGINES") == "" {
		t.Skip("GAVEL_ENGINES is not set: scripts/check.sh --nightly sets it")
	}
	home(t)
	tiny := tinyModel(t)
	var direct []string
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			url := os.Getenv(engine.variable)
			if url == "" {
				t.Skipf("%s is not set", engine.variable)
			}
			engineIsReady(t, url, "--quick")
			for _, run := range engineRuns {
				out := engine.name + "/" + run.out
				args := append([]string{"run"}, strings.Fields(run.args)...)
				args = append(args, "--base-url", url, "--max-tokens", "24")
				mustCall(t, append(args, "--out", out)...)
				answered(t, out, run.judgments, run.isDecided)
				rerun(t, out, args)
			}
			direct = append(direct, engine.name+"/direct")
			e := engineProcess{T: t, server: engine.server, url: url}
			if e.number() == 0 {
				t.Log("the engine is not of scripts/servers.sh: it is not killed")
				return
			}
			e.isKilled(engine.name + "/killed")
			e.isAnother(engine.name+"/another", cmp.Or(engine.other, "SERVERS_MODEL="+tiny))
		})
	}
	for i := range direct {
		for _, other := range direct[i+1:] {
			t.Logf("%s", mustCall(t, "compare", direct[i], other))
		}
	}
}

// engineIsReady wants what the doctor tries to work.
func engineIsReady(t *testing.T, url string, more ...string) (d doctor.Report) {
	t.Helper()
	parse(t, mustCall(t, append([]string{"doctor", "--json", "--base-url", url}, more...)...), &d)
	for _, f := range d.Findings {
		if f.Status == doctor.Fail {
			t.Errorf("%s: %s", f.Check, f.Text)
		}
		switch f.Check {
		case "server", "reply", "over-long prompt", "constrained output", "logprobs":
			if f.Status != doctor.OK {
				t.Errorf("%+v", f)
			}
		}
	}
	return d
}

// answered wants each judgment of a run to have an answer, and where it was held to labels a verdict.
func answered(t *testing.T, out string, judgments int, isDecided bool) {
	t.Helper()
	all := records(t, out)
	if len(all) < judgments {
		t.Errorf("%s: %d judgments, want %d", out, len(all), judgments)
	}
	for _, r := range all {
		if r.Outcome == judging.Failed || isDecided && r.Outcome != judging.Decided {
			t.Errorf("%s, %s: %s %s %q", out, r.Item, r.Outcome, r.Error, r.Text())
		}
		for _, reply := range r.Replies {
			if reply.PromptTokens < 50 {
				t.Errorf("%s, %s: the server read %d tokens", out, r.Item, reply.PromptTokens)
			}
		}
		if strings.HasSuffix(out, "direct") {
			checkProbabilities(t, r)
		}
	}
}

// engineProcess is an engine that scripts/servers.sh started.
type engineProcess struct {
	*testing.T
	server, url string
}

// number of the process; 0 where the script did not start it.
func (e engineProcess) number() (n int) {
	text, _ := os.ReadFile(filepath.Join(os.Getenv("SERVERS_DIR"), e.server+".pid"))
	fmt.Sscan(string(text), &n)
	return n
}

// kill ends it without warning, and starts it again at its address. Ollama's runners, which would live on and take the
// processors, end after it.
func (e engineProcess) kill(env ...string) {
	e.Helper()
	id := e.number()
	if id == 0 {
		e.Fatal("the engine does not run")
	}
	children, _ := exec.Command("pgrep", "-P", fmt.Sprint(id)).Output() // fails where there is none
	all := append([]string{"-KILL", fmt.Sprint(id)}, strings.Fields(string(children))...)
	if output, err := exec.Command("kill", all...).CombinedOutput(); err != nil {
		e.Fatalf("%v: %s", err, output)
	}
	u, err := url.Parse(e.url)
	if err != nil {
		e.Fatal(err)
	}
	env = slices.Concat(startEnv, []string{strings.ToUpper(e.server) + "_PORT=" + u.Port()}, env)
	for try := 1; ; try++ { // the port may be taken for a while yet
		start := exec.Command(filepath.Join(sourceDir, "..", "..", "scripts", "servers.sh"), "start", e.server)
		start.Env = env
		output, err := start.CombinedOutput()
		if err == nil {
			return
		}
		if try == 10 {
			e.Fatalf("%v\n%s", err, output)
		}
		time.Sleep(3 * time.Second)
	}
}

// startRun starts a run, and waits until it has judgments.
func (e engineProcess) startRun(out string) *exec.Cmd {
	e.Helper()
	cmd := process(e.T, "run", "pairwise", "--dataset", "sample", "--limit", "8", "--prompt", "direct", "--constrain", "--no-cache",
		"--base-url", e.url, "--concurrency", "1", "--retry-for", "5m", "--out", out)
	if err := cmd.Start(); err != nil {
		e.Fatal(err)
	}
	await(e.T, out, 2)
	return cmd
}

// isKilled: a run whose engine is killed and comes back with the same weights ends with every verdict.
func (e engineProcess) isKilled(out string) {
	cmd := e.startRun(out)
	e.kill()
	if err := cmd.Wait(); err != nil {
		e.Errorf("%s: %v", out, err)
	}
	answered(e.T, out, 16, true)
}

// isAnother: a run whose engine is killed and comes back with other weights under the same name is over, and has none of
// their verdicts.
func (e engineProcess) isAnother(out, other string) {
	cmd := e.startRun(out)
	e.kill(other)
	if err := cmd.Wait(); err == nil {
		e.Errorf("%s: the run went on with another model", out)
	}
	if len(manifest(e.T, out).Changes) == 0 {
		e.Errorf("%s: the run ended, but not because another model was seen", out)
	}
	for _, r := range records(e.T, out) {
		if r.Outcome != judging.Decided && r.Outcome != judging.Failed {
			e.Errorf("%s: %s has %s", out, r.Item, r.Outcome)
		}
	}
	e.kill()
}
