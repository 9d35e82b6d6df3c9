package jobs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

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
	const warning = "4 of 4 judgments have no verdict (prompts that did not fit the context: 4)"
	j := finishedJob(t, r, order)
	if j.State != Complete || !strings.Contains(j.Error, warning) || !strings.Contains(j.Error, "Ask again where there is no verdict") {
		t.Errorf("%+v", j)
	}
	grown.Store(true)
	order["ask-again"] = []string{"true"}
	if j := finishedJob(t, r, order); j.State != Complete || j.Error != "" {
		t.Errorf("%+v", j)
	}
}
