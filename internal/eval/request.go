// Package eval makes runs. A [Request] says all of a run; [Request.Validate]
// holds it to what can be, and names the field that is at fault.
//
// It is the application's own interface: the command line, a suite's file and the server's API each fill a Request and
// call what is here. Package eval reads no flags, no environment and no clock of its own.
package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	_ "gavel/protocols" // which a request names
)

// Endpoint says which server to ask, or which servers of one model.
type Endpoint struct {
	Backend   string   `json:"backend,omitempty"`     // one of Backends; "" is auto
	BaseURLs  []string `json:"base-url,omitempty"`    // addresses; none: the environment, else local ports
	APIKeyEnv string   `json:"api-key-env,omitempty"` // name of the variable that holds the API key
}

// Backends are the kinds of server, the default first.
var Backends = append([]string{"auto"}, backends.Wires()...)

// Simulation is the endpoint of simulated judges.
var Simulation = Endpoint{Backend: backends.Simulation}

// Simulated tells whether no server is asked.
func (e Endpoint) Simulated() bool { return e.Backend == backends.Simulation }

// Request is a run to be made. [FieldsOf] says what people call its fields, which are the flags of "gavel run", the
// keys of a suite's file, and the fields of an order to a server. New gives one with all defaults.
type Request struct {
	Endpoint
	Protocol string
	Model    string // by the name its server knows; "" where it has only one
	Name     string // of the judge on pages and in tables; "" goes by the model
	Dataset  string // name or path
	Prompt   string // name, or path of a system message
	// PromptGiven: the prompt was asked for by name, and is not the protocol's default.
	PromptGiven bool
	Options     judging.Settings

	// Which items.
	Limit int // the first so many; 0 for all
	// drawn; of protocols with tasks, of each group; nil is the protocol's default
	Sample     *int
	Seed       int64
	IDs        string // file that names them
	Groups     []string
	Turns      string // for conversations: first or all
	Lang       string // of message trees
	Unrelated  bool
	MaxOptions int      // 0 for all
	Agents     []string // whose answers are judged
	Own        string   // run of the judge's own answers
	Shard      string   // of those items: K/N, auto or auto/N
	try        int      // of the shard's task

	datasets.Mapping // of a file of any shape

	// How the judge is asked. MaxTokens 0 is the default, or what fits; see fitReply.
	judging.Parameters
	StopOnAlarm bool
	Until       string // question that ends the run when it is answered; see ParseUntil
	Concurrency int    // 0: as many as the server says it serves, else as many as it answers fastest
	// MaxConcurrency bounds what one server is asked at once where Concurrency is 0; 0 for the usual bound.
	MaxConcurrency int
	Timeout        time.Duration // of one call
	RetryFor       time.Duration // how long a call that may still pass is tried

	// Where.
	Cache   string // folder; "" is the user's
	NoCache bool
	// AskAgain asks again for the judgments without a verdict that the run has, and does not read the cache.
	AskAgain bool
	Out      string // folder of the run; "" is named after what it is
}

// New is a request for a protocol, with the defaults of all its fields.
func New(protocol judging.Protocol) Request {
	r := Request{
		Endpoint:   Endpoint{Backend: Backends[0]},
		Protocol:   protocol.Name,
		Prompt:     protocol.Templates[0].Name,
		Seed:       1,
		Parameters: judging.DefaultParameters,
		Timeout:    10 * time.Minute,
		RetryFor:   2 * time.Minute,
	}
	r.MaxTokens = 0
	r.NumRepetitions = 1
	if !protocol.FollowUps {
		r.Attempts = 1
	}
	return r
}

// Read is a request of a protocol with the values of fields, as people write them. Its error is a *FieldError.
func Read(protocol judging.Protocol, values map[string][]string) (Request, error) {
	r := New(protocol)
	fields := r.fields(protocol)
	for _, f := range fields {
		if given := values[f.Name]; len(given) > 0 {
			if err := f.read(given); err != nil {
				return r, Wrong(f.Name, given[len(given)-1], "%v", err)
			}
		}
	}
	for name, given := range values {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
			return r, Wrong(name, strings.Join(given, ","), "is not a field of %s", protocol.Name)
		}
	}
	r.PromptGiven = values["prompt"] != nil
	return r, r.Validate()
}

// FieldError says which field of a request is at fault.
type FieldError struct {
	Field   string
	Value   string // as it was given; "" where it is missing
	Problem string // begins with the value where there is one
}

// Error is as the command line says it, where fields are flags.
func (e *FieldError) Error() string {
	if strings.HasPrefix(e.Problem, ":") {
		return "--" + e.Field + e.Problem
	}
	return "--" + e.Field + " " + e.Problem
}

