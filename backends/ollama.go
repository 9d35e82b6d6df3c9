package backends

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
	"golang.org/x/mod/semver"
)

var _ Backend = (*Ollama)(nil)

// ollamaName is the name of Ollama's server, and ollamaFormat that of its format.
const (
	ollamaName   = "Ollama"
	ollamaFormat = "ollama"
)

var ollama = serverKind{
	name:  ollamaName,
	wire:  ollamaFormat,
	ports: []string{"11434"},
	// It answers one or some at once (OLLAMA_NUM_PARALLEL) and does not tell.
	batches: 4,
	can: map[Feature]string{ // earlier versions pass over the words in silence
		SetContext:   "",
		Keyless:      "",
		CutPrompts:   "",
		RefuseLong:   "0.12.6",  // truncate and shift in /api/chat
		TellLogprobs: "0.12.11", // logprobs in /api/chat
	},
	open: func(at, _ string, client *http.Client) (Backend, error) { return NewOllama(at, client) },
	advice: Advice{
		Parallel: "start Ollama with OLLAMA_NUM_PARALLEL=4, if memory allows four times the context; " +
			"for some models it serves only one",
	},
}

// Ollama speaks Ollama's own /api/chat. Its /v1 is never used: that has no
// truncate and no shift, and cuts a long prompt in silence.
type Ollama struct {
	caller
	base string
}

// NewOllama returns a backend for the server at base (scheme, host and port).
func NewOllama(base string, client *http.Client) (*Ollama, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil {
		return nil, err
	}
	return &Ollama{caller: newCaller(client, ""), base: u.String()}, nil
}

// Before tells whether a version is known to be older than another. A build
// without a version of its own ("0.0.0") is not.
func Before(version, than string) bool {
	v := "v" + strings.TrimPrefix(version, "v")
	return semver.IsValid(v) && v != "v0.0.0" && semver.Compare(v, "v"+than) < 0
}

// Ask implements Client. Ollama is told to refuse a prompt that does not fit instead of cutting it, and to end a reply
// that fills the context instead of forgetting its start.
func (o *Ollama) Ask(ctx context.Context, req Request) (Response, error) {
	never := false
	options := map[string]any{
		"temperature":    req.Temperature,
		"top_p":          req.TopP,
		"seed":           req.Seed,
		"repeat_penalty": 1.0, // Ollama's own default and model files may set another: greedy is greedy
		"num_predict":    req.MaxTokens,
	}
	if req.NumCtx > 0 {
		options["num_ctx"] = req.NumCtx
	}
	messages := make([]api.Message, len(req.Messages))
	for i, m := range req.Messages {
		messages[i] = api.Message{Role: m.Role, Content: m.Content}
	}
	chat := &api.ChatRequest{
		Model:    req.Model,
		Messages: messages,
		Stream:   &never,
		Truncate: &never,
		Shift:    &never,
		Options:  options,
		Think:    thinkValue(req.Think),
	}
	if req.Constrain != nil {
		chat.Format = choiceSchema(req.Constrain)
	}
	if req.Labels != nil {
		chat.Logprobs, chat.TopLogprobs = true, topTokens
	}
	return o.judge(ctx, o.base+"/api/chat", mustJSON(chat), req, func(x *exchange) (Response, error) {
		return readOllama(req, x)
	})
}

// chatSaid is an answer of Ollama's, or a piece of one.
type chatSaid struct {
	Model       string          `json:"model"`
	Created     json.RawMessage `json:"created_at"`
	Error       any             `json:"error"`
	Message     *messageSaid    `json:"message"`
	Logprobs    []tokenSaid     `json:"logprobs"`
	Done        bool            `json:"done"`
	Reason      string          `json:"done_reason"` // told by every version since May 2024
	PromptCount int             `json:"prompt_eval_count"`
	PromptTook  time.Duration   `json:"prompt_eval_duration"`
	Count       int             `json:"eval_count"`
	Took        time.Duration   `json:"eval_duration"`
}

