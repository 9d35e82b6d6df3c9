package backends

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
)

func TestReplies(t *testing.T) {
	const verdict = "My final verdict is: [[A>B]]"
	for name, tc := range map[string]struct {
		message, finish string
		want            Response
	}{
		"plain":             {content(verdict), "stop", Response{Text: verdict, Finish: Stop}},
		"white space stays": {content(" \n" + verdict + "\r\n "), "stop", Response{Text: " \n" + verdict + "\r\n ", Finish: Stop}},
		"cut at the limit":  {content("My final ver"), "length", Response{Text: "My final ver", Finish: Length}},
		"cut, no text":      {content(""), "length", Response{Finish: Length}},
		"empty":             {content(""), "stop", Response{Finish: Stop}},
		"null":              {`{"role":"assistant","content":null}`, "stop", Response{Finish: Stop}},
		"no content":        {`{"role":"assistant"}`, "stop", Response{Finish: Stop}},
		"unknown members":   {content(verdict, `"tool_calls":[]`, `"annotations":null`, `"audio":null`, `"new":{"a":[1]}`), "stop", Response{Text: verdict, Finish: Stop}},
		"content twice":     {content("first", `"content":"second"`), "stop", Response{Text: "second", Finish: Stop}},
		"other ending":      {content(verdict), "eos_token", Response{Text: verdict, Finish: Stop}},
		"control bytes":     {content("a\x00b\u2028<&>"), "stop", Response{Text: "a\x00b\u2028<&>", Finish: Stop}},
		"invalid UTF-8":     {strings.Replace(content("a?b"), "?", "\xff", 1), "stop", Response{Text: "a\ufffdb", Finish: Stop}},
		"half a character":  {`{"role":"assistant","content":"a\ud83d"}`, "stop", Response{Text: "a\ufffd", Finish: Stop}},

		"thought in the text":      {content("<think>A is right</think>" + verdict), "stop", Response{Text: verdict, Thinking: "A is right", Finish: Stop}},
		"thought without a start":  {content("A is right</think>" + verdict), "stop", Response{Text: verdict, Thinking: "A is right", Finish: Stop}},
		"thought without an end":   {content("<think>maybe [[B>A]]"), "length", Response{Thinking: "maybe [[B>A]]", Finish: Length}},
		"thought of blanks":        {content("<think>\n\n</think>\n\n" + verdict), "stop", Response{Text: "\n\n" + verdict, Finish: Stop}},
		"a verdict in the thought": {content("<think>[[B>A]]</think>" + verdict), "stop", Response{Text: verdict, Thinking: "[[B>A]]", Finish: Stop}},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				got, err := w.ask(t, respond(200, w.reply(tc.message, tc.finish)))
				assert.NilError(t, err)
				tc.want.PromptTokens, tc.want.ReplyTokens, got.Took, got.Model = 34, 22, 0, ""
				got.SystemFingerprint, got.ID = "", "" // see TestSystemFingerprintOfAReply
				got.CachedTokens = nil                 // TestCachedTokens
				if !reflect.DeepEqual(got, tc.want) {
					t.Errorf("got  %+v\nwant %+v", got, tc.want)
				}
			})
		})
	}
}

// TestSystemFingerprintOfAReply: it is kept as the server writes it; what is no text is none, and spoils no reply.
func TestSystemFingerprintOfAReply(t *testing.T) {
	for said, want := range map[string]string{`"fp_1"`: "fp_1", "null": "", "7": ""} {
		body := `{"system_fingerprint":` + said + `,"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"fine"}}]}`
		got, err := vllmWire.ask(t, respond(200, body))
		if err != nil || got.SystemFingerprint != want {
			t.Errorf("%s: %q, %v", said, got.SystemFingerprint, err)
		}
	}
}

