package backends

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// wire is one kind of server: how it writes what every server says. The
// replies are those of llama.cpp b11669, Ollama 0.17.4, vLLM 0.11 and LM Studio
// 0.3: of the first two as the servers sent them, of vLLM as its API reference
// has them (docs.vllm.ai, "OpenAI-Compatible Server" and the protocol modules of
// vllm.entrypoints; its errors are ErrorResponse there), of LM Studio as its
// documentation has them (lmstudio.ai/docs, "OpenAI Compatibility"). A test for all of them runs over [wires].
type wire struct {
	name  string
	pages map[string]string // what it says of itself
	lost  http.HandlerFunc  // what it says to an unknown path
	chat  string            // path that is asked
	reply func(message, finish string) string
	fail  func(status int, message string) string
	dial  func(url, key string, c *http.Client) Backend
	asks  Request // what it is asked; the zero value: question
}

func dialOpenAI(url, key string, c *http.Client) Backend { return NewOpenAI(url, key, c) }

func dialOllama(url, _ string, c *http.Client) Backend {
	o, err := NewOllama(url, c)
	if err != nil {
		panic(err)
	}
	return o
}

var wires = []wire{ollamaWire, llamaWire, vllmWire, studioWire}

var ollamaWire = wire{
	name: "Ollama",
	pages: map[string]string{
		"/api/version": `{"version":"0.17.4"}`,
		"/api/tags":    `{"models":[{"name":"tiny:latest","model":"tiny:latest","modified_at":"2026-11-20T11:01:47.723163189Z","size":1141759,"digest":"a8f0a3abe842","details":{"parent_model":"","format":"gguf","family":"llama","families":["llama"],"parameter_size":"276K","quantization_level":"unknown"}},{"name":"judge:8b","model":"judge:8b","digest":"c0ffee","details":{}}]}`,
		"/api/show":    `{"details":{"format":"gguf"},"model_info":{"general.architecture":"llama","llama.context_length":32768}}`,
		"/v1/models":   `{"object":"list","data":[{"id":"tiny:latest","object":"model","created":1795172507,"owned_by":"library"}]}`,
		"/":            "Ollama is running",
	},
	lost: respond(404, "404 page not found"),
	chat: "/api/chat",
	reply: func(message, finish string) string {
		return `{"model":"tiny","created_at":"2026-11-20T11:01:53.481514719Z","message":` + message + `,"done":true,"done_reason":"` + finish + `","total_duration":364869121,"load_duration":283523016,"prompt_eval_count":34,"prompt_eval_duration":1671092,"eval_count":22,"eval_duration":76820619}`
	},
	fail: func(_ int, message string) string { return `{"error":` + quote(message) + `}` },
	dial: dialOllama,
}

