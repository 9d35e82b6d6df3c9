package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/eval"
)

// patient is a server to be looked over, healthy but for what is set. Its
// tokens are words, and five for every message.
type patient struct {
	kind    string // "ollama", "llama" or "vllm"
	context int    // served; what Ollama is asked for counts there
	trained int
	slots   int
	gpu     int64 // thousandths of the model on it

	cuts       bool          // cuts what does not fit, whatever it is told
	oddWords   bool          // refuses what does not fit in words that nobody knows
	noUsage    bool          // counts no tokens
	free       bool          // passes over constraints
	noLogprobs bool          // tells none
	noSystem   bool          // refuses a system message
	dropSystem bool          // passes over a system message
	fickle     bool          // answers differently under load
	dice       bool          // never answers twice alike
	pooled     bool          // slots share the context
	one        bool          // serves one request at a time
	thinks     string        // "", "both" (on and off work) or "always"
	takes      time.Duration // for a reply
	counts     time.Duration // for a reply to the question that tells how many are served at once
	fails      int           // status of every question
	diesAfter  int64         // questions, 0 for never

	asked    atomic.Int64
	inFlight atomic.Int64
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

func (p *patient) start(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(p.handler())
	t.Cleanup(s.Close)
	return s.URL
}

// visited has the doctor look it over in a bubble of synctest: there is a clock
// of their own, and a network in memory, so that what is told by the time a reply
// takes is the same on every machine.
func (p *patient) visited(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	l := &memoryNet{conns: make(chan net.Conn), closed: make(chan struct{})}
	h := p.handler()
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isChat(r.URL.Path) {
			time.Sleep(waveTime / 2) // so that no wave has to be sent again to be measured
		}
		h.ServeHTTP(w, r)
	})}
	go s.Serve(l)
	defer s.Close()
	var out, errs bytes.Buffer
	e := newEnv(nil, &out, &errs)
	e.http.Transport.(*http.Transport).DialContext = l.dial
	code = e.gavel(t.Context(), append([]string{"doctor", "--json", "--base-url", "http://127.0.0.1"}, args...))
	return out.String(), errs.String(), code
}

// memoryNet is a listener for connections within the process.
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
	switch p.kind {
	case "ollama":
		capabilities := `["completion"]`
		if p.thinks != "" {
			capabilities = `["completion","thinking"]`
		}
		mux.HandleFunc("GET /api/version", text(`{"version":"0.17.4"}`))
		mux.HandleFunc("GET /api/tags", text(`{"models":[{"name":"tiny:latest","digest":"feedbeefcafe0000","details":{"parameter_size":"8.2B","quantization_level":"Q4_K_M"}}]}`))
		mux.HandleFunc("POST /api/show", text(fmt.Sprintf(`{"model_info":{"general.architecture":"llama","llama.context_length":%d},"capabilities":%s}`, p.trained, capabilities)))
		mux.HandleFunc("GET /api/ps", text(fmt.Sprintf(`{"models":[{"name":"tiny:latest","size":5200000000,"size_vram":%d,"context_length":%d}]}`, p.gpu*5200000, max(p.context, 20480))))
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
	n := p.asked.Add(1)
	if p.diesAfter > 0 && n > p.diesAfter {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
		return
	}
	crowd := p.inFlight.Add(1) > 1
	defer p.inFlight.Add(-1)
	var body bytes.Buffer
	body.ReadFrom(r.Body)
	var req patientRequest
	if err := json.Unmarshal(body.Bytes(), &req); err != nil {
		p.fail(w, 400, err.Error())
		return
	}
	if p.one {
		p.turn <- struct{}{}
		defer func() { <-p.turn }()
	}
	if req.Options.NumCtx > 0 {
		req.MaxTokens = req.Options.Predict
	}
	if req.MaxTokens > 1 {
		time.Sleep(p.takes)
	}
	if strings.HasPrefix(req.Messages[0].Content, wordy[0]) {
		time.Sleep(p.counts)
	}
	p.answer(w, req, n, crowd || p.inFlight.Load() > 1)
}