// Wrong is a *FieldError; the sentence goes on after the field's name.
func Wrong(field string, value any, format string, args ...any) error {
	return &FieldError{Field: field, Value: fmt.Sprint(value), Problem: fmt.Sprintf(format, args...)}
}

// Key is equal for equal requests and for no others.
func (r Request) Key() string {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	return string(raw)
}

// FindProtocol is the request's protocol.
func (r Request) FindProtocol() (judging.Protocol, error) { return judging.ProtocolNamed(r.Protocol) }

// SampleEach is how many questions of each group the protocols with tasks take by default (PROTOCOLS.md §2).
const SampleEach = 100

// hasTasks tells whether a protocol samples each group for itself: its groups are tasks.
func hasTasks(k judging.Protocol) bool {
	return k.JudgesAgents() || k.Takes(datasets.Choice)
}

// TakesDataset tells whether a protocol, or the stage it begins with, takes the
// items of a dataset.
func TakesDataset(kind judging.Protocol, known datasets.Known) bool {
	shape := known.Shape()
	if kind.JudgesAgents() {
		if shape != "" && kind.Before(nil).Check(datasets.Item{Shape: shape}) != nil {
			return false
		}
		kind = judging.Answering()
	}
	return shape == "" || kind.Takes(shape)
}

// datasetsFor are the names of the known datasets that a protocol takes: the first few, and where the others are.
func datasetsFor(k judging.Protocol) string {
	var names []string
	for _, known := range datasets.Registry() {
		if TakesDataset(k, known) {
			names = append(names, known.Name)
		}
	}
	if more := len(names) - 3; more > 1 {
		names = append(names[:3], fmt.Sprintf("%d more: see gavel datasets list", more))
	}
	return strings.Join(names, ", ")
}

// Selection is which items the request picks. IDs are for the caller to read.
func (r Request) Selection() datasets.Selection {
	s := datasets.Selection{Seed: r.Seed, Limit: r.Limit}
	protocol, err := r.FindProtocol()
	tasks := err == nil && hasTasks(protocol)
	switch {
	case r.Sample != nil && tasks:
		s.SampleEach = *r.Sample
	case r.Sample != nil:
		s.Sample = *r.Sample
	case tasks:
		s.SampleEach = SampleEach
	}
	return s
}

// Open is how the dataset's file is read.
func (r Request) Open() datasets.OpenOptions {
	return datasets.OpenOptions{Groups: r.Groups, Turns: r.Turns, Lang: r.Lang, Mapping: r.Mapping}
}

// CallParameters are those of every call.
func (r Request) CallParameters() judging.Parameters {
	p := r.Parameters
	p.MaxTokens = cmp.Or(p.MaxTokens, judging.DefaultParameters.MaxTokens)
	if p.NumRepetitions <= 1 {
		p.NumRepetitions = 0
	}
	return p
}

// Validate holds the request to what can be, before a file is opened or a server asked. Its error is a *FieldError.
func (r Request) Validate() error {
	protocol, err := r.FindProtocol()
	if err != nil {
		return Wrong("protocol", r.Protocol, "%v", err)
	}
	if r.Dataset == "" {
		return Wrong("dataset", "", "is missing: a file, or one of %s", datasetsFor(protocol))
	}
	if err := r.Endpoint.Validate(); err != nil {
		return err
	}
	if field, err := r.Mapping.Check(); err != nil {
		return Wrong(field, "", "%v", err)
	}
	for _, f := range r.fields(protocol) {
		if f.isUsual() {
			continue
		}
		texts := f.texts()
		if f.Served && r.Simulated() {
			return Wrong(f.Name, texts[0], "has no meaning with --backend sim")
		}
		for _, text := range texts {
			if err := f.check(text); err != nil {
				return Wrong(f.Name, text, "%v", err)
			}
		}
	}
	return r.together()
}

// together refuses fields that do not go with each other.
func (r Request) together() error {
	switch {
	case r.Shard != "" && r.Until != "":
		return Wrong("until", r.Until, "asks when all items are enough: leave it out with --shard")
	case r.StrictDeterminism && r.Concurrency > 1:
		return Wrong("strict-determinism", true, "asks one request at a time: leave out --concurrency %d", r.Concurrency)
	case r.StrictDeterminism && len(r.BaseURLs) > 1:
		return Wrong("strict-determinism", true, "asks one server: leave out all --base-url but one")
	case r.NoCache && r.Cache != "":
		return Wrong("cache", r.Cache, "and --no-cache: choose one")
	}
	return nil
}
