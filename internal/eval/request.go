// Package eval makes runs. A [RunRequest] describes a run; [RunRequest.Validate] checks it and names the invalid field.
//
// The command line, a suite's file and the server's API each fill a RunRequest and call this package. The package reads
// no flags, environment or clock itself.
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
	_ "gavel/protocols" // registers the protocols
)

// Endpoint names the server to ask, or several servers of one model.
type Endpoint struct {
	Backend   string   `json:"backend,omitempty"`     // one of Backends; "" is auto
	BaseURLs  []string `json:"base-url,omitempty"`    // addresses; nil: those in the environment, or else local ports
	APIKeyEnv string   `json:"api-key-env,omitempty"` // name of the variable that holds the API key
}

// Backends lists the kinds of server, the default first.
var Backends = append([]string{"auto"}, backends.WireFormats()...)

// SimulatedEndpoint is the endpoint of simulated judges.
var SimulatedEndpoint = Endpoint{Backend: backends.Simulation}

// Simulated reports whether no server is asked.
func (e Endpoint) Simulated() bool { return e.Backend == backends.Simulation }

// RunRequest describes a run. [ProtocolFields] lists its fields as people know them: the flags of "gavel run", the keys
// of a suite's file, and the fields of the server's API. The tag field has their names; without it, the name is the
// JSON key with hyphens. New returns one with all defaults.
type RunRequest struct {
	Endpoint
	Protocol         string
	Model            string `field:"model"` // the judge's name on its server; "" if the server has only one model
	JudgeName        string // name of the judge on pages and in tables; "": Model
	Dataset          string `field:"dataset"` // name or path of the dataset
	PromptNameOrFile string `field:"prompt"`  // name of the prompt, or path of a file with a system message
	// PromptGiven says that the user chose the prompt.
	PromptGiven bool
	Options     judging.Settings

	// The items to judge.
	Limit int `field:"limit"` // number of items to use, the first of those selected; 0 for all
	// Sample is the number of items drawn, of each group if the protocol's groups are tasks; nil: the protocol's default.
	Sample             *int     `field:"sample"`
	Seed               int64    `field:"seed"`        // seed of random draws of items, options and order
	IDsFile            string   `field:"ids"`         // path of a file with the ids of the items
	Groups             []string `field:"group"`       // groups whose items are used; nil for all
	Turns              string   `field:"turns"`       // turns of conversations to judge: first or all
	ItemLanguage       string   `field:"lang"`        // language of conversations and message trees
	AddUnrelatedOption bool     `field:"unrelated"`   // each item gets an option of another item
	MaxOptions         int      `field:"max-options"` // number of options to which larger items are reduced; 0: all stay
	Agents             []string `field:"agents"`      // models whose answers are judged: runs, files or MODEL@URL
	Own                string   `field:"own"`         // folder of the run with the judge's own answers; "": gavel makes it
	Shard              string   `field:"shard"`       // part of the items to judge: K/N, auto or auto/N
	try                int      // number of the try of the shard's task, from 1

	datasets.Mapping // columns of a file that is in none of gavel's formats

	// How the judge is asked. MaxTokens 0 is the default, or less if that does not fit; see fitReply.
	judging.Parameters
	StopOnAlarm bool   `field:"stop-on-alarm"` // a warning of [judging.Alarms] ends the run
	Until       string `field:"until"`         // claim that ends the run once it is decided; see ParseStoppingClaim
	Concurrency int    `field:"concurrency"`   // judgments in flight; 0: the server's slots, or else the fastest number
	// MaxConcurrency limits the requests to one server if Concurrency is 0; 0: the default limit.
	MaxConcurrency int           `field:"max-concurrency"`
	Timeout        time.Duration `field:"timeout"`   // limit of one call
	RetryFor       time.Duration `field:"retry-for"` // how long a call is tried again after temporary errors

	// Folders.
	Cache   string `field:"cache"`    // folder of the cache; "": the user's
	NoCache bool   `field:"no-cache"` // the cache is neither read nor written
	// AskAgain asks again for the run's judgments without a verdict, and does not read the cache.
	AskAgain bool   `field:"ask-again"`
	Out      string `field:"out"` // folder of the run; "": named after the run, in the folder of runs
}

// NewRequest returns a request for a protocol with the defaults of all fields.
func NewRequest(protocol judging.Protocol) RunRequest {
	r := RunRequest{
		Endpoint:         Endpoint{Backend: Backends[0]},
		Protocol:         protocol.Name,
		PromptNameOrFile: protocol.Templates[0].Name,
		Seed:             1,
		Parameters:       judging.DefaultParameters,
		Timeout:          10 * time.Minute,
		RetryFor:         2 * time.Minute,
	}
	r.MaxTokens = 0
	r.NumRepetitions = 1
	if !protocol.HasFollowUpTurn {
		r.VerdictAttempts = 1
	}
	return r
}

// ParseRequest returns a request for a protocol with values of fields as people write them. The error is a *FieldError.
func ParseRequest(protocol judging.Protocol, values map[string][]string) (RunRequest, error) {
	r := NewRequest(protocol)
	fields := r.fields(protocol)
	for _, f := range fields {
		if texts := values[f.Name]; len(texts) > 0 {
			if err := f.read(texts); err != nil {
				return r, InvalidField(f.Name, texts[len(texts)-1], "%v", err)
			}
		}
	}
	for name, texts := range values {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
			return r, InvalidField(name, strings.Join(texts, ","), "is not a field of %s", protocol.Name)
		}
	}
	r.PromptGiven = values["prompt"] != nil
	return r, r.Validate()
}

