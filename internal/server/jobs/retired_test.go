package jobs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gavel/judging"
)

// TestAKeyThatWasTakenOut: who sends the key canaries, which earlier versions had, is told that it does nothing; no form and
// no schema has it.
func TestAKeyThatWasTakenOut(t *testing.T) {
	r := newManager(t, Options{})
	request := pairs(2)
	request["canaries"] = []string{"8"}
	told := func(line string) bool { return strings.Contains(line, "canaries was taken out and does nothing") }
	if j := made(t, r, request); j.State != Complete || !slices.ContainsFunc(j.Log, told) {
		t.Errorf("%+v", j)
	}
	if JobRequestSchema().Properties["canaries"] != nil {
		t.Error("the schema has it")
	}
	for _, p := range judging.Protocols() {
		if slices.ContainsFunc(formFields(p), func(f Field) bool { return f.Name == "canaries" }) {
			t.Errorf("the form of %s has it", p.Name)
		}
	}
}

// TestAJobWhosePromptsWereTooLong: it is complete, says what its judgments lack, and asks for them with ask-again.
func TestAJobWhosePromptsWereTooLong(t *testing.T) {
	var grown atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"tiny"}]}`) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		if !grown.Load() {
			http.Error(w, `{"error":{"message":"too long","type":"exceed_context_size_error"}}`, http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"[[A>B]]"}}]}`)
	})
	model := httptest.NewServer(mux)
	t.Cleanup(model.Close)
	r := newManager(t, Options{BaseURLs: []string{model.URL}})
	order := pairs(2)
	order["endpoint"], order["model"] = []string{model.URL}, []string{"tiny"}
	const said = "4 of 4 judgments have no verdict (prompts that did not fit the context: 4)"
	j := made(t, r, order)
	if j.State != Complete || !strings.Contains(j.Error, said) || !strings.Contains(j.Error, "Ask again where there is no verdict") {
		t.Errorf("%+v", j)
	}
	grown.Store(true)
	order["ask-again"] = []string{"true"}
	if j := made(t, r, order); j.State != Complete || j.Error != "" {
		t.Errorf("%+v", j)
	}
}
