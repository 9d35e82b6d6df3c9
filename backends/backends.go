// Package backends asks judges: a [Request] goes in, a [Response] comes out.
//
// It stands in the middle of the flow, between prompt and verdict, and knows nothing of either: it speaks the wire
// formats (Ollama's own, OpenAI's, and a simulation), tells answers from failures, and retries what may pass.
package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/internal/codec"
)

// Client asks a judge once.
//
// Ask may be called from many goroutines, and again with the same request. It returns a Response for everything that is
// an answer, a prompt refused for its length included; an error means that there is no answer and that asking again may
// give one. Errors that come from a server are *Error.
//
// Wrap rather than branch: retrying, time limits and the cache are each a Client around a Client.
type Client interface {
	Ask(ctx context.Context, req Request) (Response, error)
}

// Roles of a message.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request is everything that can change a reply, and nothing else but Oracle. Its JSON is what the cache hashes.
type Request struct {
	Identity    string    `json:"identity"` // kind of backend and the model's digest or fingerprint
	Model       string    `json:"model"`    // name the server knows it by
	Messages    []Message `json:"messages"`
	Temperature float64   `json:"temperature"`
	TopP        float64   `json:"top_p"`
	Seed        int       `json:"seed"`
	MaxTokens   int       `json:"max_tokens"`
	NumCtx      int       `json:"num_ctx"` // context asked for, tokens; 0 where the server decides
	Repetition  int       `json:"repeat"`

	// What follows is left out of the JSON where it is not asked for, so that
	// the keys of plain requests stay what they were.

	Think Think `json:"think,omitempty"`
	// ThinkBudget bounds the tokens of thinking, where the server can be asked; see [TakeBudget].
	ThinkBudget int `json:"think_budget,omitempty"`
	// Constrain holds the whole reply, thinking aside, to one of these texts.
	Constrain []string `json:"constrain,omitempty"`
	// Labels asks how probable each of these texts was; see [Response.Labels].
	Labels []string `json:"labels,omitempty"`
	// NoPromptCache asks the server to compute the whole prompt anew, where it can be asked.
	NoPromptCache bool `json:"no_prompt_cache,omitempty"`
	Extras

	// Context is the context the server is known to serve, in tokens, 0 where it does not tell. It is no part of the
	// request and of no key; a remembered "prompt too long" is trusted only while it has not grown.
	Context int `json:"-"`

	// PromptTokens is what the server's own tokenizer made of Messages, 0 where
	// nobody asked it. A reply to fewer is no answer.
	PromptTokens int `json:"-"`

	// Oracle is for simulated judges alone: it is never sent to a server.
	Oracle *Oracle `json:"-"`
}

// Extras are what else a server can be asked for: parameters of a run, and parts of a request. The JSON leaves each out
// where it is not asked for. The tag about is its words for people.
type Extras struct {
	// the server ends a reply that repeats itself
	StopRepetition bool `json:"stop_repetition,omitempty" about:"replies that repeat themselves ended by the server"`
}

// Think says whether, or how long, a model is to think before it answers.
type Think string

