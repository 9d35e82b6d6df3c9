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
var Backends = []string{"auto", "ollama", "openai", "sim"}

// Request is a run to be made. Its JSON keys are the names of the fields, which are also those of the flags of "gavel
// run", of the keys of a suite's file, and of the fields of an order to a server; [Fields] says more of each. New gives
// one with all defaults.
type Request struct {
	Endpoint
	Protocol string           `json:"protocol"`
	Model    string           `json:"model,omitempty"` // by the name its server knows; "" where it has only one
	Dataset  string           `json:"dataset"`         // name or path
	Prompt   string           `json:"prompt"`          // name, or path of a system message
	Options  judging.Settings `json:"options,omitempty"`

	// Which items.
	Limit int `json:"limit,omitempty"` // the first so many; 0 for all
	// drawn; of protocols with tasks, of each group; nil is the protocol's default
	Sample     *int     `json:"sample,omitempty"`
	Seed       int64    `json:"seed"`
	IDs        string   `json:"ids,omitempty"` // file that names them
	Groups     []string `json:"group,omitempty"`
	Turns      string   `json:"turns,omitempty"` // for conversations: first or all
	Lang       string   `json:"lang,omitempty"`  // of message trees
	Unrelated  bool     `json:"unrelated,omitempty"`
	MaxOptions int      `json:"max-options,omitempty"` // 0 for all
	Agents     []string `json:"agents,omitempty"`      // whose answers are judged
	Own        string   `json:"own,omitempty"`         // run of the judge's own answers
	Shard      string   `json:"shard,omitempty"`       // of those items: K/N, auto or auto/N
	try        string   // of the shard's task
	Retired    []string `json:"-"` // what to say of fields that were given and do nothing any more

	datasets.Mapping // of a file of any shape

	// How the judge is asked. See judging.Parameters.
	MaxTokens      int    `json:"max-tokens,omitempty"` // 0: the default, or what fits; see fitReply
	NumCtx         int    `json:"num-ctx,omitempty"`
	SystemRole     string `json:"system-role"`
	AcceptCut      bool   `json:"accept-cut,omitempty"`
	StopRepetition bool   `json:"stop-repetition,omitempty"`
	StopOnAlarm    bool   `json:"stop-on-alarm,omitempty"`
	// question that ends the run when it is answered; see ParseUntil
	Until             string         `json:"until,omitempty"`
	Think             backends.Think `json:"think,omitempty"`
	ThinkBudget       int            `json:"think-budget,omitempty"`
	FinishThinking    bool           `json:"finish-thinking,omitempty"`
	Constrain         bool           `json:"constrain,omitempty"`
	Logprobs          bool           `json:"logprobs,omitempty"`
	Repetitions       int            `json:"repeat"`
	StrictDeterminism bool           `json:"strict-determinism,omitempty"`
	Attempts          int            `json:"attempts"`
	Concurrency       int            `json:"concurrency,omitempty"` // 0: as many as the server says it serves
	Timeout           time.Duration  `json:"timeout"`               // of one call
	RetryFor          time.Duration  `json:"retry-for"`             // how long a call that may still pass is tried

	// Where.
	Cache   string `json:"cache,omitempty"` // folder; "" is the user's
	NoCache bool   `json:"no-cache,omitempty"`
	// AskAgain asks again for the judgments without a verdict that the run has, and does not read the cache.
	AskAgain bool   `json:"ask-again,omitempty"`
	Out      string `json:"out,omitempty"` // folder of the run; "" is named after what it is
}

// New is a request for a protocol, with the defaults of all its fields.
func New(protocol judging.Protocol) Request {
	d := judging.DefaultParameters
	r := Request{
		Endpoint: Endpoint{Backend: Backends[0]}, Protocol: protocol.Name, Prompt: protocol.Templates[0].Name, Seed: 1,
		SystemRole: d.SystemRole, Repetitions: 1, Attempts: d.Attempts,
		Timeout: 10 * time.Minute, RetryFor: 2 * time.Minute,
	}
	if !protocol.FollowUps {
		r.Attempts = 1
	}
	return r
}

