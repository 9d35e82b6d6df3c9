package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gavel/scoring/race"
)

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
	mustCall(t, "race", file)
	time.Sleep(100 * time.Millisecond) // the log is written beside the answers
	var state race.State
	parse(t, read(t, "s/race.json"), &state)
	blocks := 0
	for _, asked := range state.ItemsAsked {
		for _, from := range []int{0, 16, 32} {
			if asked > from {
				blocks++
			}
		}
	}
	if loads := o.loads() - before; loads != blocks || blocks < 2 {
		t.Errorf("%d loads in %d blocks", loads, blocks)
	}
}

// realOllama is the real Ollama, with its log.
type realOllama struct {
	*testing.T
	url, log string
}

// loads counts the processes that Ollama has started for a model. (It starts others
// when it looks for GPUs.)
func (o realOllama) loads() (n int) {
	for line := range strings.Lines(read(o, o.log)) {
		if strings.Contains(line, `msg="starting runner"`) && strings.Contains(line, " runner --model ") {
			n++
		}
	}
	return n
}

// unload has Ollama forget the model, so that whatever comes next loads it.
func (o realOllama) unload() {
	o.Helper()
	resp, err := http.Post(o.url+"/api/generate", "application/json", strings.NewReader(`{"model":"tiny","keep_alive":0}`))
	if err != nil {
		o.Fatal(err)
	}
	resp.Body.Close()
	for end := time.Now().Add(time.Minute); o.isLoaded(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			o.Fatal("the model stays loaded")
		}
	}
}

// isLoaded asks Ollama whether it has any model loaded.
func (o realOllama) isLoaded() bool {
	o.Helper()
	resp, err := http.Get(o.url + "/api/ps")
	if err != nil {
		o.Fatal(err)
	}
	defer resp.Body.Close()
	var ps struct{ Models []any }
	if err := json.NewDecoder(resp.Body).Decode(&ps); err != nil {
		o.Fatal(err)
	}
	return len(ps.Models) > 0
}
