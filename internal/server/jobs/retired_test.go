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
	_, err := r.Start(t.Context(), JobRequest{
		"protocol": {"pairwise"}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}, "limit": {"2"}, "canaries": {"8"},
	})
	ok(t, err)
	r.Wait()
	told := func(line string) bool { return strings.Contains(line, "canaries was taken out and does nothing") }
	if j := r.Jobs()[0]; j.State != Complete || !slices.ContainsFunc(j.Log, told) {
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
	order := JobRequest{"protocol": {"pairwise"}, "endpoint": {model.URL}, "model": {"tiny"}, "dataset": {"sample"}, "limit": {"2"}}
	start := func() Job {
		_, err := r.Start(t.Context(), order)
		ok(t, err)
		r.Wait()
		return r.Jobs()[0]
	}
	const said = "4 of 4 judgments have no verdict (prompts that did not fit the context: 4)"
	j := start()
	if j.State != Complete || !strings.Contains(j.Error, said) || !strings.Contains(j.Error, "Ask again where there is no verdict") {
		t.Errorf("%+v", j)
	}
	grown.Store(true)
	order["ask-again"] = []string{"true"}
	if j := start(); j.State != Complete || j.Error != "" {
		t.Errorf("%+v", j)
	}
}
