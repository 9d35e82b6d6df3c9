package backends

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// Ollama's own client reads the variable by these rules (ollama/envconfig).
func TestOllamaURL(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1:11434":      "http://127.0.0.1:11434",
		"localhost":            "http://localhost:11434",
		" judge.lan ":          "http://judge.lan:11434",
		"h:1":                  "http://h:1",
		":9999":                "http://127.0.0.1:9999",
		"0.0.0.0":              "http://127.0.0.1:11434",
		"0.0.0.0:1":            "http://127.0.0.1:1",
		"[::]:1":               "http://127.0.0.1:1",
		"[::1]":                "http://[::1]:11434",
		"::1":                  "http://[::1]:11434",
		"http://h":             "http://h:80",
		"http://h:1/":          "http://h:1",
		"https://h":            "https://h:443",
		"https://h/ollama/":    "https://h:443/ollama",
		"https://h:1":          "https://h:1",
		`"h:1"`:                "http://h:1",
		"http://0.0.0.0:11434": "http://127.0.0.1:11434",
	} {
		if got, err := ollamaURL(host); err != nil || got != want {
			t.Errorf("OllamaURL(%q) = %q, %v, want %q", host, got, err, want)
		}
	}
	for _, host := range []string{"http://", "h:port", "a b", "http://[::1"} {
		if got, err := ollamaURL(host); err == nil || !strings.Contains(err.Error(), "OLLAMA_HOST") {
			t.Errorf("OllamaURL(%q) = %q, %v", host, got, err)
		}
	}
}

func TestCandidates(t *testing.T) {
	local := "http://127.0.0.1:" + strings.Join(LocalPorts(), " http://127.0.0.1:")
	if !strings.HasPrefix(local, "http://127.0.0.1:11434 http://127.0.0.1:8000 http://127.0.0.1:8080 http://127.0.0.1:9931 ") {
		t.Errorf("looked at %s", local)
	}
	for _, tc := range []struct{ wire, ollama, openai, want string }{
		{"auto", "", "", local},
		{"ollama", "", "http://o/v1", local},
		{"openai", "h:1", "", local},
		{"auto", "h:1", "http://o/v1", "http://h:1* http://o/v1* " + local},
	} {
		list, err := CandidateAddresses(tc.wire, func(name string) string {
			return map[string]string{OllamaHostVariable: tc.ollama, OpenAIBaseURLVariable: tc.openai}[name]
		})
		var got []string
		for _, c := range list {
			got = append(got, c.URL+map[bool]string{true: "*"}[c.FromEnvironment])
		}
		if err != nil || strings.Join(got, " ") != tc.want {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if _, err := CandidateAddresses("auto", func(string) string { return "http://" }); err == nil {
		t.Error("a bad OLLAMA_HOST is passed over")
	}
}

// What is found otherwise is in testdata/servers.txt.
func TestProbe(t *testing.T) {
	for name, tc := range map[string]struct {
		wire   wire
		suffix string
		want   string // kind and name
		fails  ErrorKind
		reason string
	}{
		"Ollama's /v1":    {wire: ollamaWire, suffix: "/v1", want: "ollama Ollama", reason: "its /v1 cuts prompts in silence"},
		"vLLM's":          {wire: vllmWire, suffix: "/v1/", want: "openai vLLM"},
		"loading":         {wire: llamaWire.withStatus(503, "Loading model"), want: "openai llama.cpp", reason: "it will answer"},
		"something else":  {wire: wire{lost: respond(200, "<html>")}, fails: ErrorServer},
		"busy":            {wire: llamaWire.withStatus(503, "no"), fails: ErrorBusy, reason: "anything may be"},
		"a 404 for all":   {wire: wire{lost: respond(404, "")}, fails: ErrorNotFound},
		"a key is wanted": {wire: llamaWire.withStatus(401, "no"), fails: ErrorAuth},
	} {
		s := tc.wire.start(t)
		got, err := Probe(t.Context(), s.Server.Client(), s.URL+tc.suffix, "")
		if tc.fails != "" && !IsKind(err, tc.fails) || tc.fails == "" && (err != nil || got.WireFormat+" "+got.Name != tc.want) {
			t.Errorf("%s: got %+v, %v, want %s%s: %s", name, got, err, tc.want, tc.fails, tc.reason)
		}
	}
	for address, fails := range map[string]ErrorKind{unusedAddress: ErrorTransport, "http://[": ""} {
		if _, err := Probe(t.Context(), NewHTTPClient(1), address, ""); err == nil || fails != "" && !IsKind(err, fails) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestDiscover(t *testing.T) {
	ollama, llama, vllm := ollamaWire.start(t), llamaWire.start(t), vllmWire.start(t)
	port := func(url string) CandidateAddress { return CandidateAddress{url, "port", false} }
	env := func(url string) CandidateAddress { return CandidateAddress{url, "env", true} }
	for name, tc := range map[string]struct {
		candidates []CandidateAddress
		want       string
	}{
		"nothing":                       {nil, ""},
		"none answers":                  {[]CandidateAddress{port(unusedAddress)}, ""},
		"the one that answers":          {[]CandidateAddress{port(unusedAddress), port(llama.URL)}, "llama.cpp (port)"},
		"all, in the order given":       {[]CandidateAddress{port(vllm.URL), port(ollama.URL), port(llama.URL)}, "vLLM (port), Ollama (port), llama.cpp (port)"},
		"the environment wins":          {[]CandidateAddress{env(llama.URL), port(ollama.URL)}, "llama.cpp (env)"},
		"even where it does not answer": {[]CandidateAddress{env(unusedAddress), port(ollama.URL)}, ""},
		"the same server twice":         {[]CandidateAddress{env(ollama.URL), env(ollama.URL + "/v1")}, "Ollama (env)"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range Discover(context.Background(), NewHTTPClient(2), tc.candidates, "") {
				got = append(got, fmt.Sprintf("%s (%s)", e.Server.Name, e.Source))
			}
			if strings.Join(got, ", ") != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Whatever listens on a usual port must not be told a key.
func TestDiscoverSendsTheKeyToNamedAddressesAlone(t *testing.T) {
	for env, want := range map[bool]string{true: "Bearer sk-secret", false: ""} {
		s := vllmWire.start(t)
		Discover(context.Background(), NewHTTPClient(1), []CandidateAddress{{s.URL, "x", env}}, "sk-secret")
		models := s.requestsTo("/v1/models")
		if len(models) == 0 {
			t.Fatal("it was not looked at")
		}
		for _, q := range s.requests {
			if got := q.header.Get("Authorization"); got != want && strings.HasPrefix(q.path, "/v1/") || got != "" && !env {
				t.Errorf("named %v: %s got Authorization %q", env, q.path, got)
			}
		}
	}
}
