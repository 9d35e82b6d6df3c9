package backends

import (
	"context"
	"fmt"
	"net/http"
)

// Feature is an ability that some kinds of server have; see [Server.Can].
type Feature int

const (
	SetContext    Feature = iota // the client sets a model's context
	Keyless                      // needs no API key
	CutPrompts                   // cuts a prompt that does not fit, unless told not to
	RefuseLong                   // can refuse a prompt that does not fit
	TellLogprobs                 // reports token probabilities
	ReserveReply                 // requires room for the prompt and the whole reply
	TakeBudget                   // can limit the tokens of thinking
	EndRepetition                // can end a reply that repeats itself
	GiveSample                   // gives a sample of its model at no cost
	ShareBatch                   // batches requests, and computes a shared prefix of prompts once
	Simulate                     // runs no model
	Decide                       // gives each option a probability, and writes no text
)

// serverKind describes one kind of server. A field left out means that it cannot do this, or does not report it. A new
// kind takes a file of this package (lmstudio.go is the shortest), a place in kinds, and a row in docs/servers.md.
type serverKind struct {
	name string             // as people call it
	wire string             // its wire format: Server.Kind
	can  map[Feature]string // its features, each with the first version that has it; "": all versions
	// ports lists the default ports.
	ports []string
	// batches is a useful number of parallel requests if the server does not report how many it serves.
	batches int
	advice  Advice
	// open makes the backend for a server at an address. It is set for the kind that a wire format is named after.
	open func(address, key string, client *http.Client) (Backend, error)

	// The fields below apply to servers with OpenAI's format.

	ownedBy  string                                // owned_by in its list of models
	version  func(context.Context, *OpenAI) string // reads the version, if it reports one
	logprobs Ability                               // over OpenAI's format
	grammar  bool                                  // applies a grammar from the first token of the reply
	props    bool                                  // has llama.cpp's /props
	// extend sets the members of a request that are not part of OpenAI's format.
	extend func(members map[string]any, s ServerInfo, req Request)
	// count counts the tokens of a prompt.
	count func(ctx context.Context, o *OpenAI, prompt map[string]any) (int, error)
}

// Advice holds what a user can do about a kind of server, in words that begin a sentence; "": nothing specific.
type Advice struct {
	Refuse    string // to make it refuse prompts that do not fit
	Parallel  string // to make it answer more requests at once
	ServeMore func(context, slots int) string
}

// kinds lists the kinds of server in the order in which their ports are probed. The kind that a wire format is named
// after comes behind the others of that format.
var kinds []*serverKind

func init() { // not a literal: kinds refer to functions that read kinds
	kinds = []*serverKind{&ollama, &vllm, &llamaCpp, &sglang, &lmStudio, &openAICompatible, &simulation, &decisions}
}

// kindOf returns the kind of a server by its name and wire format, else the kind that its wire format is named after.
func kindOf(s ServerInfo) *serverKind {
	for _, k := range kinds {
		if k.wire == s.Kind && (k.name == s.Name || k.open != nil) {
			return k
		}
	}
	return &serverKind{}
}

// Wires lists the wire formats: the values of --backend and of Server.Kind.
func Wires() []string {
	var names []string
	for _, k := range kinds {
		if k.open != nil {
			names = append(names, k.wire)
		}
	}
	return names
}

// LocalPorts lists the default ports of local servers.
func LocalPorts() (ports []string) {
	for _, k := range kinds {
		ports = append(ports, k.ports...)
	}
	return ports
}

// Open returns the backend for a server.
func Open(s ServerInfo, key string, client *http.Client) (Backend, error) {
	k := kindOf(ServerInfo{Kind: s.Kind})
	if k.open == nil {
		return nil, fmt.Errorf("unknown kind of server %q", s.Kind)
	}
	return k.open(s.URL, key, client)
}

// Can reports whether a server has a feature, judging by its kind and version.
func (s ServerInfo) Can(f Feature) bool {
	since, can := kindOf(s).can[f]
	return can && !Before(s.Version, since)
}

// Since returns the first version of this kind of server with a feature; "" if all have it, or none.
func (s ServerInfo) Since(f Feature) string { return kindOf(s).can[f] }

// Advice returns what a user can do about this server.
func (s ServerInfo) Advice() Advice { return kindOf(s).advice }

// Batches returns a useful number of parallel requests if the server does not report how many it serves; 0: unknown.
func (s ServerInfo) Batches() int { return kindOf(s).batches }
