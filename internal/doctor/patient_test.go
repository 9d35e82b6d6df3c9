package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/eval"
)

// patient is a server to be looked over, healthy but for what is set. Its
// tokens are words, and five for every message.
type patient struct {
	kind    string // "ollama", "llama" or "vllm"
	context int    // served; what Ollama is asked for counts there
	trained int
	slots   int

	cuts       bool          // cuts what does not fit, whatever it is told
	oddWords   bool          // refuses what does not fit in words that nobody knows
	noUsage    bool          // counts no tokens
	free       bool          // passes over constraints
	noLogprobs bool          // tells none
	noSystem   bool          // refuses a system message
	dropSystem bool          // passes over a system message
	serial     bool          // serves one request at a time
	thinks     string        // "", "both" (on and off work) or "always"
	takes      time.Duration // for a reply
	reads      int           // tokens of a prompt a second; 0: at once
	counts     time.Duration // for a reply to the question that tells how many are served at once
	fails      int           // status of every question
	diesAfter  int64         // questions, 0 for never

	requests atomic.Int64
	turn     chan struct{}
}

type patientRequest struct {
	Messages []struct{ Role, Content string }
	Truncate *bool
	Think    *bool
	Grammar  string
	Format   json.RawMessage
	Schema   json.RawMessage `json:"response_format"`
	Logprobs bool
	Kwargs   struct {
		Think *bool `json:"enable_thinking"`
	} `json:"chat_template_kwargs"`
	MaxTokens int `json:"max_tokens"`
	Options   struct {
		NumCtx  int `json:"num_ctx"`
		Predict int `json:"num_predict"`
	}
}

// start serves tests that need no clock of their own.
func (p *patient) start(t *testing.T) (url string, client *http.Client) {
	t.Helper()
	s := httptest.NewServer(p.handler())
	t.Cleanup(s.Close)
	return s.URL, s.Client()
}

// visited has the doctor look it over in a bubble of synctest: there is a clock
// of their own, and a network in memory, so that what is told by the time a reply
// takes is the same on every machine.
func (p *patient) visited(t *testing.T, r Examination) (report *Report) {
	t.Helper()
	return visit(t, r, func() http.Handler {
		h := p.handler()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path != "/api/show" { // a question
				time.Sleep(waveTime / 2) // so that no wave has to be sent again to be measured
			}
			h.ServeHTTP(w, r)
		})
	})
}

// visit has the doctor look at a server that is made in a time of its own.
func visit(t *testing.T, r Examination, server func() http.Handler) (report *Report) {
	synctest.Test(t, func(t *testing.T) {
		l := &memoryNet{conns: make(chan net.Conn), closed: make(chan struct{})}
		s := &http.Server{Handler: server()}
		go s.Serve(l)
		defer s.Close()
		client := backends.NewHTTPClient(64)
		client.Transport.(*http.Transport).DialContext = l.dial
		defer client.CloseIdleConnections()
		report = looked(t, t.Context(), "http://127.0.0.1", client, r)
		time.Sleep(time.Minute) // what was given up ends
	})
	return report
}

// looked looks over the one model of a server as "gavel doctor" does.
func looked(t *testing.T, ctx context.Context, url string, client *http.Client, r Examination) *Report {
	t.Helper()
	r.SystemTextRole, r.CallTimeout = cmp.Or(r.SystemTextRole, backends.RoleSystem), 2*time.Minute
	m := eval.Maker{HTTP: client, Getenv: os.Getenv, Now: time.Now}
	judges, err := m.FindJudges(ctx, eval.RunRequest{
		Endpoint: eval.Endpoint{Backend: eval.Backends[0], BaseURLs: []string{url}}, Timeout: r.CallTimeout, RetryFor: r.CallTimeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	tools := Dependencies{
		PoolMember:       judges[0],
		ServerText:       eval.DescribeServer(judges[0].Server),
		StartConcurrency: eval.InitialConcurrency(0, judges[0].Server, judges[0].Model),
		Now:              time.Now,
	}
	set, err := datasets.Library{}.Open("sample")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		tools.SampleText += fmt.Sprintf("\n\n%s\n\n%s\n\n%s", item.Question, item.Candidates[0].Text, item.Candidates[1].Text)
	}
	report, err := Check(ctx, r, tools)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// memoryNet listens for connections within the process.
type memoryNet struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *memoryNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memoryNet) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryNet) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *memoryNet) Addr() net.Addr { return &net.TCPAddr{} }

func (p *patient) handler() http.Handler {
	p.turn = make(chan struct{}, 1)
	mux := http.NewServeMux()
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(s)) }
	}
	switch p.kind {
	case "ollama":
		capabilities := `["completion"]`
		if p.thinks != "" {
			capabilities = `["completion","thinking"]`
		}
		mux.HandleFunc("GET /api/version", text(`{"version":"0.17.4"}`))
		mux.HandleFunc("GET /api/tags", text(`{"models":[{"name":"tiny:latest","digest":"feedbeefcafe0000","details":{"parameter_size":"8.2B","quantization_level":"Q4_K_M"}}]}`))
		mux.HandleFunc("POST /api/show", text(fmt.Sprintf(`{"model_info":{"general.architecture":"llama","llama.context_length":%d},"capabilities":%s}`, p.trained, capabilities)))
		mux.HandleFunc("POST /api/chat", p.chat)
	case "llama":
		template := "{% for message in messages %}"
		if p.thinks != "" {
			template += "<think>"
		}
		mux.HandleFunc("GET /v1/models", text(fmt.Sprintf(`{"data":[{"id":"tiny","owned_by":"llamacpp","meta":{"n_vocab":1579,"n_ctx":%d,"n_ctx_train":%d,"n_params":276160,"size":1104640,"ftype":"all F32"}}]}`, p.context, p.trained)))
		mux.HandleFunc("GET /props", text(fmt.Sprintf(`{"default_generation_settings":{"n_ctx":%d},"total_slots":%d,"build_info":"b11669","chat_template":%q}`, p.context, p.slots, template)))
		mux.HandleFunc("POST /v1/chat/completions", p.chat)
	case "vllm":
		mux.HandleFunc("GET /v1/models", text(fmt.Sprintf(`{"data":[{"id":"tiny","owned_by":"vllm","root":"tiny","max_model_len":%d}]}`, p.context)))
		mux.HandleFunc("GET /version", text(`{"version":"0.11.0"}`))
		mux.HandleFunc("POST /v1/chat/completions", p.chat)
	case "other":
		mux.HandleFunc("GET /v1/models", text(`{"data":[{"id":"tiny","owned_by":"me"}]}`))
		mux.HandleFunc("POST /v1/chat/completions", p.chat)
	}
	return mux
}