func (p *patient) answer(w http.ResponseWriter, req patientRequest, n int64, crowd bool) {
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
	case p.pooled && tokens > served/2 && req.MaxTokens > 1:
		p.fail(w, 500, "Context size has been exceeded.")
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
	} else if p.dice || p.fickle && crowd {
		words += fmt.Sprint(n)
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

// choices is the label that a constraint allows first, "" without one.
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
	p := &patient{kind: kind, context: 20480, trained: 32768, gpu: 1000}
	if kind == "llama" {
		p.slots = 4
	}
	return p
}

// briefly has the load be measured in no time to speak of.
func briefly(t *testing.T) {
	old := waveTime
	waveTime = 4 * time.Millisecond
	t.Cleanup(func() { waveTime = old })
}

// examined runs the doctor and reads what it prints.
func examined(t *testing.T, wantCode int, url string, args ...string) (d diagnosis, stderr string) {
	t.Helper()
	stdout, stderr, code := call(t, append([]string{"doctor", "--json", "--base-url", url}, args...)...)
	return diagnosed(t, wantCode, stdout, stderr, code), stderr
}

func diagnosed(t *testing.T, wantCode int, stdout, stderr string, code int) (d diagnosis) {
	t.Helper()
	if code != wantCode {
		t.Fatalf("exit status %d, want %d\n%s%s", code, wantCode, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if d.Ready != (code == 0) {
		t.Errorf("ready is %v, the exit status %d", d.Ready, code)
	}
	return d
}

func (d diagnosis) find(t *testing.T, check string) finding {
	t.Helper()
	for _, f := range d.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", check, d.Findings)
	return finding{}
}

// TestDoctorHealthy: nothing to complain of, on every wire format.
func TestDoctorHealthy(t *testing.T) {
	briefly(t)
	for _, kind := range []string{"ollama", "llama", "vllm"} {
		t.Run(kind, func(t *testing.T) {
			home(t)
			var d diagnosis
			synctest.Test(t, func(t *testing.T) {
				stdout, stderr, code := healthy(kind).visited(t)
				d = diagnosed(t, 0, stdout, stderr, code)
			})
			for _, f := range d.Findings {
				known := f.Status == statusOK || f.Status == statusSkipped && f.Check == "shared context" ||
					f.Check == "parallel requests" || kind == "vllm" && f.Check == "model"
				if !known {
					t.Errorf("%+v", f)
				}
				if (f.Do == "") != (f.Status == statusOK || f.Status == statusSkipped) {
					t.Errorf("what to do stands with what needs doing: %+v", f)
				}
			}
			if len(d.Findings) < len(checks) || d.Speed == nil || d.Speed.Concurrency < 1 || d.Speed.Paces[0].Sop.Hours <= 0 {
				t.Errorf("%d findings, speed %+v", len(d.Findings), d.Speed)
			}
			if wall := kind == "vllm"; (d.Speed.Clock == "wall") != wall {
				t.Errorf("timed by the %s", d.Speed.Clock)
			}
			if kind == "ollama" && !strings.Contains(d.find(t, "over-long prompt").Said, "left to itself the server would have cut it to 1024") {
				t.Errorf("%+v", d.find(t, "over-long prompt"))
			}
		})
	}
}

// TestDoctorFindings: each illness is found, and only by its own check does it
// end the visit.
func TestDoctorFindings(t *testing.T) {
	briefly(t)
	for name, tc := range map[string]struct {
		ill    func(p *patient)
		kinds  []string // all where empty
		args   []string
		check  string
		status string
		said   string
		do     string
	}{
		"cuts in silence":         {ill: func(p *patient) { p.cuts = true }, check: "over-long prompt", status: statusFail, said: "is cut in silence"},
		"an old Ollama":           {ill: func(p *patient) { p.cuts = true }, kinds: []string{"ollama"}, check: "over-long prompt", status: statusFail, said: "at a context of 1024: the server read 1024", do: "upgrade Ollama to 0.12.6 or later (this is 0.17.4)"},
		"refuses in odd words":    {ill: func(p *patient) { p.oddWords = true }, check: "over-long prompt", status: statusWarn, said: "HTTP 400: no way"},
		"counts nothing":          {ill: func(p *patient) { p.noUsage = true; p.cuts = true }, check: "over-long prompt", status: statusUnknown, said: "does not tell how much it read"},
		"counts nothing, ever":    {ill: func(p *patient) { p.noUsage = true }, check: "reply", status: statusWarn, said: "counts no tokens"},
		"passes over constraints": {ill: func(p *patient) { p.free = true }, check: "constrained output", status: statusWarn, said: "ignored", do: "run without --constrain"},
		"logprobs all the same":   {ill: func(p *patient) { p.free = true }, check: "logprobs", status: statusOK, said: "told"},
		"no logprobs":             {ill: func(p *patient) { p.noLogprobs = true }, check: "logprobs", status: statusWarn, said: "none came", do: "run without --logprobs"},
		"logprobs of an old one":  {ill: func(p *patient) { p.noLogprobs = true }, kinds: []string{"ollama"}, check: "logprobs", status: statusWarn, said: "none came", do: "0.12.11"},
		"refuses a system role":   {ill: func(p *patient) { p.noSystem = true }, check: "system role", status: statusFail, said: "refused: HTTP 400: System role not supported", do: "--system-role user"},
		"drops a system message":  {ill: func(p *patient) { p.dropSystem = true }, check: "system role", status: statusFail, said: "left out", do: "--system-role user"},
		"goes on without it":      {ill: func(p *patient) { p.noSystem = true }, check: "same reply again", status: statusOK, said: "of 8 replies 0 changed"},
		"told of the role":        {ill: func(p *patient) { p.noSystem = true }, args: []string{"--system-role", "user"}, check: "system role", status: statusSkipped},
		"fickle under load":       {ill: func(p *patient) { p.fickle = true; p.takes = 5 * time.Millisecond }, check: "same reply again", status: statusWarn, said: "of 8 replies 0 changed when asked again alone, ", do: "--strict-determinism"},
		"fickle":                  {ill: func(p *patient) { p.dice = true }, check: "same reply again", status: statusWarn, said: "of 8 replies 8 changed when asked again alone", do: "--repeat"},
		"one at a time":           {ill: func(p *patient) { p.one = true; p.counts = 180 * time.Millisecond }, kinds: []string{"ollama"}, check: "parallel requests", status: statusWarn, said: "one at a time", do: "OLLAMA_NUM_PARALLEL"},
		"all together":            {ill: func(p *patient) { p.counts = 180 * time.Millisecond }, kinds: []string{"ollama", "vllm"}, check: "parallel requests", status: statusOK, said: "4 were served together"},
		"one slot":                {ill: func(p *patient) { p.slots = 1 }, kinds: []string{"llama"}, check: "parallel requests", status: statusWarn, do: "-np 4"},
		"slots share a context":   {ill: func(p *patient) { p.pooled = true }, kinds: []string{"llama"}, check: "shared context", status: statusWarn, said: "4 slots share 20480 tokens", do: "-np N"},
		"thinks when told":        {ill: func(p *patient) { p.thinks = "both" }, check: "thinking", status: statusOK, said: "--think off does not"},
		"thinks whatever":         {ill: func(p *patient) { p.thinks = "always" }, check: "thinking", status: statusWarn, said: "--think off changes nothing"},
		"context too small":       {ill: func(p *patient) { p.context = 1800 }, kinds: []string{"llama", "vllm"}, check: "context", status: statusWarn, said: "would be prompt-too-long"},
		"context far too small":   {ill: func(p *patient) { p.context = 900 }, kinds: []string{"llama", "vllm"}, check: "context", status: statusFail, said: "mean prompt"},
		"little room":             {ill: func(p *patient) { p.context = 4096 }, kinds: []string{"llama"}, check: "context", status: statusWarn, said: "for a reply", do: "-np 4 -c"},
		"beyond its training":     {ill: func(p *patient) { p.trained = 8192 }, kinds: []string{"llama"}, check: "context", status: statusWarn, do: "no more than the model was trained for"},
		"half on a GPU":           {ill: func(p *patient) { p.gpu = 500 }, kinds: []string{"ollama"}, check: "memory", status: statusWarn, said: "only 50 % of it on a GPU"},
		"says no context, cuts":   {ill: func(p *patient) { p.cuts = true }, kinds: []string{"other"}, check: "over-long prompt", status: statusFail, said: "a prompt of at least 80000 tokens is cut in silence: the server read 20480"},
		"says no context":         {ill: func(p *patient) {}, kinds: []string{"other"}, check: "over-long prompt", status: statusOK, said: "a prompt of at least 80000 tokens is refused"},
		"context unknown":         {ill: func(p *patient) {}, kinds: []string{"other"}, check: "context", status: statusUnknown},
		"answers nothing":         {ill: func(p *patient) { p.fails = 400 }, check: "reply", status: statusFail, said: "HTTP 400: out of order"},
		"the rest of that":        {ill: func(p *patient) { p.fails = 400 }, check: "logprobs", status: statusSkipped, said: "does not answer"},
		"dies on the way":         {ill: func(p *patient) { p.diesAfter = 8 }, check: "same reply again", status: statusSkipped, said: "stopped answering"},
	} {
		kinds := tc.kinds
		if kinds == nil {
			kinds = []string{"ollama", "llama", "vllm"}
		}
		for _, kind := range kinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				home(t)
				p := healthy(kind)
				tc.ill(p)
				args := slices.Clone(tc.args)
				if !slices.ContainsFunc(checks, func(c check) bool { return c.load && c.name == tc.check }) {
					args = append(args, "--quick")
				}
				var stdout, stderr string
				var code int
				synctest.Test(t, func(t *testing.T) { stdout, stderr, code = p.visited(t, args...) })
				var d diagnosis
				if err := json.Unmarshal([]byte(stdout), &d); err != nil {
					t.Fatalf("%v in %q\n%s", err, stdout, stderr)
				}
				f := d.find(t, tc.check)
				if f.Status != tc.status || !strings.Contains(f.Said, tc.said) || !strings.Contains(f.Do, tc.do) {
					t.Errorf("got %+v", f)
				}
				if tc.status == statusFail && (code != exitError || !strings.Contains(stderr, "gavel: not ready: "+tc.check)) {
					t.Errorf("exit status %d: %s", code, stderr)
				}
				if tc.said == "stopped answering" && code != exitError {
					t.Errorf("a server that died is ready: exit status %d", code)
				}
				if tc.status == statusWarn && code != exitOK {
					t.Errorf("a warning ends with %d: %s", code, stderr)
				}
				for _, c := range checks { // nothing stops the others from being made
					d.find(t, c.name)
				}
			})
		}
	}
}

