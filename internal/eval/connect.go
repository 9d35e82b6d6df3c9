package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
)

// apiKey returns the API key for the endpoint's server, or "". byUser says that the user gave the server's address:
// only then OPENAI_API_KEY counts.
func (e *Maker) apiKey(o Endpoint, byUser bool) (string, error) {
	if e.APIKeyVariable != nil && len(o.BaseURLs) > 0 {
		ok := false
		o.APIKeyEnv, ok = e.APIKeyVariable(o.BaseURLs[0])
		if !ok {
			return "", nil
		}
	}
	if o.APIKeyEnv != "" {
		key := e.Getenv(o.APIKeyEnv)
		if key == "" {
			return "", InvalidField("api-key-env", o.APIKeyEnv, "%s: the environment variable is not set", o.APIKeyEnv)
		}
		return key, nil
	}
	if byUser {
		return e.Getenv("OPENAI_API_KEY"), nil
	}
	return "", nil
}

// Connect finds the server to ask, the first if there are several, and reports it to the observer.
func (e *Maker) Connect(ctx context.Context, o Endpoint) (backends.Backend, backends.ServerInfo, error) {
	server, key, err := e.findServer(ctx, o)
	if err != nil {
		return nil, server, err
	}
	if o.APIKeyEnv != "" && server.Can(backends.NeedsNoKey) {
		e.Notef("--api-key-env: %s's own API takes no key, so none is sent to it", server.Name)
	}
	b, err := backends.Open(server, key, e.HTTP)
	if err != nil {
		return nil, server, err
	}
	e.Notef("judge's server: %s", DescribeServer(server))
	return b, server, nil
}

// DescribeServer returns the name, version and address of a server in words.
func DescribeServer(s backends.ServerInfo) string {
	text := s.Name
	if s.Version != "" {
		text += " " + s.Version
	}
	if s.URL != "" {
		text += " at " + s.URL
	}
	return text
}

// findServer finds the server of an endpoint and the API key for it: at the first address given, or else the only
// server at the usual addresses.
func (e *Maker) findServer(ctx context.Context, o Endpoint) (s backends.ServerInfo, key string, err error) {
	if len(o.BaseURLs) > 0 {
		address := o.BaseURLs[0]
		key, err = e.apiKey(o, true)
		if err != nil {
			return s, "", err
		}
		s, err = backends.Probe(ctx, e.HTTP, address, key)
		if err != nil {
			return s, key, unreachable(address, err)
		}
		s = s.WithFormat(o.Backend)
		return s, key, checkServerKind(o.Backend, s)
	}
	candidates, err := backends.CandidateAddresses(o.Backend, e.Getenv)
	if err != nil {
		return s, "", err
	}
	byUser := slices.ContainsFunc(candidates, func(c backends.CandidateAddress) bool {
		return c.Source == backends.OpenAIBaseURLVariable
	})
	key, err = e.apiKey(o, byUser)
	if err != nil {
		return s, "", err
	}
	endpoints := backends.Discover(ctx, e.HTTP, candidates, key)
	for i := range endpoints {
		endpoints[i].Server = endpoints[i].Server.WithFormat(o.Backend)
	}
	if o.Backend != "auto" {
		endpoints = slices.DeleteFunc(endpoints, func(f backends.DiscoveredServer) bool {
			return f.Server.WireFormat != o.Backend
		})
	}
	switch len(endpoints) {
	case 0:
		for _, c := range candidates {
			if !c.FromEnvironment {
				continue
			}
			if _, err := backends.Probe(ctx, e.HTTP, c.URL, ""); backends.IsKind(err, backends.ErrorRedirect) {
				return s, "", fmt.Errorf("%s %s: %w", c.Source, c.URL, err)
			}
		}
		return s, "", fmt.Errorf("no server found: looked at %s; start one, "+
			"name it with --base-url, or try gavel without a model: --backend sim", describeSearch(candidates))
	case 1:
		return endpoints[0].Server, key, nil
	}
	var list []string
	for _, f := range endpoints {
		list = append(list, fmt.Sprintf("%s (%s)", DescribeServer(f.Server), f.Source))
	}
	return s, "", fmt.Errorf("%d servers found: %s; choose one with --base-url",
		len(endpoints), strings.Join(list, ", "))
}

// describeSearch returns in words the addresses at which no server was found.
func describeSearch(candidates []backends.CandidateAddress) string {
	var env, ports []string
	for _, c := range candidates {
		if c.FromEnvironment {
			env = append(env, fmt.Sprintf("%s (%s)", c.Source, c.URL))
		} else {
			ports = append(ports, strings.TrimPrefix(c.Source, "port "))
		}
	}
	if len(env) > 0 {
		return strings.Join(env, " and ")
	}
	return "ports " + strings.Join(ports, ", ") + " of this machine (OLLAMA_HOST and OPENAI_BASE_URL are not set)"
}

// unreachable adds to the error of a probe the address and what to do about it.
func unreachable(address string, err error) error {
	e, isError := errors.AsType[*backends.Error](err)
	switch {
	case backends.IsKind(err, backends.ErrorTransport, backends.ErrorTimeout):
		return fmt.Errorf("no server answers at %s: %w; is it running, and is --base-url right?", address, err)
	case isError && e.AccessAdvice != "":
		return fmt.Errorf("%s: %w; %s", address, err, e.AccessAdvice)
	case backends.IsKind(err, backends.ErrorNotFound, backends.ErrorServer) && !temporary(e):
		return fmt.Errorf("%s is neither Ollama nor OpenAI-compatible: %w; is --base-url right?", address, err)
	}
	return fmt.Errorf("%s: %w", address, err)
}

// checkServerKind returns an error unless s has the wanted kind, or that is auto: Ollama's /v1 silently cuts prompts.
func checkServerKind(want string, s backends.ServerInfo) error {
	if want == "auto" || want == s.WireFormat {
		return nil
	}
	if s.Can(backends.TruncatesPrompts) {
		return fmt.Errorf("%s is Ollama, whose OpenAI-compatible API silently truncates long prompts: "+
			"use --backend ollama", s.URL)
	}
	return fmt.Errorf("%s is not Ollama but %s: use --backend openai", s.URL, s.Name)
}

// OpenSimulated opens a simulated judge.
func OpenSimulated(model string) (b backends.Backend, server backends.ServerInfo, err error) {
	if model == "" {
		return nil, server, InvalidField("model", "", "is missing: with --backend sim it is %s", backends.SimHelp)
	}
	sim, err := backends.NewSimulatedJudge(model)
	if err != nil {
		return nil, server, ErrorOfKind(ErrUsage, err)
	}
	server, err = sim.Server(context.Background())
	return sim, server, err
}

// pickModel requests the description of the model to ask: the named one, or the only one on the server.
func pickModel(ctx context.Context, b backends.Backend, name string) (backends.Model, error) {
	if name == "" {
		models, err := b.Models(ctx)
		if err != nil {
			return backends.Model{}, err
		}
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		switch {
		case len(names) == 0:
			return backends.Model{}, errors.New("the server offers no model; load one, or name it with --model")
		case len(names) > 1:
			return backends.Model{}, InvalidField("model", "", "is missing: the server offers %s", strings.Join(names, ", "))
		}
		name = names[0]
	}
	return b.Model(ctx, name)
}
