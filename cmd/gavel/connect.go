package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/backends"
)

// endpointOptions say which server to ask, or which servers.
type endpointOptions struct {
	backend   string
	baseURLs  []string
	apiKeyEnv string
}

var backendNames = []string{"auto", "ollama", "openai", "sim"}

func endpointFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "backend", Value: "auto", Usage: "`KIND` of server: " + strings.Join(backendNames, ", ") + " (sim: a simulated judge, no server)", Category: "server"},
		&cli.StringSliceFlag{Name: "base-url", Usage: "`URL` of the server; \"gavel run\" takes several, for servers of one and the same model; default: OLLAMA_HOST, OPENAI_BASE_URL, else local ports 11434, 8000, 8080, 1234", Category: "server"},
		&cli.StringFlag{Name: "api-key-env", Usage: "`NAME` of the environment variable that holds the API key; OPENAI_API_KEY is used with --base-url and OPENAI_BASE_URL, never with a server found on a port", Category: "server"},
	}
}

// endpointFrom reads the flags of a command that asks one server.
func endpointFrom(c *cli.Context) (endpointOptions, error) {
	o, err := endpointsFrom(c)
	if err == nil && len(o.baseURLs) > 1 {
		return o, usage("--base-url is given %d times: %s asks one server, so give it once", len(o.baseURLs), commandLine(c))
	}
	return o, err
}

// endpointsFrom reads the flags of a command that can ask several.
func endpointsFrom(c *cli.Context) (endpointOptions, error) {
	o := endpointOptions{backend: c.String("backend"), baseURLs: c.StringSlice("base-url"), apiKeyEnv: c.String("api-key-env")}
	if err := oneOf("--backend", o.backend, backendNames); err != nil {
		return o, err
	}
	return o, checkURLs(o)
}

// checkURLs wants addresses, and each once.
func checkURLs(o endpointOptions) error {
	seen := map[string]string{}
	for _, at := range o.baseURLs {
		u, err := url.Parse(at)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return usage("--base-url %q is no address: write it like http://127.0.0.1:8080", at)
		}
		if u.User != nil {
			return usage("--base-url %s: an address with a password would stand in the run for all to read: put the key in an environment variable, and name that with --api-key-env", u.Redacted())
		}
		if o.backend == "sim" {
			return usage("--base-url has no meaning with --backend sim")
		}
		if first, twice := seen[sameURL(u)]; twice {
			return usage("--base-url %s and --base-url %s are one server: give it once", first, at)
		}
		seen[sameURL(u)] = at
	}
	return nil
}

func oneOf(flag, value string, allowed []string) error {
	for _, a := range allowed {
		if a == value {
			return nil
		}
	}
	return usage("%s %q is not one of %s", flag, value, strings.Join(allowed, ", "))
}

// apiKey reads the key for an address that was named by the user.
func (e *env) apiKey(o endpointOptions, named bool) (string, error) {
	if e.hooks.keyOf != nil && len(o.baseURLs) > 0 {
		known := false
		if o.apiKeyEnv, known = e.hooks.keyOf(o.baseURLs[0]); !known {
			return "", nil
		}
	}
	if o.apiKeyEnv != "" {
		key := e.getenv(o.apiKeyEnv)
		if key == "" {
			return "", fmt.Errorf("--api-key-env %s: the environment variable is not set", o.apiKeyEnv)
		}
		return key, nil
	}
	if named {
		return e.getenv("OPENAI_API_KEY"), nil
	}
	return "", nil
}

// connect finds the one server to ask, the first where several are named, and
// says on stderr what it found.
func (e *env) connect(ctx context.Context, o endpointOptions) (backends.Backend, backends.Server, error) {
	server, key, err := e.find(ctx, o)
	if err != nil {
		return nil, server, err
	}
	b, err := e.open(server, key)
	if err != nil {
		return nil, server, err
	}
	e.say("judge's server: %s", describe(server))
	return b, server, nil
}

func describe(s backends.Server) string {
	text := s.Name
	if s.Version != "" {
		text += " " + s.Version
	}
	if s.URL != "" {
		text += " at " + s.URL
	}
	return text
}

func (e *env) open(s backends.Server, key string) (backends.Backend, error) {
	if s.Kind == "ollama" {
		return backends.NewOllama(s.URL, e.http)
	}
	return backends.NewOpenAI(s.URL, key, e.http), nil
}