// TestDoctorText: the whole output, to the byte.
func TestDoctorText(t *testing.T) {
	for _, kind := range []string{"llama", "ollama"} {
		t.Run(kind, func(t *testing.T) {
			home(t)
			p := healthy(kind)
			p.context, p.free, p.noSystem, p.thinks, p.gpu = 4096, true, true, "always", 500
			url := p.start(t)
			stdout, stderr, code := call(t, "doctor", "--quick", "--base-url", url)
			if code != exitError || !strings.Contains(stderr, "gavel: not ready: system role\n") {
				t.Errorf("exit status %d: %s", code, stderr)
			}
			for _, line := range strings.Split(stdout, "\n") {
				if n := len([]rune(line)); n > 100 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			golden.Assert(t, strings.ReplaceAll(stdout, url, "http://127.0.0.1:8080"), filepath.Join(sourceDir, "testdata", "doctor-"+kind+".txt"))
		})
	}
}

// TestDoctorRefusals: what is no server, no model or no command line.
func TestDoctorRefusals(t *testing.T) {
	home(t)
	const dead = "http://127.0.0.1:1" // no server has that port, and none is given it
	url := healthy("llama").start(t)
	for _, tc := range []struct {
		name string
		args []string
		code int
		said string
	}{
		{"dead endpoint", []string{"--base-url", dead}, exitError, "no server answers at " + dead},
		{"unknown model", []string{"--base-url", url, "--model", "huge"}, exitError, `unknown model "huge"`},
		{"another kind of server", []string{"--base-url", url, "--backend", "ollama"}, exitError, "use --backend openai"},
		{"simulated", []string{"--backend", "sim", "--model", "coin"}, exitUsage, "nothing to look over"},
		{"no time", []string{"--base-url", url, "--timeout", "0s"}, exitUsage, "--timeout 0s"},
		{"no role", []string{"--base-url", url, "--system-role", "judge"}, exitUsage, "--system-role"},
		{"argument", []string{"--base-url", url, "tiny"}, exitUsage, `unexpected argument "tiny"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stdout, stderr, code := call(t, append([]string{"doctor"}, tc.args...)...)
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			if code != tc.code || stdout != "" || !strings.Contains(lines[len(lines)-1], tc.said) || strings.Count(stderr, "gavel: ") != 1 {
				t.Errorf("exit status %d, said %q, printed %q", code, stderr, stdout)
			}
		})
	}
}

// TestDoctorInterrupted: Ctrl-C ends it, and nothing half is printed.
func TestDoctorInterrupted(t *testing.T) {
	home(t)
	p := healthy("llama")
	p.takes = 50 * time.Millisecond
	url := p.start(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(200*time.Millisecond, func() { cancel(eval.ErrInterrupted) })
	var stdout, stderr bytes.Buffer
	code := gavel(ctx, nil, &stdout, &stderr, []string{"doctor", "--base-url", url})
	if code != exitInterrupted || stdout.Len() > 0 {
		t.Errorf("exit status %d, printed %q, said %q", code, stdout.String(), stderr.String())
	}
}

// TestDoctorLeavesTheCacheAlone: it asks anew, and remembers nothing.
func TestDoctorLeavesTheCacheAlone(t *testing.T) {
	dir := home(t)
	p := healthy("llama")
	url := p.start(t)
	examined(t, 0, url, "--quick")
	n := p.asked.Load()
	examined(t, 0, url, "--quick")
	if again := p.asked.Load() - n; again != n {
		t.Errorf("%d questions, then %d", n, again)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "cache", "gavel", "*")); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// TestEstimate: the sum, worked by hand.
func TestEstimate(t *testing.T) {
	d := &doctor{bytesPerTok: 4}
	p := d.paceOf(2, 1000, 100)
	// sop: 6975/4 = 1744 tokens to read in 1.744 s, 600 to write in 6 s: 7.744 s each, 700 of them take 1.506 h.
	if got := fmt.Sprintf("%.4f %.3f", p.Sop.PerSecond, p.Sop.Hours); got != "0.1291 1.506" {
		t.Errorf("sop: %s", got)
	}
	// direct: 5872/4 = 1468 tokens in 1.468 s, 8 in 0.08 s: 1.548 s.
	if got := fmt.Sprintf("%.4f %.3f", p.Direct.PerSecond, p.Direct.Hours); got != "0.6460 0.301" {
		t.Errorf("direct: %s", got)
	}
}

func TestChanged(t *testing.T) {
	r := func(s string) backends.Response { return backends.Response{Text: s} }
	first := []backends.Response{r("a"), r("b")}
	for want, later := range [][]backends.Response{
		{r("a"), r("b"), r("a"), r("b")},
		{r("a"), r("x"), r("a"), r("y")},
		{r("x"), r("b"), r("a"), r("x")},
	} {
		if got := changed(first, later); got != want {
			t.Errorf("%v: %d changed, want %d", later, got, want)
		}
	}
}

func TestWrapped(t *testing.T) {
	for text, want := range map[string]string{
		"→ one two three four":  "→ one|  two|  three|  four",
		"one averylongword end": "one|  averylo|  ngword|  end",
	} {
		if got := strings.Join(wrapped(text, 9, "  "), "|"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("x"), false},
		{context.DeadlineExceeded, false},
		{&backends.Error{Kind: backends.BadRequest, Status: 400}, true},
		{&backends.Error{Kind: backends.ServerSide, Status: 500}, true},
		{&backends.Error{Kind: backends.ServerSide, Status: 502}, false},
		{&backends.Error{Kind: backends.Busy, Status: 503}, false},
		{&backends.Error{Kind: backends.Transport}, false},
	} {
		if got := refused(tc.err); got != tc.want {
			t.Errorf("%v: %v", tc.err, got)
		}
	}
}