// Values of Think. What a model cannot do, its server refuses or ignores.
const (
	ThinkAuto   Think = "" // the model's own way: nothing is sent
	ThinkOn     Think = "on"
	ThinkOff    Think = "off"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// Thinks lists the words for Think as flags have them, the default first.
var Thinks = []string{
	"auto", string(ThinkOn), string(ThinkOff), string(ThinkLow), string(ThinkMedium), string(ThinkHigh),
}

// EncodeMessages writes a conversation as JSON, as every wire format has it.
func EncodeMessages(messages []Message) []byte { return mustJSON(messages) }

// mustJSON writes a value that always has a JSON form, with < and > as they are.
func mustJSON(v any) json.RawMessage {
	raw, err := codec.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// Oracle tells a simulated judge what it would say and what is right.
type Oracle struct {
	Item         string   // id of the item, so that what a judge knows stays the same over presentations
	Presentation int      // which presentation of the item
	Choices      []string // the verdict that names the candidate at each position
	Order        []int    // the candidate at each position
	Right        int      // the position that it is right to name; -1 where nobody knows
	Tie          string   // the verdict for equal candidates; "" where none is on offer
	// Reference is the verdict that a reference shown in the prompt speaks for; "" where none is shown.
	Reference string
	// Rewrite is how the prompt differs from the one that asks the same plainly; "" for that one. Favours is the verdict
	// that the rewrite speaks for; "" for none.
	Rewrite, Favours string
}

// Finish says how a reply ended.
type Finish string

const (
	Stop    Finish = "stop"            // the model ended it
	Length  Finish = "length"          // it ended at the token limit or the end of the context
	TooLong Finish = "prompt-too-long" // the prompt did not fit; there is no reply
	Refused Finish = "refused"         // the server withheld the reply (content filter, refusal)
)

// EndUntold is said of a server that tells no finish reasons: see [Response.EndUntold].
const EndUntold = "the server tells no finish reasons: " +
	"a reply that was broken off is taken for a whole one, unless it fills --max-tokens"

// Response is what a judge answered. Text never holds thinking.
type Response struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking,omitempty"`
	Finish   Finish `json:"finish"`
	// the server's words, where Finish is TooLong or Refused; why it is Length, where that is no limit
	Detail string `json:"detail,omitempty"`
	// EndUntold says that the server tells no finish reasons, so that Finish is
	// Stop for any reply that does not fill the token limit.
	EndUntold    bool `json:"end_untold,omitempty"`
	PromptTokens int  `json:"prompt_tokens,omitempty"`
	// CachedTokens are those of PromptTokens that the server took from its own prompt cache; nil where it does not tell.
	CachedTokens *int `json:"cached_tokens,omitempty"`
	ReplyTokens  int  `json:"reply_tokens,omitempty"`
	ThinkTokens  int  `json:"think_tokens,omitempty"` // of ReplyTokens, thinking; 0 where the server does not tell
	// Labels holds those of Request.Labels whose probability can be told from
	// this reply; see [Label]. Empty where the server told none.
	Labels []Label `json:"labels,omitempty"`
	// Context the server was known to serve when it said TooLong.
	Context int           `json:"context,omitempty"`
	Took    time.Duration `json:"took_ns,omitempty"`
	Timing  Timing        `json:"-"` // as far as the server tells it
	Cached  bool          `json:"-"`
	Origin  string        `json:"-"` // of a cached reply: the bundle that it was taken in from
	// Endpoint is the address of the server that answered, where there was a choice; see [Pool].
	Endpoint string `json:"endpoint,omitempty"`
	// Model is the name that the reply itself gives, where it is not the one asked for.
	Model string `json:"model,omitempty"`
	// SystemFingerprint is what the reply came with; see [Fingerprints].
	SystemFingerprint string `json:"system_fingerprint,omitempty"`
	// ID is the server's own for the reply, and when it made it: a copy of a reply has the same.
	ID string `json:"id,omitempty"`
	// Check tells whether the model still was the same after the reply came; nil where nobody asks. See [Watch].
	Check *IdentityCheck `json:"-"`
}

// Label is how probable one of Request.Labels was where the reply gives its verdict: the natural logarithm of the
// product of the token probabilities up to the token that sets the label apart from the others. The probabilities are
// the model's own, before any constraint.
type Label struct {
	Text    string  `json:"label"`
	Logprob float64 `json:"logprob"`
}

// Model is what a server tells of a model.
type Model struct {
	Name string `json:"name"` // as it was asked for
	// other names of it that the server lists
	Aliases      []string `json:"aliases,omitempty"`
	Digest       string   `json:"digest,omitempty"`          // of its file (Ollama)
	Fingerprint  string   `json:"fingerprint,omitempty"`     // stands in for a digest where the server gives none
	Family       string   `json:"family,omitempty"`          // of the architecture
	Parameters   string   `json:"parameters,omitempty"`      // as the server writes it: `8.0B`
	Quantisation string   `json:"quantisation,omitempty"`    // `Q4_K_M`
	Trained      int      `json:"trained_context,omitempty"` // in tokens
	// served to one request, in tokens; of several servers the smallest
	Context int `json:"context,omitempty"`
	Slots   int `json:"slots,omitempty"` // requests served in parallel; of several servers the sum

	Thinks   Ability `json:"thinks,omitempty"`   // `yes` or `no`: thinking can be asked for
	Logprobs Ability `json:"logprobs,omitempty"` // `yes` or `no`: token probabilities are told

	Decides Ability `json:"-"` // it is a decision model; see [SystemOne]
	// Process differs between two starts of the server; "" where the server tells nothing that does.
	Process string `json:"-"`
}

// Ability is whether something can be done, where that is known.
type Ability string

// Values of Ability.
const (
	Unknown Ability = ""
	Yes     Ability = "yes"
	No      Ability = "no"
)

func ability(can bool) Ability {
	if can {
		return Yes
	}
	return No
}

func byName(models []Model) []Model {
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return models
}

// Identity is the part of the cache key that stands for the model.
func (m Model) Identity(kind string) string {
	switch {
	case m.Digest != "":
		return kind + " " + m.Digest
	case m.Fingerprint != "":
		return kind + " " + m.Name + " " + m.Fingerprint
	}
	return kind + " " + m.Name
}

// Server is what answers at an address.
type Server struct {
	// the wire format: `ollama`, `openai`, `systemone`, `sim`, `import` or `jury`; part of the cache key
	Kind    string `json:"kind"`
	Name    string `json:"name"`              // `Ollama`, `llama.cpp`, `vLLM`, …
	Version string `json:"version,omitempty"` // as it says
	URL     string `json:"url,omitempty"`     // its address
}

// Backend is a Client that can also tell what it talks to.
type Backend interface {
	Client
	// Server identifies the server; it fails where nothing answers.
	Server(ctx context.Context) (Server, error)
	// Models lists the models the server offers, sorted by name.
	Models(ctx context.Context) ([]Model, error)
	// Model describes one model; the error of an unknown one is *Error of kind NotFound.
	Model(ctx context.Context, name string) (Model, error)
}

// Kind sorts failures by what may help.
type Kind string

const (
	Transport  Kind = "transport"  // refused, reset, cut off: may pass
	Timeout    Kind = "timeout"    // no answer within the time limit: may pass
	Busy       Kind = "busy"       // 408, 429, 503: may pass
	ServerSide Kind = "server"     // other 5xx, or an answer that is none: may pass
	BadRequest Kind = "request"    // 400 and the like: the same again next time
	Auth       Kind = "auth"       // 401, 403
	NotFound   Kind = "not-found"  // 404: address or model
	Moved      Kind = "moved"      // 3xx: no redirect is followed
	Internal   Kind = "unexpected" // anything else
)

// Error is a call that brought no answer.
type Error struct {
	Kind       Kind
	Status     int // HTTP status, 0 where there was none
	Message    string
	RetryAfter time.Duration // what the server asked for, 0 where it did not
	Access     string        // of Auth: what the server lacks, and what to do about it
	Err        error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("HTTP %d: %s", e.Status, e.Message)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// MayPass tells whether asking again later can help.
func (e *Error) MayPass() bool {
	return slices.Contains([]Kind{Transport, Timeout, Busy, ServerSide}, e.Kind)
}

// requestedWait returns how long the server that err is of asked to be left alone; 0 where it did not.
func requestedWait(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// IsKind tells whether err is an *Error of one of the kinds.
func IsKind(err error, kinds ...Kind) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(kinds, e.Kind)
}