var llamaWire = wire{
	name: LlamaCpp,
	pages: map[string]string{
		"/v1/models": `{"models":[{"name":"tiny","model":"tiny","type":"model","capabilities":["completion"]}],"object":"list","data":[{"id":"models/tiny-Q8_0.gguf","aliases":["tiny"],"tags":[],"object":"model","created":1795172512,"owned_by":"llamacpp","meta":{"vocab_type":1,"n_vocab":1579,"n_ctx":8192,"n_ctx_train":32768,"n_embd":64,"n_params":276160,"size":1104640,"ftype":"all F32"}}]}`,
		"/props":     `{"default_generation_settings":{"params":{"seed":4294967295,"temperature":0.8,"repeat_penalty":1.0},"n_ctx":4096},"total_slots":2,"model_alias":"tiny","build_info":"b11669-Debian","chat_template":"{% for message in messages %}"}`,
	},
	lost: respond(404, `{"error":{"message":"File Not Found","type":"not_found_error","code":404}}`),
	chat: "/v1/chat/completions",
	reply: func(message, finish string) string {
		return `{"choices":[{"finish_reason":"` + finish + `","index":0,"message":` + message + `}],"created":1795172507,"model":"tiny","system_fingerprint":"b11669-Debian","object":"chat.completion","usage":{"completion_tokens":22,"prompt_tokens":34,"total_tokens":56,"prompt_tokens_details":{"cached_tokens":0}},"id":"chatcmpl-hXlHXzG5ZUOk2EZ4VHogrgpeHQK1DQ2Q","timings":{"cache_n":0,"prompt_n":34,"prompt_ms":1.0}}`
	},
	fail: func(status int, message string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"type":"server_error"}}`, status, quote(message))
	},
	dial: dialOpenAI,
}

var vllmWire = wire{
	name: VLLM,
	pages: map[string]string{
		"/v1/models": `{"object":"list","data":[{"id":"org/tiny","object":"model","created":1795172512,"owned_by":"vllm","root":"org/tiny","parent":null,"max_model_len":4096,"permission":[]},{"id":"tuned","object":"model","owned_by":"vllm","root":"/models/tuned","parent":"org/tiny","max_model_len":4096}]}`,
		"/version":   `{"version":"0.11.0"}`,
	},
	lost: respond(404, `{"detail":"Not Found"}`),
	chat: "/v1/chat/completions",
	reply: func(message, finish string) string {
		return `{"id":"chatcmpl-1","object":"chat.completion","created":1795172507,"model":"org/tiny","choices":[{"index":0,"message":` + message + `,"logprobs":null,"finish_reason":"` + finish + `","stop_reason":null,"token_ids":null}],"service_tier":null,"system_fingerprint":null,"usage":{"prompt_tokens":34,"total_tokens":56,"completion_tokens":22,"prompt_tokens_details":null},"prompt_logprobs":null,"kv_transfer_params":null}`
	},
	fail: func(status int, message string) string {
		return fmt.Sprintf(`{"error":{"message":%s,"type":"BadRequestError","param":null,"code":%d}}`, quote(message), status)
	},
	dial: dialOpenAI,
}

var studioWire = wire{
	name:  LMStudio,
	pages: map[string]string{"/v1/models": `{"data":[{"id":"qwen3-8b","object":"model","owned_by":"organization_owner"}],"object":"list"}`},
	lost:  respond(200, `{"error":"Unexpected endpoint or method. (GET /). Returning 200 anyway"}`),
	chat:  "/v1/chat/completions",
	reply: func(message, finish string) string {
		return `{"id":"chatcmpl-2","object":"chat.completion","created":1795172507,"model":"qwen3-8b","choices":[{"index":0,"message":` + message + `,"logprobs":null,"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":34,"completion_tokens":22,"total_tokens":56},"stats":{},"system_fingerprint":"qwen3-8b"}`
	},
	fail: func(_ int, message string) string { return `{"error":` + quote(message) + `}` },
	dial: dialOpenAI,
}

// withName returns the wire under another name.
func (w wire) withName(name string) wire {
	w.name = name
	return w
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// content returns an assistant's message with further members.
func content(text string, members ...string) string {
	m := `{"role":"assistant","content":` + quote(text)
	for _, more := range members {
		m += "," + more
	}
	return m + "}"
}

func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// completeAnswer returns a complete answer with further members in its message.
func (w wire) completeAnswer(text string, members ...string) http.HandlerFunc {
	return respond(200, w.reply(content(text, members...), "stop"))
}

// stub is a running server of one kind. It records the requests.
type stub struct {
	*httptest.Server
	mu       sync.Mutex
	requests []stubRequest
}

type stubRequest struct {
	path   string
	header http.Header
	body   []byte
}

// start runs a server that answers questions with each of the answers in turn,
// and from then on with the last.
func (w wire) start(t *testing.T, answers ...http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, stubRequest{r.URL.Path, r.Header.Clone(), body})
		s.mu.Unlock()
		page, ok := w.pages[r.URL.Path]
		switch {
		case r.URL.Path == w.chat && len(answers) > 0:
			answers[min(len(s.requestsTo(w.chat)), len(answers))-1](rw, r)
		case ok:
			respond(200, page)(rw, r)
		default:
			w.lost(rw, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// unusedAddress has no server: the kernel assigns no port that low.
const unusedAddress = "http://127.0.0.1:1"

// requestsTo returns the requests to a path.
func (s *stub) requestsTo(path string) []stubRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []stubRequest
	for _, q := range s.requests {
		if q.path == path {
			out = append(out, q)
		}
	}
	return out
}

// client asks a stub without keeping connections after the test.
func (s *stub) client(w wire, key string) Backend { return w.dial(s.URL, key, s.Server.Client()) }

var question = Request{
	Identity: "test", Model: "tiny", TopP: 1, Seed: 7, MaxTokens: 60, NumCtx: 4096, ReportedContextTokens: 4096,
	Messages: []Message{{RoleSystem, "You are a judge."}, {RoleUser, "Which answer is better, A or B?"}},
}

// ask asks a fresh server that has one answer.
func (w wire) ask(t *testing.T, answer http.HandlerFunc) (Response, error) {
	t.Helper()
	if w.asks.Model != "" {
		return w.askFor(t, w.asks, answer)
	}
	return w.askFor(t, question, answer)
}

func (w wire) askFor(t *testing.T, req Request, answer http.HandlerFunc) (Response, error) {
	t.Helper()
	return w.start(t, answer).client(w, "").Ask(context.Background(), req)
}

// eachWire runs a test against every kind of server.
func eachWire(t *testing.T, f func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(strings.ReplaceAll(w.name, " ", "-"), func(t *testing.T) { f(t, w) })
	}
}
