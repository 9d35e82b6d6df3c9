package backends

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestTokenBounds(t *testing.T) {
	for text, least := range map[string]int{
		"":                              0,
		"one":                           1,
		"one two  three\n\tfour":        4,
		"don't re-read (this) x=1":      4,
		"... -- !!":                     0,
		"漢字":                            1,
		"a\u00a0b":                      1,
		"“so” — he said… é":             4,
		"привет, мир":                   2,
		strings.Repeat("supercali", 50): 1,
	} {
		if got := LeastPromptTokens([]Message{{RoleUser, text}}); got != least {
			t.Errorf("%q: at least %d, want %d", text, got, least)
		}
		if limit := TokenUpperBound([]Message{{RoleUser, text}}); limit < len(text) || limit < least {
			t.Errorf("%q: at most %d", text, limit)
		}
	}
}

// A reply to a prompt of which the server read too little is no answer.
func TestPromptThatShrank(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) { // every one of them counts 34 tokens
		verdict := w.completeAnswer("[[A>B]]")
		ask := func(words, promptTokens int) Response {
			req := question
			req.Messages, req.CountedPromptTokens = []Message{{RoleUser, strings.Repeat("word ", words)}}, promptTokens
			r, err := w.askFor(t, req, verdict)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := ask(34, 0); r.Finish != FinishStop || r.Text != "[[A>B]]" {
			t.Errorf("34 words: %+v", r)
		}
		if r := ask(35, 0); r.Finish != FinishPromptTooLong || r.Text != "" || !strings.Contains(r.Detail, "34 tokens of at least 35 (one for each word)") {
			t.Errorf("35 words: %+v", r)
		}
		if r := ask(1, 34); r.Finish != FinishStop {
			t.Errorf("34 tokens counted before: %+v", r)
		}
		if r := ask(1, 35); r.Finish != FinishPromptTooLong || !strings.Contains(r.Detail, "its own tokenizer") {
			t.Errorf("35 tokens counted before: %+v", r)
		}
	})
}

func TestCountTokens(t *testing.T) {
	page := func(w wire, path string, answer http.HandlerFunc) *stub {
		s := w.start(t)
		inner := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				inner.ServeHTTP(rw, r)
				return
			}
			answer(rw, r)
		})
		return s
	}
	t.Run("llama.cpp", func(t *testing.T) {
		s := page(llamaWire.withPage("/apply-template", `{"prompt":"<|im_start|>hello"}`), "/tokenize", func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if m := object(t, body); m["content"] != "<|im_start|>hello" || m["add_special"] != true || m["parse_special"] != true {
				t.Errorf("asked to tokenize %s", body)
			}
			respond(200, `{"tokens":[1,5,{"id":7,"piece":"x"}]}`)(rw, r)
		})
		req := question
		req.Think = ThinkOff
		n, err := s.client(llamaWire, "").(TokenCounter).CountTokens(context.Background(), req)
		if n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		request := object(t, s.requestsTo("/apply-template")[0].body)
		if kwargs, _ := request["chat_template_kwargs"].(map[string]any); kwargs["enable_thinking"] != false || len(request["messages"].([]any)) != 2 {
			t.Errorf("the template was asked with %v", request)
		}
	})
	t.Run("vLLM", func(t *testing.T) { // TokenizeChatRequest and TokenizeResponse: docs.vllm.ai, vllm.entrypoints.serve.tokenize.protocol
		s := page(vllmWire, "/tokenize", func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if m := object(t, body); m["model"] != "tiny" || m["add_generation_prompt"] != true || len(m["messages"].([]any)) != 2 {
				t.Errorf("asked %s", body)
			}
			respond(200, `{"count":21,"max_model_len":4096,"tokens":[1,2]}`)(rw, r)
		})
		if n, err := s.client(vllmWire, "").(TokenCounter).CountTokens(context.Background(), question); n != 21 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("once", func(t *testing.T) {
		pages := 0
		s := page(vllmWire, "/tokenize", func(rw http.ResponseWriter, r *http.Request) {
			pages++
			respond(200, fmt.Sprintf(`{"count":%d}`, 20+pages))(rw, r)
		})
		counter := s.client(vllmWire, "").(TokenCounter)
		other := question
		other.Think = ThinkOff
		for i, req := range []Request{question, question, other, question} {
			want := []int{21, 21, 22, 21}[i]
			if n, err := counter.CountTokens(t.Context(), req); n != want || err != nil {
				t.Errorf("count %d is %d, %v; want %d", i, n, err, want)
			}
		}
	})
	for _, w := range []wire{llamaWire, vllmWire, studioWire} { // without the page, or without a tokenizer at all
		if n, err := w.start(t).client(w, "").(TokenCounter).CountTokens(context.Background(), question); !errors.Is(err, ErrNoTokenizer) {
			t.Errorf("%s: %d, %v", w.name, n, err)
		}
	}
}

func TestPromptLimit(t *testing.T) {
	for _, tc := range []struct {
		server              string
		context, max, limit int
	}{
		{LlamaCpp, 4096, 1000, 4095}, {"Ollama", 8192, 4096, 8191}, {VLLM, 4096, 1000, 3096}, {VLLM, 4096, 8000, 1}, {OtherServer, 0, 10, 0},
	} {
		if got := (ServerInfo{WireFormat: openAIFormat, Name: tc.server}).PromptLimit(tc.context, tc.max); got != tc.limit {
			t.Errorf("%+v: got %d", tc, got)
		}
	}
}

func TestBefore(t *testing.T) {
	for version, want := range map[string]bool{
		"0.12.5": true, "0.9.6": true, "v0.12.5": true, "0.12.6-rc0": true, "0.12.6": false, "0.17.4": false, "1.0.0": false, "0.0.0": false, "": false, "main": false,
	} {
		if got := IsOlderVersion(version, "0.12.6"); got != want {
			t.Errorf("%q before %s: %v", version, "0.12.6", got)
		}
	}
}
