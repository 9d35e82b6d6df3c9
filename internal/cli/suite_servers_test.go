package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

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
