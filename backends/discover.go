package backends

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// DiscoveredServer is a server that was found at an address.
type DiscoveredServer struct {
	Server ServerInfo
	Source string // the source of the address, such as "OLLAMA_HOST" or "port 8080"
}

// CandidateAddress is an address at which [Discover] looks for a server.
type CandidateAddress struct {
	URL             string
	Source          string // the source of the address, such as "OLLAMA_HOST" or "port 8080"
	FromEnvironment bool   // the address comes from an environment variable
}

// Environment variables that name an address.
const (
	OllamaHostVariable    = "OLLAMA_HOST"
	OpenAIBaseURLVariable = "OPENAI_BASE_URL"
)

// CandidateAddresses lists the addresses at which to look for a server: those in the environment, then the usual local
// ports. If a wire format is given, the other format's variable is ignored.
func CandidateAddresses(wire string, getenv func(string) string) ([]CandidateAddress, error) {
	var out []CandidateAddress
	if host := TakePasswords(getenv(OllamaHostVariable)); host != "" && wire != openAIFormat {
		u, err := ollamaURL(host)
		if err != nil {
			return nil, err
		}
		out = append(out, CandidateAddress{URL: u, Source: OllamaHostVariable, FromEnvironment: true})
	}
	if base := TakePasswords(getenv(OpenAIBaseURLVariable)); base != "" && wire != ollamaWireFormat {
		out = append(out, CandidateAddress{URL: base, Source: OpenAIBaseURLVariable, FromEnvironment: true})
	}
	for _, port := range LocalPorts() {
		out = append(out, CandidateAddress{
			URL:    "http://127.0.0.1:" + port,
			Source: "port " + port,
		})
	}
	return out, nil
}

// ollamaURL parses OLLAMA_HOST as Ollama's own client does: scheme and port are optional (default port 11434, or the
// scheme's own), a path may follow, and the host may be an address to listen on.
func ollamaURL(host string) (string, error) {
	text, port := strings.Trim(strings.TrimSpace(host), `"'`), "11434"
	if strings.Count(text, ":") > 1 && net.ParseIP(text) != nil {
		text = "[" + text + "]"
	}
	if scheme, _, ok := strings.Cut(text, "://"); !ok {
		text = "http://" + text
	} else if p, ok := map[string]string{"http": "80", "https": "443"}[scheme]; ok {
		port = p
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("OLLAMA_HOST %q is not an address: write HOST:PORT or a URL", host)
	}
	name := u.Hostname()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	port = cmp.Or(u.Port(), port)
	return u.Scheme + "://" + net.JoinHostPort(name, port) + strings.TrimRight(u.Path, "/"), nil
}

// probeTimeout limits the probe of a usual port, or of a pool's endpoint that gets no requests. namedProbeTimeout
// limits the probe of an address that the user named, since its machine may be busy.
const (
	probeTimeout      = 3 * time.Second
	namedProbeTimeout = 15 * time.Second
)

// Probe identifies the server at the address base: Ollama if it has Ollama's version page; OpenAI-compatible if it
// lists models, or is a llama.cpp that still loads one; decision models if every listed model is one. key is not sent
// to the version page.
func Probe(ctx context.Context, client *http.Client, base, key string) (ServerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, namedProbeTimeout)
	defer cancel()
	root := strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	if o, err := NewOllama(root, client); err != nil {
		return ServerInfo{}, err
	} else if s, err := o.Server(ctx); err == nil && s.Version != "" {
		return s, nil
	} else if IsKind(err, ErrorTransport, ErrorTimeout) {
		return ServerInfo{}, err
	}
	o := NewOpenAI(base, key, client)
	s, cards, err := o.identifyServer(ctx)
	if IsKind(err, ErrorBusy) && strings.Contains(err.Error(), "Loading model") {
		return ServerInfo{WireFormat: openAIFormat, Name: LlamaCpp, URL: o.baseURL}, nil
	}
	if err != nil {
		return ServerInfo{}, err
	}
	if len(cards) > 0 && !slices.ContainsFunc(cards, func(c modelCard) bool {
		return c.model().IsDecisionModel != AbilityYes
	}) {
		s.WireFormat = systemOneFormat
	}
	return s, nil
}

// Discover probes the candidates in parallel. Addresses from the environment come first: the usual ports are probed
// only if there are none. Addresses without an answer are dropped, and each server is listed once. key is sent only to
// addresses from the environment.
func Discover(ctx context.Context, client *http.Client, candidates []CandidateAddress, key string) []DiscoveredServer {
	fromEnv := slices.ContainsFunc(candidates, func(c CandidateAddress) bool { return c.FromEnvironment })
	endpoints := make([]DiscoveredServer, len(candidates))
	var wg sync.WaitGroup
	for i, c := range candidates {
		if fromEnv && !c.FromEnvironment {
			continue
		}
		wg.Go(func() {
			limit, proof := namedProbeTimeout, key
			if !c.FromEnvironment {
				limit, proof = probeTimeout, ""
			}
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			if s, err := Probe(ctx, client, c.URL, proof); err == nil {
				endpoints[i] = DiscoveredServer{Server: s, Source: c.Source}
			}
		})
	}
	wg.Wait()
	var out []DiscoveredServer
	for _, e := range endpoints {
		duplicate := slices.ContainsFunc(out, func(o DiscoveredServer) bool { return o.Server.URL == e.Server.URL })
		if e.Server.URL != "" && !duplicate {
			out = append(out, e)
		}
	}
	return out
}