// TestReplyOfAnotherName: the name that a reply gives itself is kept where it is
// not the one that was asked for.
func TestReplyOfAnotherName(t *testing.T) {
	named := regexp.MustCompile(`"model":"[^"]*"`)
	eachWire(t, func(t *testing.T, w wire) {
		for said, want := range map[string]string{"tiny": "", "tiny:latest": "", "": "", "large": "large"} {
			body := named.ReplaceAllLiteralString(w.reply(content(`fine`), "stop"), `"model":`+quote(said))
			got, err := w.ask(t, respond(200, body))
			if err != nil || got.Model != want {
				t.Errorf("a reply of %q: %q, %v", said, got.Model, err)
			}
		}
	})
}

func TestThinkingInFieldsOfItsOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		wire           wire
		members        string
		text, thinking string
	}{
		"Ollama":                   {ollamaWire, `"thinking":"hm [[B>A]]"`, "[[A>B]]", "hm [[B>A]]"},
		"llama.cpp, vLLM to 0.10":  {llamaWire, `"reasoning_content":"hm [[B>A]]"`, "[[A>B]]", "hm [[B>A]]"},
		"vLLM from 0.16":           {vllmWire, `"reasoning":"hm [[B>A]]"`, "[[A>B]]", "hm [[B>A]]"},
		"vLLM between, both alike": {vllmWire, `"reasoning":"hm","reasoning_content":"hm"`, "[[A>B]]", "hm"},
		"field and tags":           {vllmWire, `"reasoning":"field"`, "<think>tags</think>[[A>B]]", "field\ntags"},
		"null":                     {vllmWire, `"reasoning":null,"reasoning_content":null`, "[[A>B]]", ""},
		"not a text":               {studioWire, `"reasoning":{"effort":"high"}`, "[[A>B]]", ""},
		"the word in the reply":    {vllmWire, `"x":0`, `{"reasoning": "x"} [[A>B]]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.wire.ask(t, tc.wire.says(tc.text, tc.members))
			assert.NilError(t, err)
			if _, text, ok := strings.Cut(tc.text, "</think>"); ok {
				tc.text = text
			}
			if got.Thinking != tc.thinking || got.Text != tc.text {
				t.Errorf("thinking %q and text %q, want %q and %q", got.Thinking, got.Text, tc.thinking, tc.text)
			}
		})
	}
}

// Some servers of OpenAI's format write a reply as a list of parts.
func TestReplyInParts(t *testing.T) {
	const parts = `{"role":"assistant","content":[{"type":"thinking","thinking":"[[B>A]]"},{"type":"text","text":"My verdict: "},{"type":"text","text":"[[A>B]]"}]}`
	got, err := studioWire.ask(t, respond(200, studioWire.reply(parts, "stop")))
	if err != nil || got.Text != "My verdict: [[A>B]]" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// ollama/api reads no line of more than 8 MB, and says nothing of it.
func TestLongReplies(t *testing.T) {
	text := strings.Repeat("The answers differ. ", 500_000) + "[[A>B]]"
	eachWire(t, func(t *testing.T, w wire) {
		got, err := w.ask(t, w.says(text))
		if err != nil || got.Text != text || got.Finish != Stop || got.ReplyTokens != 22 {
			t.Errorf("%d bytes of a reply, want %d; %s, %v", len(got.Text), len(text), got.Finish, err)
		}
	})
}

func TestWithheldReplies(t *testing.T) {
	for name, tc := range map[string]struct{ message, finish, detail string }{
		"content filter": {content("I'd say"), "content_filter", ""},
		"refusal":        {`{"role":"assistant","content":null,"refusal":"I can't judge this."}`, "stop", "I can't judge this."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := vllmWire.ask(t, respond(200, vllmWire.reply(tc.message, tc.finish)))
			if err != nil || got.Finish != Refused || got.Detail != tc.detail {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestPromptTooLong(t *testing.T) {
	const vllm = "This model's maximum context length is 4096 tokens. However, you requested 7284 tokens (7224 in the messages, 60 in the completion). Please reduce the length of the messages or completion."
	for name, tc := range map[string]struct {
		wire   wire
		status int
		body   string
		detail string
	}{
		"Ollama":              {ollamaWire, 400, `{"error":"the input length exceeds the context length"}`, "the input length exceeds the context length"},
		"Ollama, maximum":     {ollamaWire, 400, `{"error":"prompt exceeds maximum context length"}`, "prompt exceeds maximum context length"},
		"Ollama, 200":         {ollamaWire, 200, `{"error":"the input length exceeds the context length"}`, "the input length exceeds the context length"},
		"llama.cpp":           {llamaWire, 400, `{"error":{"code":400,"message":"request (7224 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":7224,"n_ctx":4096}}`, "request (7224 tokens) exceeds the available context size (4096 tokens), try increasing it"},
		"llama.cpp, older":    {llamaWire, 500, `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"invalid_request_error"}}`, "the request exceeds the available context size. try increasing the context size or enable context shift"},
		"vLLM to 0.9":         {vllmWire, 400, `{"object":"error","message":` + quote(vllm) + `,"type":"BadRequestError","param":null,"code":400}`, vllm},
		"vLLM":                {vllmWire, 400, vllmWire.fail(400, vllm), vllm},
		"vLLM, no room":       {vllmWire, 400, vllmWire.fail(400, "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 60 input tokens (4096 > 4096 - 60)."), "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 60 input tokens (4096 > 4096 - 60)."},
		"vLLM, decoder":       {vllmWire, 400, vllmWire.fail(400, "The decoder prompt (length 7224) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens."), "The decoder prompt (length 7224) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens."},
		"SGLang":              {studioWire, 400, `{"object":"error","message":"The input (61709 tokens) is longer than the model's context length (40960 tokens).","type":"BadRequestError","param":null,"code":400}`, "The input (61709 tokens) is longer than the model's context length (40960 tokens)."},
		"LM Studio, n_keep":   {studioWire, 400, `{"error":"Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}`, "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"},
		"LM Studio, overflow": {studioWire, 400, `{"error":"Trying to keep the first 7224 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}`, "Trying to keep the first 7224 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"},
		"LM Studio, 200":      {studioWire, 200, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 7224>= n_ctx: 4096)."}`, "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 7224>= n_ctx: 4096)."},
		"vLLM from 0.15":      {vllmWire, 400, vllmWire.fail(400, "You passed 4097 input tokens and requested 60 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4036 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=4097)"), "You passed 4097 input tokens and requested 60 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4036 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=4097)"},
		"SGLang, requested":   {studioWire, 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 40960 tokens. You requested a total of 41000 tokens.","type":"BadRequestError","code":400}`, "Requested token count exceeds the model's maximum context length of 40960 tokens. You requested a total of 41000 tokens."},
		"SGLang, allowed":     {studioWire, 400, `{"object":"error","message":"Input length 131393 exceeds the maximum allowed input length of 131040 tokens."}`, "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."},
		"behind LiteLLM":      {studioWire, 400, studioWire.fail(400, "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 4096 tokens."), "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 4096 tokens."},
		"plain text":          {studioWire, 413, "prompt is too long\n", "prompt is too long"},
		"OpenAI":              {studioWire, 400, `{"error":{"message":"Input is too much.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, "Input is too much."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.wire.ask(t, respond(tc.status, tc.body))
			assert.NilError(t, err)
			got.Took = 0
			if want := (Response{Finish: TooLong, Detail: tc.detail, Context: question.Context}); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestNotTooLong(t *testing.T) {
	for name, tc := range map[string]struct {
		wire   wire
		status int
		body   string
		kind   Kind
		reason string
	}{
		"pool of slots is full": {llamaWire, 500, llamaWire.fail(500, "Context size has been exceeded."), ServerSide, "concurrent requests overflow a shared pool: each alone may fit"},
		"another 400":           {vllmWire, 400, vllmWire.fail(400, "Invalid value for seed."), BadRequest, "nothing is said of length"},
		"busy, with the words":  {ollamaWire, 503, ollamaWire.fail(503, "the input length exceeds the context length"), Busy, "the status says that it may pass"},
		"quoted by vLLM":        {vllmWire, 400, vllmWire.fail(400, "[{'type': 'literal_error', 'loc': ('body', 'messages', 0, 'role'), 'msg': \"Input should be 'user'\", 'input': 'The prompt exceeds the maximum context length. context_length_exceeded'}]"), BadRequest, "the words are the prompt's"},
		"quoted by llama.cpp":   {llamaWire, 500, llamaWire.fail(500, "Failed to parse messages: Missing 'content'; offending message: {\"role\":\"user\",\"x\":\"This model's maximum context length is 8192 tokens. However, …\"}"), ServerSide, "the words are the prompt's"},
		"quoted, beside":        {vllmWire, 400, `{"error":{"message":"Invalid role.","type":"BadRequestError","code":400},"request":{"messages":[{"content":"the input length exceeds the context length"}]}}`, BadRequest, "the words are the prompt's"},
		"quoted, in a 200":      {ollamaWire, 200, `{"error":"invalid message: the input length exceeds the context length"}`, ServerSide, "the words are the prompt's"},
		"quoted, no JSON":       {studioWire, 400, "cannot read: 'prompt is too long'", BadRequest, "the words are the prompt's"},
		"another type":          {llamaWire, 400, `{"error":{"message":"no","type":"exceed_context_size_error_of_mine"}}`, BadRequest, "types are compared whole"},
		"template error":        {llamaWire, 500, llamaWire.fail(500, "System role not supported"), ServerSide, "nothing is said of length"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.wire.ask(t, respond(tc.status, tc.body))
			if !IsKind(err, tc.kind) {
				t.Errorf("got %+v, %v, want kind %s: %s", got, err, tc.kind, tc.reason)
			}
		})
	}
}

// A reply that speaks of context lengths is a reply.
func TestReplyAboutContextLength(t *testing.T) {
	const text = "Answer A exceeds the maximum context length. [[B>A]]"
	eachWire(t, func(t *testing.T, w wire) {
		got, err := w.ask(t, w.says(text))
		if err != nil || got.Text != text || got.Finish != Stop {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// Some proxies stream whatever they are asked.
func TestOllamaStreamsAgainstTheRequest(t *testing.T) {
	got, err := ollamaWire.ask(t, respond(200, `{"message":{"role":"assistant","content":"[[A","thinking":"h"},"done":false}
{"message":{"role":"assistant","content":">B]]","thinking":"m"},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":3}
`))
	if err != nil || got.Text != "[[A>B]]" || got.Thinking != "hm" || got.ReplyTokens != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The contract of Client, for every backend.
func TestAskedByManyAtOnce(t *testing.T) {
	clients := map[string]Client{}
	for _, w := range wires {
		s := w.start(t, w.says("[[A>B]]"))
		clients[w.name] = w.dial(s.URL, "", NewHTTPClient(8))
	}
	sim, err := NewSim("coin")
	assert.NilError(t, err)
	clients["sim"] = sim
	req := question
	req.Oracle = &Oracle{Item: "x", Choices: []string{"[[A>B]]", "[[B>A]]"}, Order: []int{0, 1}}
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			first, err := c.Ask(context.Background(), req)
			assert.NilError(t, err)
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					if again, err := c.Ask(context.Background(), req); err != nil || again.Text != first.Text {
						t.Errorf("asked again: %q, %v, at first %q", again.Text, err, first.Text)
					}
				})
			}
			wg.Wait()
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := c.Ask(ctx, req); err != context.Canceled {
				t.Errorf("cancelled before: %v", err)
			}
		})
	}
	if h, ok := NewHTTPClient(8).Transport.(*http.Transport); !ok || h.MaxIdleConnsPerHost != 8 {
		t.Error("fewer warm connections than requests in flight")
	}
}
