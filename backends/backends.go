// Package backends sends a [Request] to a judge's server and returns its [Response].
//
// It stands between prompt and verdict and depends on neither. It speaks the wire formats (Ollama's own, OpenAI's, that
// of decision models, and a simulation), separates replies from failures, and retries failures that may pass.
package backends

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/internal/codec"
)

// Client sends one request to a judge.
//
// Ask may be called from many goroutines, and again with the same request. It returns a Response for every reply, also
// for a prompt that the server refused for its length. An error means that there is no reply and that another try may
// bring one. Errors from a server are *Error.
//
// Retries, time limits and the cache are each a Client that wraps another Client.
type Client interface {
	Ask(ctx context.Context, req Request) (Response, error)
}

// ClientFunc is a function that serves as a Client.
type ClientFunc func(ctx context.Context, req Request) (Response, error)

// Ask implements Client.
func (f ClientFunc) Ask(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// Values of [Message].Role.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request holds everything that can change a reply; only Oracle goes beyond that. The cache hashes its JSON.
type Request struct {
	Identity    string    `json:"identity"` // kind of backend and the model's digest or fingerprint
	Model       string    `json:"model"`    // the model's name on the server
	Messages    []Message `json:"messages"`
	Temperature float64   `json:"temperature"`
	TopP        float64   `json:"top_p"`
	Seed        int       `json:"seed"`
	MaxTokens   int       `json:"max_tokens"` // limit of the reply, with its thinking
	NumCtx      int       `json:"num_ctx"`    // requested context in tokens; 0: the server decides
	Repetition  int       `json:"repeat"`     // number of the repetition, from 0: each has a reply of its own in the cache

	// The JSON leaves out the fields below when they are unset, so that the keys of plain requests do not change.

	Think Think `json:"think,omitempty"`
	// ThinkBudget limits the tokens of thinking on servers that support it; see [LimitsThinking].
	ThinkBudget int `json:"think_budget,omitempty"`
	// AllowedReplies lists the texts to which the server must restrict the reply, apart from thinking; nil: any text.
	AllowedReplies []string `json:"constrain,omitempty"`
	// Labels lists the texts whose probabilities are requested; see [Response.LabelProbabilities].
	Labels []string `json:"labels,omitempty"`
	// NoPromptCache has the server compute the whole prompt anew, where it supports that.
	NoPromptCache bool `json:"no_prompt_cache,omitempty"`
	ExtraParameters

	// ReportedContextTokens holds the context in tokens that the server reports; 0: unknown. It is neither sent nor part
	// of the key in the cache: a cached "prompt too long" is valid only while the context has not grown.
	ReportedContextTokens int `json:"-"`

	// CountedPromptTokens is the number of tokens of Messages by the server's own tokenizer; 0: not counted. A reply for
	// which the server read fewer tokens is rejected.
	CountedPromptTokens int `json:"-"`

	// Oracle is read by simulated judges and never sent to a server.
	Oracle *Oracle `json:"-"`
}

// ExtraParameters holds optional features of a server: a run sets them as parameters, a request carries them. Unset
// fields are left out of the JSON. The tag about has the field's description for people.
type ExtraParameters struct {
	// StopRepetition has the server end a reply that repeats itself.
	StopRepetition bool `json:"stop_repetition,omitempty" about:"replies that repeat themselves ended by the server"`
}

// Think sets whether a model thinks before it answers, and how long.
type Think string

// Values of Think. A server refuses or ignores a value that its model does not support.
const (
	ThinkAuto   Think = "" // the model's default: nothing is sent
	ThinkOn     Think = "on"
	ThinkOff    Think = "off"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// ThinkValues lists the values of Think as flags spell them, the default first.
var ThinkValues = strings.Fields("auto on off low medium high")

// EncodeMessages returns a conversation as JSON, the same for every wire format.
func EncodeMessages(messages []Message) []byte { return mustJSON(messages) }

// mustJSON encodes a value that always has a JSON form, without escaping < and >.
func mustJSON(v any) json.RawMessage {
	raw, err := codec.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// Oracle gives a simulated judge the possible verdicts about a presentation and the correct one.
type Oracle struct {
	Item            string   // id of the item: a judge knows its correct candidate in all presentations or in none
	Presentation    int      // number of the presentation of the item
	VerdictLabels   []string // Choices[position] is the label of a verdict for the candidate shown there
	Order           []int    // Order[position] is the index of the candidate shown there
	CorrectPosition int      // the position of the correct candidate; -1: unknown
	TieLabel        string   // the label of a tie; "": not offered
	AsksForWorst    bool     // the prompt asks for the worst candidate
	// ReferenceVerdict is the verdict that a reference in the prompt supports; "": the prompt shows none.
	ReferenceVerdict string
	// Rewrite names the change that was made to the prompt, to test whether it sways the judge; "": the plain prompt.
	// Favours is the verdict that the change supports; "": none.
	RewriteName, SupportedVerdict string
	// IsScore says that Choices are the levels of a scale, the lowest first, for the candidate at the first position.
	// Length is the candidate's length over the mean of all candidates, minus 1. Quality is its place on people's scale,
	// from 0 to 1; NaN if people have not scored it.
	IsScore        bool
	RelativeLength float64
	Quality        float64
}

// Finish is the way a reply ended.
type Finish string

const (
	FinishStop          Finish = "stop"            // the model ended the reply
	FinishLength        Finish = "length"          // the reply ended at the token limit or the end of the context
	FinishPromptTooLong Finish = "prompt-too-long" // the prompt did not fit; there is no reply
	FinishRefused       Finish = "refused"         // the server withheld the reply (content filter, refusal)
)

// NoFinishReasons warns that a server reports no finish reasons: see [Response].NoFinishReasons.
const NoFinishReasons = "the server reports no finish reasons: " +
	"a reply that broke off counts as complete, unless it fills --max-tokens"

// Response holds a judge's reply. Text never contains thinking.
type Response struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking,omitempty"`
	Finish   Finish `json:"finish"`
	// the server's message if Finish is FinishPromptTooLong or Refused; the reason if Finish is Length without a limit
	Detail string `json:"detail,omitempty"`
	// NoFinishReasons says that the server never reports why a reply ended: Finish is Stop below the token limit.
	NoFinishReasons bool `json:"end_untold,omitempty"`
	PromptTokens    int  `json:"prompt_tokens,omitempty"` // as the server counts; 0: not reported
	// CachedTokens counts the prompt tokens that the server took from its own prompt cache; nil: not reported.
	CachedTokens *int `json:"cached_tokens,omitempty"`
	ReplyTokens  int  `json:"reply_tokens,omitempty"` // with thinking, as the server counts
	ThinkTokens  int  `json:"think_tokens,omitempty"` // thinking tokens, part of ReplyTokens; 0: not reported
	// LabelProbabilities holds those of Request.Labels whose probability follows from this reply. Empty if the server
	// reports no probabilities.
	LabelProbabilities []LabelProbability `json:"labels,omitempty"`
	// Context is the server's context in tokens if Finish is FinishPromptTooLong.
	Context int           `json:"context,omitempty"`
	Took    time.Duration `json:"took_ns,omitempty"` // from the request to the end of the answer
	Timing  Timing        `json:"-"`                 // the server's own times, as far as it reports them
	Cached  bool          `json:"-"`                 // the response comes from gavel's cache
	Bundle  string        `json:"-"`                 // the bundle that a cached reply was imported from
	// Endpoint is the address of the server that answered, if there were several; see [Pool].
	Endpoint string `json:"endpoint,omitempty"`
	// Model is the model name in the reply, if it differs from the requested one.
	Model string `json:"model,omitempty"`
	// SystemFingerprint is the system_fingerprint of the reply; see [Fingerprints].
	SystemFingerprint string `json:"system_fingerprint,omitempty"`
	// ID is the server's id of the reply with its creation time. Two equal ones mean that a server or proxy sent a copy of
	// a reply.
	ID string `json:"id,omitempty"`
	// IdentityCheck reports whether the server still had the model after the reply; nil: not checked. See [ModelWatch].
	IdentityCheck *IdentityCheck `json:"-"`
}

// LabelProbability holds the probability of one of Request.Labels at the place of the verdict in the reply: the natural
// logarithm of the product of the token probabilities, up to the token that distinguishes the label from the others.
// These are the model's own probabilities, before any constraint.
type LabelProbability struct {
	Text    string  `json:"label"`
	Logprob float64 `json:"logprob"`
}

// LabelLogprobs returns the logarithms of the probabilities by label.
func (r Response) LabelLogprobs() map[string]float64 {
	logprobs := map[string]float64{}
	for _, l := range r.LabelProbabilities {
		logprobs[l.Text] = l.Logprob
	}
	return logprobs
}

// Model holds what a server reports about a model.
type Model struct {
	Name string `json:"name"` // the model's name, as requested
	// other names of the model in the server's list
	Aliases []string `json:"aliases,omitempty"`
	Digest  string   `json:"digest,omitempty"` // hash of the model's file (Ollama)
	// the model's sizes and template, or its path, in place of `digest` where the server gives none
	Fingerprint    string `json:"fingerprint,omitempty"`
	Family         string `json:"family,omitempty"`          // family of the architecture
	Parameters     string `json:"parameters,omitempty"`      // number of parameters, in the server's notation: `8.0B`
	Quantisation   string `json:"quantisation,omitempty"`    // precision of the weights: `Q4_K_M`
	TrainedContext int    `json:"trained_context,omitempty"` // context in tokens for which the model was trained
	// context per request in tokens; the smallest of several servers
	Context int `json:"context,omitempty"`
	Slots   int `json:"slots,omitempty"` // number of requests served in parallel; the sum over several servers

	Thinks   Ability `json:"thinks,omitempty"`   // `yes` or `no`: thinking can be requested
	Logprobs Ability `json:"logprobs,omitempty"` // `yes` or `no`: the server reports token probabilities

	IsDecisionModel Ability `json:"-"` // whether it is a decision model; see [DecisionBackend]
	// ServerStartMarker is a text that the server draws anew at each start; "": it reports none.
	ServerStartMarker string `json:"-"`
}

// Ability says whether a model or server can do something; "" where the server does not say.
type Ability string

// Values of Ability.
const (
	AbilityYes Ability = "yes"
	AbilityNo  Ability = "no"
)

// abilityFromBool returns Yes or No.
func abilityFromBool(can bool) Ability {
	if can {
		return AbilityYes
	}
	return AbilityNo
}

// sortByName sorts models by name, in place, and returns them.
func sortByName(models []Model) []Model {
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return models
}

// Identity returns the text that stands for the model in the keys of the cache and in run.json: kind, the server's wire
// format, with the model's digest, or with its name and fingerprint.
func (m Model) Identity(kind string) string {
	name := m.Name
	if m.Fingerprint != "" {
		name += " " + m.Fingerprint
	}
	return kind + " " + cmp.Or(m.Digest, name)
}

// ServerInfo holds the kind, name, version and address of a server, as run.json stores them.
type ServerInfo struct {
	// the wire format: `ollama`, `openai`, `systemone`, `sim`, `import` or `jury`; part of the cache key
	WireFormat string `json:"kind"`
	Name       string `json:"name"`              // `Ollama`, `llama.cpp`, `vLLM`, …
	Version    string `json:"version,omitempty"` // as the server reports it
	URL        string `json:"url,omitempty"`     // the server's address
}

// Backend is a Client that also describes its server and the server's models.
type Backend interface {
	Client
	// Server identifies the server. It returns an error if the server does not answer.
	Server(ctx context.Context) (ServerInfo, error)
	// Models lists the server's models, sorted by name.
	Models(ctx context.Context) ([]Model, error)
	// Model describes one model; an unknown name gives an *Error of kind ErrorNotFound.
	Model(ctx context.Context, name string) (Model, error)
}

// ErrorKind classifies failed calls by what may help: another try, another request, or a person.
type ErrorKind string

const (
	ErrorTransport  ErrorKind = "transport"  // connection refused, reset or cut off: another try may succeed
	ErrorTimeout    ErrorKind = "timeout"    // no answer within the time limit: another try may succeed
	ErrorBusy       ErrorKind = "busy"       // HTTP 408, 429, 503: another try may succeed
	ErrorServer     ErrorKind = "server"     // other HTTP 5xx, or an unusable answer: another try may succeed
	ErrorBadRequest ErrorKind = "request"    // HTTP 400 and the like: the same request will fail again
	ErrorAuth       ErrorKind = "auth"       // HTTP 401, 403: a key or password is missing or wrong
	ErrorNotFound   ErrorKind = "not-found"  // HTTP 404: the address or the model is wrong
	ErrorRedirect   ErrorKind = "moved"      // HTTP 3xx: gavel follows no redirect
	ErrorUnexpected ErrorKind = "unexpected" // any other failure
)

// Error describes a call without a usable answer.
type Error struct {
	Kind         ErrorKind
	Status       int           // HTTP status; 0: none
	Message      string        // the server's message, or gavel's, on one line
	RetryAfter   time.Duration // the wait that the server requests; 0: none
	AccessAdvice string        // for Auth: the key or password that is missing or wrong, and how to give it
	Err          error         // the cause; may be nil
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("HTTP %d: %s", e.Status, e.Message)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// IsRetryable reports whether another try can succeed later.
func (e *Error) IsRetryable() bool {
	return slices.Contains([]ErrorKind{ErrorTransport, ErrorTimeout, ErrorBusy, ErrorServer}, e.Kind)
}

// requestedWait returns the wait that the server requested in err; 0 if it requested none.
func requestedWait(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// IsKind reports whether err is an *Error of one of the kinds.
func IsKind(err error, kinds ...ErrorKind) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(kinds, e.Kind)
}
