package backends

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
)

// connect dials a server that is not asked anything.
func (w wire) connect(t *testing.T) Backend {
	t.Helper()
	return w.start(t).client(w, "")
}

// saying is the wire with one of its pages changed; "" takes it away.
func (w wire) saying(page, body string) wire {
	w.pages = maps.Clone(w.pages)
	w.pages[page] = body
	if body == "" {
		delete(w.pages, page)
	}
	return w
}

func TestServer(t *testing.T) {
	for _, tc := range []struct {
		wire                wire
		kind, name, version string
	}{
		{ollamaWire, "ollama", "Ollama", "0.17.4"},
		{llamaWire, "openai", "llama.cpp", "b11669-Debian"},
		{llamaWire.saying("/props", ""), "openai", "llama.cpp", ""},
		{vllmWire, "openai", "vLLM", "0.11.0"},
		{studioWire, "openai", "LM Studio", ""},
		{sglangWire.saying("/server_info", `{"version":"0.5.13"}`), "openai", "SGLang", "0.5.13"},
		{sglangWire.saying("/get_server_info", `{"model_path":"org/tiny","version":"0.5.12"}`), "openai", "SGLang", "0.5.12"},
		{studioWire.saying("/v1/models", `{"data":[]}`), "openai", "OpenAI-compatible", ""},
		{llamaWire.saying("/v1/models", ""), "openai", "OpenAI-compatible", ""},
	} {
		s, err := tc.wire.connect(t).Server(context.Background())
		if err != nil || s.Kind != tc.kind || s.Name != tc.name || s.Version != tc.version || !strings.HasPrefix(s.URL, "http://127.0.0.1:") {
			t.Errorf("%s: got %+v, %v", tc.name, s, err)
		}
	}
}

func TestModel(t *testing.T) {
	tiny := Model{
		Name: "tiny:latest", Digest: "a8f0a3abe842", Family: "llama", Parameters: "276K", Quantisation: "unknown", Trained: 32768, Logprobs: Yes,
	}
	llama := Model{
		Name: "models/tiny-Q8_0.gguf", Quantisation: "all F32", Parameters: "276K", Trained: 32768, Context: 4096, Slots: 2, Thinks: No, Logprobs: Yes, Aliases: []string{"tiny"},
		Fingerprint: "params=276160 size=1104640 vocab=1579 type=all F32 template=" + shortHash("{% for message in messages %}"),
	}
	noProps := llama
	noProps.Context, noProps.Slots, noProps.Thinks = 8192, 0, Unknown
	noProps.Fingerprint = "params=276160 size=1104640 vocab=1579 type=all F32"
	for name, tc := range map[string]struct {
		wire  wire
		ask   string
		want  Model
		wrong string // the error, with the address as URL
	}{
		"Ollama":                  {wire: ollamaWire, ask: "tiny:latest", want: tiny},
		"Ollama, without :latest": {wire: ollamaWire, ask: "tiny", want: tiny},
		"Ollama, a tag":           {wire: ollamaWire, ask: "judge:8b", want: Model{Name: "judge:8b", Digest: "c0ffee", Trained: 32768, Logprobs: Yes}},
		"Ollama, another tag":     {wire: ollamaWire, ask: "judge", wrong: `unknown model "judge" at URL: it offers judge:8b, tiny:latest`},
		"llama.cpp, its id":       {wire: llamaWire, ask: "models/tiny-Q8_0.gguf", want: llama},
		"llama.cpp, alias":        {wire: llamaWire, ask: "tiny", want: llama},
		"llama.cpp, file name":    {wire: llamaWire, ask: "tiny-Q8_0.gguf", want: llama},
		"llama.cpp, its stem":     {wire: llamaWire, ask: "tiny-Q8_0", want: llama},
		"llama.cpp, on Windows":   {wire: llamaWire.saying("/v1/models", `{"data":[{"id":"C:\\m\\tiny.gguf","owned_by":"llamacpp"}]}`).saying("/props", ""), ask: "tiny", want: Model{Name: `C:\m\tiny.gguf`, Logprobs: Yes}},
		"llama.cpp, no props":     {wire: llamaWire.saying("/props", ""), ask: "tiny", want: noProps},
		"llama.cpp, unknown":      {wire: llamaWire, ask: "gpt-4o", wrong: `unknown model "gpt-4o" at URL/v1: it offers models/tiny-Q8_0.gguf`},
		"llama.cpp, part of it":   {wire: llamaWire, ask: "tin", wrong: `unknown model "tin" at URL/v1: it offers models/tiny-Q8_0.gguf`},
		"vLLM":                    {wire: vllmWire, ask: "org/tiny", want: Model{Name: "org/tiny", Context: 4096, Logprobs: Yes}},
		"vLLM, adapter":           {wire: vllmWire, ask: "tuned", want: Model{Name: "tuned", Context: 4096, Fingerprint: "root=/models/tuned", Logprobs: Yes}},
		"vLLM, two names": {wire: vllmWire.saying("/v1/models", `{"data":[{"id":"a","owned_by":"vllm","root":"org/tiny"},{"id":"b","owned_by":"vllm","root":"org/tiny"}]}`),
			ask: "b", want: Model{Name: "b", Fingerprint: "root=org/tiny", Logprobs: Yes, Aliases: []string{"a"}}},
		"vLLM, unknown":           {wire: vllmWire, ask: "none", wrong: `unknown model "none" at URL/v1: it offers org/tiny, tuned`},
		"LM Studio":               {wire: studioWire, ask: "qwen3-8b", want: Model{Name: "qwen3-8b", Logprobs: No}},
		"no model loaded":         {wire: studioWire.saying("/v1/models", `{"data":[]}`), ask: "m", want: Model{Name: "m"}},
		"a server without a list": {wire: llamaWire.saying("/v1/models", ""), ask: "anything", want: Model{Name: "anything"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := tc.wire.start(t)
			got, err := s.client(tc.wire, "").Model(context.Background(), tc.ask)
			if tc.wrong != "" {
				if !IsKind(err, NotFound) || strings.ReplaceAll(err.Error(), s.URL, "URL") != tc.wrong {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tc.want)
			}
		})
	}
}

