package eval

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"

	"gavel/backends"
)

// TestBatchIDsStay: the output of a batch that an earlier gavel wrote still has the replies to its requests.
func TestBatchIDsStay(t *testing.T) {
	b, err := NewBatch("m", "")
	if err != nil {
		t.Fatal(err)
	}
	judge := backends.NewOpenAI(batchURL, "", &http.Client{Transport: b})
	judge.Ask(t.Context(), backends.Request{
		Model: "m",
		Messages: []backends.Message{
			{Role: backends.System, Content: "<b>"},
			{Role: backends.User, Content: "who & why?"},
		},
		Temperature: 0.7,
		TopP:        1,
		Seed:        3,
		MaxTokens:   64,
		Think:       backends.ThinkHigh,
		ThinkBudget: 9,
		Constrain:   []string{"[[A>B]]", "[[B>A]]"},
		Labels:      []string{"[[A>B]]"},
		Extras:      backends.Extras{StopRepetition: true},
	})
	sum := sha256.Sum256([]byte(`{"temperature":0.7,"top_p":1,"max_tokens":64,"repetition_penalty":1,` +
		`"chat_template_kwargs":{"enable_thinking":true,"reasoning_effort":"high"},"reasoning_effort":"high",` +
		`"thinking_token_budget":9,"repetition_detection":{"max_pattern_size":256,"min_count":4,"min_pattern_size":16},` +
		`"response_format":{"json_schema":{"name":"verdict","schema":{"enum":["[[A>B]]","[[B>A]]"],"type":"string"},` +
		`"strict":true},"type":"json_schema"},"logprobs":true,"top_logprobs":20,"model":"m",` +
		`"messages":[{"role":"system","content":"<b>"},{"role":"user","content":"who & why?"}],"stream":false,"seed":3}`))
	if want := fmt.Sprintf("gavel-%x", sum[:16]); len(b.lines) != 1 || b.lines[0].CustomID != want {
		t.Errorf("%d requests, the first %s, want %s: %s", len(b.lines), b.last.CustomID, want, b.last.Body)
	}
}
