package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gavel/scoring/race"
)

// TestServersRace: four judges, which are one model asked in four ways, race on a real llama.cpp; killed with -9 in the
// middle the race goes on to the same end.
func TestServersRace(t *testing.T) {
	url := os.Getenv("GAVEL_LLAMA_URL")
	if url == "" {
		t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
	}
	home(t)
	data := hundredPairs(t)
	file := func(out string) string {
		return write(t, out+".yaml", fmt.Sprintf(`
out: %s
defaults: {dataset: %s, base-url: %s, limit: 20, max-tokens: 8, attempts: 1, concurrency: 2, cache: %s.cache}
judges:
  - {name: plain, model: tiny}
  - {name: held, model: tiny, constrain: true}
  - {name: user, model: tiny, system-role: user}
  - {name: both, model: tiny, system-role: user, constrain: true}
conditions: [{protocol: pairwise, prompt: direct}]
`, out, data, url, out))
	}
	want := raceJSON(t, file("undisturbed"))
	var state race.State
	if err := json.Unmarshal([]byte(read(t, "undisturbed/race.json")), &state); err != nil || len(state.Runs) != 4 {
		t.Fatal(err, state.Runs)
	}
	cmd := process(t, "race", file("a"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a/"+state.Runs[1], 5)
	cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Error("the race was over before it was killed")
	}
	got := raceJSON(t, file("a"))
	if strings.ReplaceAll(fmt.Sprint(got), "a/", "") != strings.ReplaceAll(fmt.Sprint(want), "undisturbed/", "") {
		t.Errorf("%+v, undisturbed %+v", got, want)
	}
}

// TestServersRaceLoads: Ollama loads a model once for each block that a judge was in, as its own log says. The judges are
// one model with two contexts: Ollama loads it anew for either.
func TestServersRaceLoads(t *testing.T) {
	o := realOllama{t, os.Getenv("GAVEL_OLLAMA_URL"), os.Getenv("GAVEL_OLLAMA_LOG")}
	if o.url == "" || o.log == "" {
		t.Skip("GAVEL_OLLAMA_URL or GAVEL_OLLAMA_LOG is not set: run scripts/servers.sh start")
	}
	home(t)
	file := write(t, "s.yaml", fmt.Sprintf(`
out: s
defaults: {dataset: %s, base-url: %s, limit: 20, max-tokens: 8, attempts: 1, concurrency: 2, no-cache: true}
judges: [{name: small, model: tiny, num-ctx: 2048}, {name: large, model: tiny, num-ctx: 4096}]
conditions: [{protocol: pairwise, prompt: direct}]
`, hundredPairs(t), o.url))
	o.unload()
	before := o.loads()
	got := raceJSON(t, file)
	time.Sleep(100 * time.Millisecond) // the log is written beside the answers
	var state race.State
	parse(t, read(t, "s/race.json"), &state)
	blocks := 0
	for _, asked := range state.Asked {
		for _, from := range []int{0, 16, 32} {
			if asked > from {
				blocks++
			}
		}
	}
	if loads := o.loads() - before; loads != blocks || blocks < 2 {
		t.Errorf("%d loads in %d blocks (%+v)", loads, blocks, got)
	}
}

type racedJSON struct {
	Leader string
	Left   []struct {
		Run   string
		Items int
		E     float64
		By    string
	}
	Tied       [][]string
	Calls      int
	Full       int `json:"full_calls"`
	Unfinished bool
}

func raceJSON(t *testing.T, args ...string) (r racedJSON) {
	t.Helper()
	parse(t, mustCall(t, append([]string{"race", "--json"}, args...)...), &r)
	return r
}