func (e *env) find(ctx context.Context, o endpointOptions) (backends.Server, string, error) {
	if len(o.baseURLs) > 0 {
		at := o.baseURLs[0]
		key, err := e.apiKey(o, true)
		if err != nil {
			return backends.Server{}, "", err
		}
		s, err := backends.Probe(ctx, e.http, at, key)
		if err != nil {
			return s, key, unreachable(at, err)
		}
		return s, key, checkKind(o.backend, s)
	}
	ollama, openai := e.getenv("OLLAMA_HOST"), e.getenv("OPENAI_BASE_URL")
	switch o.backend { // a kind that is named leaves the other's variable aside
	case "ollama":
		openai = ""
	case "openai":
		ollama = ""
	}
	candidates, err := backends.Candidates(ollama, openai)
	if err != nil {
		return backends.Server{}, "", err
	}
	key, err := e.apiKey(o, openai != "")
	if err != nil {
		return backends.Server{}, "", err
	}
	found := backends.Discover(ctx, e.http, candidates, key)
	if o.backend != "auto" {
		kept := found[:0]
		for _, f := range found {
			if f.Server.Kind == o.backend {
				kept = append(kept, f)
			}
		}
		found = kept
	}
	switch len(found) {
	case 0:
		for _, c := range candidates {
			if !c.Env {
				continue
			}
			if _, err := backends.Probe(ctx, e.http, c.URL, ""); backends.IsKind(err, backends.Moved) {
				return backends.Server{}, "", fmt.Errorf("%s %s: %w", c.Why, c.URL, err)
			}
		}
		return backends.Server{}, "", fmt.Errorf("no server found: looked at %s; start one, name it with --base-url, or try gavel without a model: --backend sim", lookedAt(candidates))
	case 1:
		return found[0].Server, key, nil
	}
	var list []string
	for _, f := range found {
		list = append(list, fmt.Sprintf("%s (%s)", describe(f.Server), f.Why))
	}
	return backends.Server{}, "", fmt.Errorf("%d servers found: %s; choose one with --base-url", len(found), strings.Join(list, ", "))
}

func lookedAt(candidates []backends.Candidate) string {
	var env, ports []string
	for _, c := range candidates {
		if c.Env {
			env = append(env, fmt.Sprintf("%s (%s)", c.Why, c.URL))
		} else {
			ports = append(ports, strings.TrimPrefix(c.Why, "port "))
		}
	}
	if len(env) > 0 {
		return strings.Join(env, " and ")
	}
	return "ports " + strings.Join(ports, ", ") + " of this machine (OLLAMA_HOST and OPENAI_BASE_URL are not set)"
}

func unreachable(at string, err error) error {
	switch {
	case backends.IsKind(err, backends.Transport, backends.Timeout):
		return fmt.Errorf("no server answers at %s: %w; is it running, and is --base-url right?", at, err)
	case backends.IsKind(err, backends.Auth):
		return fmt.Errorf("%s: %w; name the environment variable that holds the key with --api-key-env", at, err)
	case backends.IsKind(err, backends.NotFound, backends.ServerSide):
		return fmt.Errorf("%s is neither Ollama nor OpenAI-compatible: %w; is --base-url right?", at, err)
	}
	return fmt.Errorf("%s: %w", at, err)
}

// checkKind refuses Ollama's /v1, which cuts long prompts in silence.
func checkKind(want string, s backends.Server) error {
	if want == "auto" || want == s.Kind {
		return nil
	}
	if s.Kind == "ollama" {
		return fmt.Errorf("%s is Ollama, whose OpenAI-compatible side cuts long prompts in silence: use --backend ollama", s.URL)
	}
	return fmt.Errorf("%s is not Ollama but %s: use --backend openai", s.URL, s.Name)
}

// simulated opens a simulated judge.
func (e *env) simulated(model string) (backends.Backend, backends.Server, error) {
	if model == "" {
		return nil, backends.Server{}, usage("--model is missing: with --backend sim it is %s", backends.SimHelp)
	}
	sim, err := backends.NewSim(model)
	if err != nil {
		return nil, backends.Server{}, usage("%v", err)
	}
	server, err := sim.Server(context.Background())
	return sim, server, err
}

// pickModel describes the model to ask; without a name, the only one offered.
func pickModel(ctx context.Context, b backends.Backend, name string) (backends.Model, error) {
	if name != "" {
		return b.Model(ctx, name)
	}
	models, err := b.Models(ctx)
	if err != nil {
		return backends.Model{}, err
	}
	var names []string
	for _, m := range models {
		names = append(names, m.Name)
	}
	switch len(models) {
	case 0:
		return backends.Model{}, errors.New("the server offers no model; load one, or name it with --model")
	case 1:
		return b.Model(ctx, names[0])
	}
	return backends.Model{}, usage("--model is missing: the server offers %s", strings.Join(names, ", "))
}