// Read is a request of a protocol with the values of fields, as people write them. Its error is a *FieldError.
func Read(protocol judging.Protocol, values map[string][]string) (Request, error) {
	r := New(protocol)
	for _, f := range FieldsOf(protocol) {
		if given := values[f.Name]; len(given) > 0 {
			if err := f.set(&r, given); err != nil {
				return r, &FieldError{Field: f.Name, Value: given[len(given)-1], Problem: err.Error()}
			}
		}
	}
	for name, given := range values {
		if _, ok := FieldNamed(protocol, name); !ok {
			return r, &FieldError{
				Field:   name,
				Value:   strings.Join(given, ","),
				Problem: fmt.Sprintf("is not a field of %s", protocol.Name),
			}
		}
	}
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

// Sampled tells whether a sample was asked for, and not the protocol's default.
func (r Request) Sampled() bool { return r.Sample != nil }

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

// datasetsFor are the names of the known datasets that a protocol takes.
func datasetsFor(k judging.Protocol) string {
	var names []string
	for _, known := range datasets.Registry {
		if TakesDataset(k, known) {
			names = append(names, known.Name)
		}
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
	o := datasets.OpenOptions{Groups: r.Groups, Mapping: r.Mapping}
	if r.Turns == datasets.TurnsAll {
		o.Turns = datasets.TurnsAll
	}
	if r.Lang != defaultLang {
		o.Lang = r.Lang
	}
	return o
}

// Parameters are those of every call.
func (r Request) Parameters() judging.Parameters {
	p := judging.DefaultParameters
	p.MaxTokens = cmp.Or(r.MaxTokens, p.MaxTokens)
	p.NumCtx = r.NumCtx
	p.SystemRole = r.SystemRole
	p.AcceptCut = r.AcceptCut
	p.Think = r.Think
	p.Constrain = r.Constrain
	p.Logprobs = r.Logprobs
	p.StrictDeterminism = r.StrictDeterminism
	p.ThinkBudget = r.ThinkBudget
	p.FinishThinking = r.FinishThinking
	p.StopRepetition = r.StopRepetition
	p.Attempts = r.Attempts
	if r.Repetitions > 1 {
		p.NumRepetitions = r.Repetitions
	}
	return p
}

// Validate holds the request to what can be, before a file is opened or a server asked. Its error is a *FieldError.
func (r Request) Validate() error {
	protocol, err := r.FindProtocol()
	if err != nil {
		return &FieldError{Field: "protocol", Value: r.Protocol, Problem: err.Error()}
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
	if err := r.inRange(protocol); err != nil {
		return err
	}
	return r.together()
}

// inRange holds each field to its own bounds.
func (r Request) inRange(protocol judging.Protocol) error {
	for _, n := range []struct {
		field string
		value int
		least int
		most  int
	}{
		{field: "limit", value: r.Limit}, {field: "max-tokens", value: r.MaxTokens},
		{field: "num-ctx", value: r.NumCtx}, {
			field: "attempts",
			value: r.Attempts,
			least: 1,
			most:  judging.MaxAttempts,
		},
		{
			field: "repeat",
			value: r.Repetitions,
			least: 1,
			most:  judging.MaxRepetitions,
		}, {field: "think-budget", value: r.ThinkBudget},
		{field: "concurrency", value: r.Concurrency, most: judging.MaxConcurrency},
	} {
		if n.value < n.least {
			return Wrong(n.field, n.value, "%d: it must be at least 1", n.value)
		}
		if n.most > 0 && n.value > n.most {
			return Wrong(n.field, n.value, "%d: it must be at most %d", n.value, n.most)
		}
	}
	switch {
	case r.Sample != nil && (*r.Sample < 0 || *r.Sample == 0 && !hasTasks(protocol)):
		return Wrong("sample", *r.Sample, "%d: it must be at least 1", *r.Sample)
	case r.MaxOptions < 0 || r.MaxOptions == 1:
		return Wrong("max-options", r.MaxOptions, "%d: it must be at least 2", r.MaxOptions)
	case r.Timeout <= 0:
		return Wrong("timeout", r.Timeout, "%s: it must be more than 0", r.Timeout)
	case r.RetryFor <= 0:
		return Wrong("retry-for", r.RetryFor, "%s: it must be more than 0; 1ms means no retries", r.RetryFor)
	}
	for _, o := range protocol.Options {
		value, given := r.Options[o.Name]
		if !given {
			continue
		}
		if len(o.Values) > 0 && !slices.Contains(o.Values, value) {
			return Wrong(o.Name, value, "%q is not one of %s", value, strings.Join(o.Values, ", "))
		}
		if o.Check != nil {
			if err := o.Check(value); err != nil {
				return Wrong(o.Name, value, "%s: %v", value, err)
			}
		}
	}
	return oneOf("system-role", r.SystemRole, systemRoles)
}

// together refuses fields that do not go with each other.
func (r Request) together() error {
	if r.Until != "" {
		if _, err := ParseUntil(r.Until, r.Protocol); err != nil {
			return Wrong("until", r.Until, "%v", err)
		}
	}
	if r.Shard != "" {
		if _, _, err := parseShard(r.Shard); err != nil {
			return &FieldError{Field: "shard", Value: r.Shard, Problem: err.Error()}
		}
	}
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
	if r.Backend != "sim" {
		return nil
	}
	for _, f := range []struct {
		field string
		given bool
	}{{"think", r.Think != backends.ThinkAuto}, {"constrain", r.Constrain}, {"logprobs", r.Logprobs},
		{"strict-determinism", r.StrictDeterminism},
		{"think-budget", r.ThinkBudget > 0}, {"finish-thinking", r.FinishThinking},
		{"stop-repetition", r.StopRepetition}} {
		if f.given {
			return Wrong(f.field, f.given, "has no meaning with --backend sim")
		}
	}
	return nil
}

func oneOf(field, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return Wrong(field, value, "%q is not one of %s", value, strings.Join(allowed, ", "))
}