func TestModels(t *testing.T) {
	want := map[string]string{"Ollama": "judge:8b tiny:latest", "llama.cpp": "models/tiny-Q8_0.gguf", "vLLM": "org/tiny tuned", "LM Studio": "qwen3-8b"}
	eachWire(t, func(t *testing.T, w wire) {
		models, err := w.connect(t).Models(context.Background())
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		if err != nil || strings.Join(names, " ") != want[w.name] {
			t.Errorf("got %v, %v", names, err)
		}
	})
}

// What cannot be read is an error of the same kinds as a question's.
func TestPagesThatFail(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		list := map[bool]string{true: "/api/tags", false: "/v1/models"}[w.name == "Ollama"]
		for name, tc := range map[string]struct {
			wire wire
			kind Kind
		}{
			"HTML":         {w.saying(list, "<html>"), ServerSide},
			"wrong types":  {w.saying(list, `{"data":5,"models":5}`), ServerSide},
			"key is asked": {w.failing(401, "no"), Auth},
			"loading":      {w.failing(503, "no"), Busy},
		} {
			b := tc.wire.connect(t)
			if _, err := b.Models(context.Background()); !IsKind(err, tc.kind) {
				t.Errorf("%s: Models: %v", name, err)
			}
			if _, err := b.Model(context.Background(), "tiny"); !IsKind(err, tc.kind) {
				t.Errorf("%s: Model: %v", name, err)
			}
		}
	})
}

// failing is the wire with nothing but one status to say.
func (w wire) failing(status int, message string) wire {
	w.pages, w.lost = nil, respond(status, w.fail(status, message))
	return w
}

func TestIdentity(t *testing.T) {
	for want, m := range map[string]Model{
		"ollama sha:1":    {Name: "a", Digest: "sha:1", Fingerprint: "f"},
		"ollama a params": {Name: "a", Fingerprint: "params"},
		"ollama a":        {Name: "a"},
	} {
		if got := m.Identity("ollama"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "", -1: "", 276160: "276K", 494032768: "494M", 8030261248: "8.0B", 70553706496: "70.6B"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

// Some versions of llama.cpp list the model while they load it, with nothing of
// its weights, and answer every other page with 503. Taken as it stands, that
// is a model of another identity.
func TestLoadingIsNoOtherModel(t *testing.T) {
	var loading atomic.Bool
	loading.Store(true)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case loading.Load() && r.URL.Path == "/v1/models":
			respond(200, `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"llamacpp","meta":null}]}`)(rw, r)
		case loading.Load():
			respond(503, llamaWire.fail(503, "Loading model"))(rw, r)
		default:
			respond(200, llamaWire.pages[r.URL.Path])(rw, r)
		}
	}))
	defer s.Close()
	b := NewOpenAI(s.URL, "", s.Client())
	if m, err := b.Model(t.Context(), "tiny"); !IsKind(err, Busy) {
		t.Errorf("while loading: %+v, %v", m, err)
	}
	loading.Store(false)
	if m, err := b.Model(t.Context(), "tiny"); err != nil || !strings.Contains(m.Fingerprint, "params=276160") || !strings.Contains(m.Fingerprint, "template=") {
		t.Errorf("afterwards: %+v, %v", m, err)
	}
}
