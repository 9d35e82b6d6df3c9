package eval

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"

	"gavel/backends"
)

// TestBatchIDsStay: an id is made of all of a request, whatever order its members are sent in, so that the output of a
// batch that an earlier gavel wrote still has the replies.
func TestBatchIDsStay(t *testing.T) {
	b, err := NewBatch("m", "")
	if err != nil {
		t.Fatal(err)
	}
	judge := backends.NewOpenAI(batchServerURL, "", &http.Client{Transport: b})
	judge.Ask(t.Context(), backends.Request{
		Model: "m",
		Messages: []backends.Message{
			{Role: backends.RoleSystem, Content: "<b>"},
			{Role: backends.RoleUser, Content: "who & why?"},
		},
		Temperature:     0.7,
		TopP:            1,
		Seed:            3,
		MaxTokens:       64,
		Think:           backends.ThinkHigh,
		ThinkBudget:     9,
		AllowedReplies:  []string{"[[A>B]]", "[[B>A]]"},
		Labels:          []string{"[[A>B]]"},
		ExtraParameters: backends.ExtraParameters{StopRepetition: true},
	})
	sum := sha256.Sum256([]byte(`{"chat_template_kwargs":{"enable_thinking":true,"reasoning_effort":"high"},"logprobs":true,` +
		`"max_tokens":64,"messages":[{"content":"<b>","role":"system"},{"content":"who & why?","role":"user"}],"model":"m",` +
		`"reasoning_effort":"high","repetition_detection":{"max_pattern_size":256,"min_count":4,"min_pattern_size":16},` +
		`"repetition_penalty":1,"response_format":{"json_schema":{"name":"verdict","schema":{"enum":["[[A>B]]","[[B>A]]"],` +
		`"type":"string"},"strict":true},"type":"json_schema"},"seed":3,"stream":false,"temperature":0.7,` +
		`"thinking_token_budget":9,"top_logprobs":20,"top_p":1}`))
	if want := fmt.Sprintf("gavel-%x", sum[:16]); len(b.lines) != 1 || b.lines[0].CustomID != want {
		t.Errorf("%d requests, the first %s, want %s: %s", len(b.lines), b.lastRequest.CustomID, want, b.lastRequest.Body)
	}
}
