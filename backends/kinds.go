package backends

import (
	"context"
	"fmt"
	"net/http"
)

// Feature is what some kinds of server do and others do not; see [Server.Can].
type Feature int

const (
	SetContext    Feature = iota // the client sets the context of a model
	Keyless                      // takes no API key
	CutPrompts                   // cuts a prompt that does not fit, unless it is asked not to
	RefuseLong                   // can be asked to refuse a prompt that does not fit
	TellLogprobs                 // tells token probabilities
	ReserveReply                 // takes a prompt only with room for the whole reply beside it
	TakeBudget                   // can be asked to bound thinking by tokens
	EndRepetition                // can be asked to end a reply that repeats itself
	GiveSample                   // gives a sample of its model at no cost
	ShareBatch                   // batches what comes, and computes a common beginning of prompts once
	Simulate                     // asks no model
	Decide                       // gives each option a probability, and writes nothing
)

// serverKind is what gavel knows of one kind of server. What is left out it cannot do, or does not tell. A new kind is
// a file of this package (lmstudio.go is the shortest), its place in kinds, and its row in docs/servers.md.
type serverKind struct {
	name string             // as people call it
	wire string             // the format that it speaks: Server.Kind
	can  map[Feature]string // what it can do, and since which version; "" for all
	// ports are where it listens unless it is told.
	ports []string
	// batches is how many requests at once are worthwhile, where it does not tell how many it serves.
	batches int
	advice  Advice
	// open is for the kind that a wire format is named after: it makes the backend for a server at an address.
	open func(at, key string, client *http.Client) (Backend, error)

	// The rest is of servers that speak OpenAI's format.

	ownedBy  string                                // what its list of models says
	version  func(context.Context, *OpenAI) string // where it tells one
	logprobs Ability                               // on this side of its interface
	grammar  bool                                  // holds a reply to a grammar from its first token on
	props    bool                                  // has llama.cpp's page of properties
	// extend sets the members of a request that OpenAI's format does not have.
	extend func(members map[string]any, s Server, req Request)
	// count counts the tokens of a prompt.
	count func(ctx context.Context, o *OpenAI, prompt map[string]any) (int, error)
}

// Advice is what a person can do about a server of a kind, in words that begin a sentence; "" for nothing of its own.
type Advice struct {
	Refuse    string // so that it refuses prompts that do not fit
	Parallel  string // so that it answers more at once
	ServeMore func(context, slots int) string
}

// kinds are the kinds of server, in the order in which their ports are looked at. The kind that a wire format is named
// after stands behind the others of the format.
var kinds []*serverKind

func init() { // since kinds refer to functions that look at all of them
	kinds = []*serverKind{&ollama, &vllm, &llamaCpp, &sglang, &lmStudio, &openAICompatible, &simulation, &decisions}
}

// kindOf returns the kind of a server by its name and wire format, else the one that its wire format is named after.
func kindOf(s Server) *serverKind {
	for _, k := range kinds {
		if k.wire == s.Kind && (k.name == s.Name || k.open != nil) {
			return k
		}
	}
	return &serverKind{}
}

// Wires lists the formats that servers speak: what "--backend" names, and Server.Kind.
func Wires() []string {
	var names []string
	for _, k := range kinds {
		if k.open != nil {
			names = append(names, k.wire)
		}
	}
	return names
}

// LocalPorts lists the ports on which local servers usually listen.
func LocalPorts() (ports []string) {
	for _, k := range kinds {
		ports = append(ports, k.ports...)
	}
	return ports
}

// Open returns the backend for a server that was found.
func Open(s Server, key string, client *http.Client) (Backend, error) {
	k := kindOf(Server{Kind: s.Kind})
	if k.open == nil {
		return nil, fmt.Errorf("no server is of the kind %q", s.Kind)
	}
	return k.open(s.URL, key, client)
}

// Can reports whether a server has a feature, as far as its kind and version say.
func (s Server) Can(f Feature) bool {
	since, can := kindOf(s).can[f]
	return can && !Before(s.Version, since)
}

// Since returns the version from which on servers of this kind have a feature; "" for all, or for none.
func (s Server) Since(f Feature) string { return kindOf(s).can[f] }

// Advice returns what a person can do about this server.
func (s Server) Advice() Advice { return kindOf(s).advice }

// Batches returns how many requests at once are worthwhile, where the server does not tell how many it serves; 0 where
// that is not known.
func (s Server) Batches() int { return kindOf(s).batches }