// readOllama makes a response of an answer: one JSON value, or several, from a proxy that streams whatever it is asked.
func readOllama(req Request, x *exchange) (Response, error) {
	var last chatSaid
	var tokens []tokenSaid
	text := ""
	thinking := ""
	spoken := false
	for dec := json.NewDecoder(bytes.NewReader(x.body)); ; {
		var piece chatSaid
		err := dec.Decode(&piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Response{}, x.unreadable()
		}
		err = isError(piece.Error, x)
		if err == nil && piece.Message != nil {
			var said, thought string
			said, thought, err = piece.Message.text(x)
			text += said
			thinking = thinking + piece.Message.Thinking + thought
			spoken = true
		}
		if err != nil {
			return Response{}, err
		}
		last, tokens = piece, append(tokens, piece.Logprobs...)
	}
	switch {
	case !last.Done:
		return Response{}, none("an answer without an end: %s", excerpt(x.body))
	case !spoken:
		return Response{}, none("an answer without a message: %s", excerpt(x.body))
	}
	out := response(req, text, thinking)
	out.Model = last.Model
	out.ID = tolerant[string](last.Created)
	out.PromptTokens = last.PromptCount
	out.ReplyTokens = last.Count
	out.Labels = labelLogprobs(tokensOf(tokens), req.Labels)
	out.Timing = Timing{
		PromptTokens: last.PromptCount,
		Prompt:       last.PromptTook,
		ReplyTokens:  last.Count,
		Reply:        last.Took,
	}
	var err error
	out.Finish, err = ended(last.Reason)
	return out, err
}

func thinkValue(t Think) *api.ThinkValue {
	switch t {
	case ThinkAuto:
		return nil
	case ThinkOn, ThinkOff:
		return &api.ThinkValue{Value: t == ThinkOn}
	}
	return &api.ThinkValue{Value: string(t)}
}

// Server implements Backend.
func (o *Ollama) Server(ctx context.Context) (Server, error) {
	var said struct {
		Version string `json:"version"`
	}
	err := o.page(ctx, o.base+"/api/version", nil, &said)
	return Server{Kind: ollamaFormat, Name: ollamaName, URL: o.base, Version: said.Version}, err
}

// Models implements Backend.
func (o *Ollama) Models(ctx context.Context) ([]Model, error) {
	var list api.ListResponse
	if err := o.page(ctx, o.base+"/api/tags", nil, &list); err != nil {
		return nil, err
	}
	models := make([]Model, len(list.Models))
	for i, m := range list.Models {
		models[i] = Model{
			Name:         m.Name,
			Digest:       m.Digest,
			Family:       m.Details.Family,
			Parameters:   m.Details.ParameterSize,
			Quantisation: m.Details.QuantizationLevel,
		}
	}
	return byName(models), nil
}

// Model implements Backend.
func (o *Ollama) Model(ctx context.Context, name string) (Model, error) {
	m, err := o.Identify(ctx, name)
	if err != nil {
		return Model{}, err
	}
	var show api.ShowResponse
	if err := o.page(ctx, o.base+"/api/show", api.ShowRequest{Model: m.Name}, &show); err != nil {
		return Model{}, err
	}
	if arch, ok := show.ModelInfo["general.architecture"].(string); ok {
		if n, ok := show.ModelInfo[arch+".context_length"].(float64); ok {
			m.Trained = int(n)
		}
	}
	if len(show.Capabilities) > 0 { // older versions list none
		m.Thinks = ability(slices.Contains(show.Capabilities, model.CapabilityThinking))
		m.Decides = ability(slices.Contains(show.Capabilities, "decision"))
	}
	m.Logprobs = Yes
	return m, nil
}

// Identify implements Identifier: the list of models has the digest.
func (o *Ollama) Identify(ctx context.Context, name string) (Model, error) {
	models, err := o.Models(ctx)
	if err != nil {
		return Model{}, err
	}
	i := slices.IndexFunc(models, func(m Model) bool { return sameName(m.Name, name) })
	if i < 0 {
		return Model{}, unknownModel(name, o.base, models)
	}
	return models[i], nil
}

func unknownModel(name, at string, models []Model) error {
	offers := "it offers none"
	if len(models) > 0 {
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		offers = "it offers " + strings.Join(names, ", ")
	}
	return &Error{Kind: NotFound, Message: fmt.Sprintf("unknown model %q at %s: %s", name, at, offers)}
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:6])
}