// FieldError is the error of an invalid field of a request.
type FieldError struct {
	Field   string // name of the field, as on the command line without hyphens before it
	Value   string // as given; "" if missing
	Problem string // continues a sentence that begins with the field; starts with the value if there is one
}

// Error returns the text for the command line, where fields are flags.
func (e *FieldError) Error() string {
	if strings.HasPrefix(e.Problem, ":") {
		return "--" + e.Field + e.Problem
	}
	return "--" + e.Field + " " + e.Problem
}

// InvalidField returns a *FieldError. format and args give its Problem.
func InvalidField(field string, value any, format string, args ...any) error {
	return &FieldError{Field: field, Value: fmt.Sprint(value), Problem: fmt.Sprintf(format, args...)}
}

// Key returns a string that is equal for equal requests only.
func (r RunRequest) Key() string {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	return string(raw)
}

// FindProtocol returns the request's protocol.
func (r RunRequest) FindProtocol() (judging.Protocol, error) {
	return judging.ProtocolNamed(r.Protocol)
}

// DefaultItemsPerGroup is the default number of questions drawn from each group, for protocols whose groups are tasks
// (PROTOCOLS.md §2).
const DefaultItemsPerGroup = 100

// groupsAreTasks reports whether a protocol samples each group separately: its groups are tasks.
func groupsAreTasks(k judging.Protocol) bool {
	return k.JudgesAgents() || k.Takes(datasets.ShapeChoice)
}

// TakesDataset reports whether a protocol takes the items of a dataset: to judge them or, if it judges agents' answers,
// to have them answered first.
func TakesDataset(kind judging.Protocol, dataset datasets.Entry) bool {
	shape := dataset.Shape()
	if kind.JudgesAgents() {
		if shape != "" && kind.FirstStage(nil, "").CheckQuestion(datasets.Item{Shape: shape}) != nil {
			return false
		}
		kind = judging.AnswerProtocol()
	}
	return shape == "" || kind.Takes(shape)
}

// datasetsFor lists the known datasets that a protocol takes: the first few, and how to list the others.
func datasetsFor(k judging.Protocol) string {
	var names []string
	for _, dataset := range datasets.Registry() {
		if TakesDataset(k, dataset) {
			names = append(names, dataset.Name)
		}
	}
	if more := len(names) - 3; more > 1 {
		names = append(names[:3], fmt.Sprintf("%d more: see gavel datasets list", more))
	}
	return strings.Join(names, ", ")
}

// Selection returns the request's selection of items, without those by id: the caller reads the file IDs.
func (r RunRequest) Selection() datasets.Selection {
	s := datasets.Selection{Seed: r.Seed, Limit: r.Limit}
	protocol, err := r.FindProtocol()
	tasks := err == nil && groupsAreTasks(protocol)
	switch {
	case r.Sample != nil && tasks:
		s.ItemsPerGroup = *r.Sample
	case r.Sample != nil:
		s.Sample = *r.Sample
	case tasks:
		s.ItemsPerGroup = DefaultItemsPerGroup
	}
	return s
}

// OpenOptions returns the options for reading the dataset's file.
func (r RunRequest) OpenOptions() datasets.OpenOptions {
	return datasets.OpenOptions{Groups: r.Groups, Turns: r.Turns, Lang: r.ItemLanguage, Mapping: r.Mapping}
}

// CallParameters returns the parameters of every call to the judge, with the default for MaxTokens.
func (r RunRequest) CallParameters() judging.Parameters {
	p := r.Parameters
	p.MaxTokens = cmp.Or(p.MaxTokens, judging.DefaultParameters.MaxTokens)
	if p.NumRepetitions <= 1 {
		p.NumRepetitions = 0
	}
	return p
}

// Validate checks the request before a file is opened or a server asked. The error is a *FieldError.
func (r RunRequest) Validate() error {
	protocol, err := r.FindProtocol()
	if err != nil {
		return InvalidField("protocol", r.Protocol, "%v", err)
	}
	if r.Dataset == "" {
		return InvalidField("dataset", "", "is missing: a file, or one of %s", datasetsFor(protocol))
	}
	if err := r.Endpoint.Validate(); err != nil {
		return err
	}
	if field, err := r.Mapping.Check(); err != nil {
		return InvalidField(field, "", "%v", err)
	}
	for _, f := range r.fields(protocol) {
		if f.isDefault() {
			continue
		}
		texts := f.texts()
		if f.NeedsServer && r.Simulated() {
			return InvalidField(f.Name, texts[0], "has no meaning with --backend sim")
		}
		for _, text := range texts {
			if err := f.check(text); err != nil {
				return InvalidField(f.Name, text, "%v", err)
			}
		}
	}
	return r.checkCombinations()
}

// checkCombinations returns an error for fields that exclude each other.
func (r RunRequest) checkCombinations() error {
	switch {
	case r.Shard != "" && r.Until != "":
		return InvalidField("until", r.Until, "needs the judgments of all items: leave it out with --shard")
	case r.StrictDeterminism && r.Concurrency > 1:
		return InvalidField("strict-determinism", true,
			"asks one request at a time: leave out --concurrency %d", r.Concurrency)
	case r.StrictDeterminism && len(r.BaseURLs) > 1:
		return InvalidField("strict-determinism", true, "asks one server: leave out all --base-url but one")
	case r.NoCache && r.Cache != "":
		return InvalidField("cache", r.Cache, "and --no-cache: choose one")
	}
	return nil
}
