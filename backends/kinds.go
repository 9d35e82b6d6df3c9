package backends

import (
	"context"
	"fmt"
	"net/http"
)

// Feature is an ability that some kinds of server have; see [ServerInfo.Can].
type Feature int

const (
	SetsContext        Feature = iota // the client sets a model's context
	NeedsNoKey                        // the server needs no API key
	TruncatesPrompts                  // the server cuts a prompt that does not fit, unless the request forbids it
	RefusesLongPrompts                // the server can refuse a prompt that does not fit
	ReportsLogprobs                   // the server reports token probabilities
	ReservesReplyRoom                 // the context must have room for the prompt and the longest reply allowed
	LimitsThinking                    // the server can limit the tokens of thinking
	StopsRepetition                   // the server can end a reply that repeats itself
	GivesTokenSample                  // the server gives a [TokenSample] of its model at no cost
	BatchesRequests                   // the server batches requests, and computes a shared prefix of prompts once
	IsSimulated                       // gavel simulates the judge: there is no model
	HasDecisionModels                 // the model gives each option a probability, and writes no text
)

// serverKind describes one kind of server. A field left out means that such a server lacks the ability, or does not
// report it. A new kind takes a file of this package (lmstudio.go is the shortest), a place in kinds, and a row in
// docs/servers.md.
type serverKind struct {
	name string             // the name that people use, such as "vLLM"
	wire string             // its wire format: ServerInfo.WireFormat
	can  map[Feature]string // its features, each with the first version of the server that has it; "": all versions
	// ports lists the default ports.
	ports []string
	// usualParallelism is a useful number of parallel requests if the server does not report how many it serves.
	usualParallelism int
	advice           Advice
	// open makes the backend for a server at an address. It is set for one kind of each wire format, the general one.
	open func(address, key string, client *http.Client) (Backend, error)

	// The fields below apply to servers with OpenAI's format.

	ownedBy          string                                // owned_by in the server's model list, by which find knows it
	version          func(context.Context, *OpenAI) string // requests the server's version; "" if the server reports none
	reportsLogprobs  Ability                               // whether the server reports token probabilities
	grammarFromStart bool                                  // the server applies a grammar from the reply's first token on
	hasPropsPage     bool                                  // the server has llama.cpp's page /props
	// extend adds to members those of a request that are not part of OpenAI's format.
	extend func(members map[string]any, s ServerInfo, req Request)
	// count has the server count the tokens of a prompt: the model, messages and template arguments of a request.
	count func(ctx context.Context, o *OpenAI, prompt map[string]any) (int, error)
}

// Advice holds what a user can do about a kind of server, in words that begin a sentence; "": nothing specific.
type Advice struct {
	RefuseLongPrompts string // how to make the server refuse prompts that do not fit
	RaiseParallel     string // how to make the server answer more requests at once
	// ServeContext returns how to serve a context, in tokens, to slots requests at once; may be nil.
	ServeContext func(context, slots int) string
}

// kinds lists the kinds of server in the order in which their ports are probed. The general kind of a wire format, the
// one with open, comes after the others of that format.
var kinds []*serverKind

func init() { // not a literal: kinds refer to functions that read kinds
	kinds = []*serverKind{
		&ollama, &vllm, &llamaCpp, &sglang, &lmStudio, &openAICompatible, &simulation, &decisionServerKind,
	}
}

// kindOf returns the kind of a server by its name and wire format, else the general kind of its wire format.
func kindOf(s ServerInfo) *serverKind {
	for _, k := range kinds {
		if k.wire == s.WireFormat && (k.name == s.Name || k.open != nil) {
			return k
		}
	}
	return &serverKind{}
}

// WireFormats lists the wire formats: the values of --backend and of ServerInfo.WireFormat.
func WireFormats() []string {
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

// Open returns the backend for the server at s.URL, by the wire format s.Kind. key is the API key, or "".
func Open(s ServerInfo, key string, client *http.Client) (Backend, error) {
	k := kindOf(ServerInfo{WireFormat: s.WireFormat})
	if k.open == nil {
		return nil, fmt.Errorf("unknown kind of server %q", s.WireFormat)
	}
	return k.open(s.URL, key, client)
}

// Can reports whether a server has a feature, judging by its kind and version.
func (s ServerInfo) Can(f Feature) bool {
	since, can := kindOf(s).can[f]
	return can && !IsOlderVersion(s.Version, since)
}

// FirstVersionWith returns the first version of this kind of server with a feature; "" if all have it, or none.
func (s ServerInfo) FirstVersionWith(f Feature) string { return kindOf(s).can[f] }

// Advice returns what a user can do about this server.
func (s ServerInfo) Advice() Advice { return kindOf(s).advice }

// UsefulParallel returns a useful number of parallel requests for a server that does not report its own; 0: unknown.
func (s ServerInfo) UsefulParallel() int { return kindOf(s).usualParallelism }
