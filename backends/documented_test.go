package backends

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// documented is what a version of a server that was never run answers by its documentation. The texts are our own.
type documented struct {
	Server     string
	Version    string
	Documented []string
	Pages      map[string]json.RawMessage
	Replies    []struct {
		About                string
		Status               int
		Body                 json.RawMessage
		Text, Thinking       string
		Finish               Finish
		Prompt, Reply, Think int
		Cached               *int
	}
}

// TestDocumented: what vLLM and SGLang document, by version, is read as it is meant.
func TestDocumented(t *testing.T) {
	files, err := filepath.Glob("testdata/documented/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var d documented
			if err := json.Unmarshal(raw, &d); err != nil || len(d.Documented) == 0 {
				t.Fatalf("%v, documented at %q", err, d.Documented)
			}
			w := wire{name: d.Server, pages: map[string]string{}, lost: vllmWire.lost, chat: "/v1/chat/completions", dial: dialOpenAI}
			for path, page := range maps.All(d.Pages) {
				w.pages[path] = string(page)
			}
			for _, r := range d.Replies {
				status := 200
				if r.Status > 0 {
					status = r.Status
				}
				b := w.start(t, respond(status, string(r.Body))).client(w, "")
				got, err := b.Ask(t.Context(), question)
				if err != nil {
					t.Fatalf("%s: %v", r.About, err)
				}
				if got.Text != r.Text || got.Thinking != r.Thinking || got.Finish != r.Finish || got.PromptTokens != r.Prompt || got.ReplyTokens != r.Reply || got.ThinkTokens != r.Think ||
					(got.CachedTokens == nil) != (r.Cached == nil) || r.Cached != nil && *got.CachedTokens != *r.Cached {
					t.Errorf("%s: %+v", r.About, got)
				}
			}
			b := w.start(t).client(w, "").(*OpenAI)
			server, err := b.Server(t.Context())
			if err != nil || server.Name != d.Server || server.Version != d.Version {
				t.Errorf("%+v, %v", server, err)
			}
			if m, err := b.Model(t.Context(), "tiny"); err != nil || m.Context != 4096 {
				t.Errorf("%+v, %v", m, err)
			}
			if !server.Can(TakeBudget) {
				t.Error("it takes a thinking budget")
			}
		})
	}
}

// TestThoughtTokens: in OpenAI's place or in SGLang's; what is no count tells nothing.
func TestThoughtTokens(t *testing.T) {
	for body, want := range map[string]int{
		`{"completion_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 11}}`: 11,
		`{"completion_tokens": 20, "reasoning_tokens": 12}`:                                12,
		`{"completion_tokens": 20, "reasoning_tokens": "many"}`:                            0,
		`{"completion_tokens": 20, "completion_tokens_details": null}`:                     0,
		`{"completion_tokens": 20, "reasoning_tokens": 99}`:                                20,
		`{"completion_tokens": 20}`:                                                        0,
	} {
		var c completion
		if err := json.Unmarshal([]byte(`{"usage":`+body+`}`), &c); err != nil || c.thought() != want {
			t.Errorf("%s: %d, %v", body, c.thought(), err)
		}
	}
}