// fail refuses in the words of the server.
func (p *patient) fail(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	if p.kind == "ollama" {
		json.NewEncoder(w).Encode(map[string]string{"error": message})
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "code": status}})
}

func (p *patient) chat(w http.ResponseWriter, r *http.Request) {
	n := p.requests.Add(1)
	if p.diesAfter > 0 && n > p.diesAfter {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
		return
	}
	var body bytes.Buffer
	body.ReadFrom(r.Body)
	var req patientRequest
	if err := json.Unmarshal(body.Bytes(), &req); err != nil {
		p.fail(w, 400, err.Error())
		return
	}
	if p.serial {
		p.turn <- struct{}{}
		defer func() { <-p.turn }()
	}
	if req.Options.NumCtx > 0 {
		req.MaxTokens = req.Options.Predict
	}
	if req.MaxTokens > 1 {
		time.Sleep(p.takes)
	}
	if strings.HasPrefix(req.Messages[0].Content, longQuestion) {
		time.Sleep(p.counts)
	}
	p.answer(w, req)
}

func (p *patient) answer(w http.ResponseWriter, req patientRequest) {
	served := p.context
	if req.Options.NumCtx > 0 {
		served = req.Options.NumCtx
	}
	tokens, hash := 0, fnv.New32()
	for _, m := range req.Messages {
		if m.Role == "system" && p.noSystem {
			p.fail(w, 400, "System role not supported")
			return
		}
		if m.Role == "system" && p.dropSystem {
			continue
		}
		tokens += len(strings.Fields(m.Content)) + 5
		hash.Write([]byte(m.Content))
	}
	if p.reads > 0 {
		time.Sleep(time.Duration(tokens) * time.Second / time.Duration(p.reads))
	}
	switch careless := p.kind == "ollama" && req.Truncate == nil; {
	case p.fails != 0:
		p.fail(w, p.fails, "out of order")
		return
	case tokens > served && (p.cuts || careless):
		tokens = served
	case tokens > served && p.oddWords:
		p.fail(w, 400, "no way")
		return
	case tokens > served:
		p.fail(w, 400, "the input length exceeds the context length")
		return
	}
	if req.Think != nil && *req.Think && p.thinks == "" {
		p.fail(w, 400, `"tiny" does not support thinking`)
		return
	}
	words, thinking := fmt.Sprintf("reply %x of many words", hash.Sum32()), ""
	if choice := choices(req); choice != "" && !p.free {
		words = choice
		if p.kind != "llama" || p.thinks != "" {
			words = `"` + words + `"` // held by a schema
		}
	}
	think := req.Think == nil || *req.Think
	if p.kind != "ollama" {
		think = req.Kwargs.Think == nil || *req.Kwargs.Think
	}
	if p.thinks == "always" || p.thinks == "both" && think {
		thinking = "hm, let me see"
	}
	if p.noUsage {
		tokens = 0
	}
	p.write(w, req, tokens, words, thinking)
}

var offered = regexp.MustCompile(`\[\[A>B\]\]`)

// choices returns the first label that a constraint allows, or "".
func choices(req patientRequest) string {
	return offered.FindString(strings.ReplaceAll(req.Grammar+string(req.Format)+string(req.Schema), `\u003e`, ">"))
}

func (p *patient) write(w http.ResponseWriter, req patientRequest, tokens int, words, thinking string) {
	var logprobs []any
	if req.Logprobs && !p.noLogprobs {
		logprobs = []any{map[string]any{"token": words, "logprob": -0.1, "top_logprobs": []any{}}}
	}
	if p.kind == "ollama" {
		json.NewEncoder(w).Encode(map[string]any{
			"message": map[string]string{"role": "assistant", "content": words, "thinking": thinking}, "done": true, "done_reason": "stop",
			"prompt_eval_count": tokens, "prompt_eval_duration": tokens * 1e5, "eval_count": 20, "eval_duration": 1e9, "logprobs": logprobs,
		})
		return
	}
	reply := map[string]any{
		"choices": []any{map[string]any{
			"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": words, "reasoning_content": thinking},
			"logprobs": map[string]any{"content": logprobs},
		}},
		"usage": map[string]int{"prompt_tokens": tokens, "completion_tokens": 20},
	}
	if p.kind == "llama" {
		reply["timings"] = map[string]any{"prompt_n": tokens, "prompt_ms": float64(tokens) / 10, "predicted_n": 20, "predicted_ms": 1000.0}
	}
	json.NewEncoder(w).Encode(reply)
}

func healthy(kind string) *patient {
	p := &patient{kind: kind, context: 20480, trained: 32768}
	if kind == "llama" {
		p.slots = 4
	}
	return p
}
