package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestServersSuite: 2 judges × 2 goals × 2 prompts of multi-option on both real
// servers: planned, killed with -9 in the middle, resumed, equal to the
// undisturbed one; each server's calls come in one stretch, so that it loads its
// model once.
func TestServersSuite(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	watched := func(name, variable string) string {
		at := os.Getenv(variable)
		if at == "" {
			t.Skipf("%s is not set: run scripts/servers.sh start", variable)
		}
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(u)
		proxy.ErrorLog = log.New(io.Discard, "", 0) // whoever was killed wants no answer
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "chat") {
				mu.Lock()
				asked = append(asked, name)
				mu.Unlock()
			}
			proxy.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	llama, ollama := watched("llama.cpp", "GAVEL_LLAMA_URL"), watched("ollama", "GAVEL_OLLAMA_URL")
	home(t)
	n := perCell(t)
	suite := func(out, more string) string {
		return write(t, out+".yaml", fmt.Sprintf(`
out: %s
defaults: {concurrency: 2, limit: 4, max-tokens: 24, %s}
judges:
  - {name: one, model: tiny, base-url: %s}
  - {name: second, model: tiny, base-url: %s}
conditions:
  - {protocol: multi-option, dataset: sample-options, goal: [best, worst], prompt: [1, 2]}
`, out, more, llama, ollama))
	}
	mustCall(t, "suite", "run", suite("undisturbed", "no-cache: true"))
	mu.Lock()
	each := len(asked)
	asked = nil
	mu.Unlock()
	if each < 8*n {
		t.Fatalf("%d calls for %d judgments", each, 8*n)
	}
	file := suite("a", "cache: c")
	shows(t, fmt.Sprintf("all         8        %d", 8*n), "suite", "plan", file)
	if runningTotal(&mu, &asked) != 0 {
		t.Error("a plan asked something")
	}
	for _, moment := range []int{n / 2, 3 * n, 6 * n} {
		cmd := process(t, "suite", "run", file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(5 * time.Minute); runningTotal(&mu, &asked) < moment && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Errorf("the suite was over before it was killed at call %d", moment)
		}
	}
	if out, err := process(t, "suite", "run", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range aSuiteCells {
		if read(t, filepath.Join("a", c, "results.json")) != read(t, filepath.Join("undisturbed", c, "results.json")) {
			t.Errorf("%s: results.json differs from that of an undisturbed suite", c)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if order := slices.Compact(slices.Clone(asked)); !slices.Equal(order, []string{"llama.cpp", "ollama"}) {
		t.Errorf("the servers were asked in the order %v", order)
	}
	if len(asked) > each+3*2 {
		t.Errorf("%d calls, undisturbed there were %d, and two were in flight at each of three kills", len(asked), each)
	}
}

func runningTotal(mu *sync.Mutex, asked *[]string) int {
	mu.Lock()
	defer mu.Unlock()
	return len(*asked)
}

// realOllama is the real Ollama, with its log.
type realOllama struct {
	*testing.T
	url, log string
}

// loads is how often Ollama has started a process for a model. (It starts others
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
	for end := time.Now().Add(time.Minute); len(o.contexts()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			o.Fatal("the model stays loaded")
		}
	}
}

// contexts are those that models are loaded with at the moment.
func (o realOllama) contexts() (contexts []int) {
	o.Helper()
	resp, err := http.Get(o.url + "/api/ps")
	if err != nil {
		o.Fatal(err)
	}
	defer resp.Body.Close()
	var ps struct {
		Models []struct {
			Context int `json:"context_length"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&ps); err != nil {
		o.Fatal(err)
	}
	for _, m := range ps.Models {
		contexts = append(contexts, m.Context)
	}
	return contexts
}
