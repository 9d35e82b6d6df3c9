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

// ollamaName is the name of Ollama's server, ollamaWireFormat that of its wire format.
const (
	ollamaName       = "Ollama"
	ollamaWireFormat = "ollama"
)

var ollama = serverKind{
	name:  ollamaName,
	wire:  ollamaWireFormat,
	ports: []string{"11434"},
	// It answers one or several at once (OLLAMA_NUM_PARALLEL) and does not report how many.
	usualParallelism: 4,
	can: map[Feature]string{ // earlier versions ignore the fields silently
		SetsContext:        "",
		NeedsNoKey:         "",
		TruncatesPrompts:   "",
		RefusesLongPrompts: "0.12.6",  // truncate and shift in /api/chat
		ReportsLogprobs:    "0.12.11", // logprobs in /api/chat
	},
	open: func(address, _ string, client *http.Client) (Backend, error) { return NewOllama(address, client) },
	advice: Advice{
		RaiseParallel: "start Ollama with OLLAMA_NUM_PARALLEL=4, if memory allows four times the context; " +
			"for some models it serves only one",
	},
}

// Ollama speaks Ollama's own /api/chat. Its /v1 is never used: it lacks truncate and shift, and cuts a long prompt
// silently.
type Ollama struct {
	caller
	baseURL string
}

// NewOllama returns a backend for the server at base (scheme, host and port).
func NewOllama(base string, client *http.Client) (*Ollama, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil {
		return nil, err
	}
	return &Ollama{caller: newCaller(client, ""), baseURL: u.String()}, nil
}

// IsOlderVersion reports whether version is older than another. A build without a version ("0.0.0") counts as newer.
func IsOlderVersion(version, than string) bool {
	v := "v" + strings.TrimPrefix(version, "v")
	return semver.IsValid(v) && v != "v0.0.0" && semver.Compare(v, "v"+than) < 0
}

// Ask implements Client. The request has Ollama refuse a prompt that does not fit instead of cutting it, and end a
// reply that fills the context instead of dropping its beginning.
func (o *Ollama) Ask(ctx context.Context, req Request) (Response, error) {
	never := false
	options := map[string]any{
		"temperature":    req.Temperature,
		"top_p":          req.TopP,
		"seed":           req.Seed,
		"repeat_penalty": 1.0, // Ollama and model files set other defaults, under which temperature 0 is not greedy
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
	if req.AllowedReplies != nil {
		chat.Format = choiceSchema(req.AllowedReplies)
	}
	if req.Labels != nil {
		chat.Logprobs, chat.TopLogprobs = true, topTokens
	}
	return o.judge(ctx, o.baseURL+"/api/chat", mustJSON(chat), req, func(x *exchange) (Response, error) {
		return readOllama(req, x)
	})
}

// ollamaAnswer is an answer of Ollama, or one chunk of it.
type ollamaAnswer struct {
	Model       string          `json:"model"`
	Created     json.RawMessage `json:"created_at"`
	Error       any             `json:"error"`
	Message     *wireMessage    `json:"message"`
	Logprobs    []wireToken     `json:"logprobs"`
	Done        bool            `json:"done"`
	Reason      string          `json:"done_reason"` // present in every version since May 2024
	PromptCount int             `json:"prompt_eval_count"`
	PromptTook  time.Duration   `json:"prompt_eval_duration"`
	Count       int             `json:"eval_count"`
	Took        time.Duration   `json:"eval_duration"`
}

// readOllama decodes an answer: one JSON value, or several from a proxy that always streams.
func readOllama(req Request, x *exchange) (out Response, err error) {
	var last ollamaAnswer
	var tokens []wireToken
	text := ""
	thinking := ""
	spoken := false
	for dec := json.NewDecoder(bytes.NewReader(x.body)); ; {
		var piece ollamaAnswer
		err = dec.Decode(&piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, x.unreadableError()
		}
		err = checkErrorField(piece.Error, x)
		if err == nil && piece.Message != nil {
			var content, thought string
			content, thought, err = piece.Message.text(x)
			text += content
			thinking = thinking + piece.Message.Thinking + thought
			spoken = true
		}
		if err != nil {
			return out, err
		}
		last, tokens = piece, append(tokens, piece.Logprobs...)
	}
	switch {
	case !last.Done:
		return out, unusable("an answer without an end: %s", excerptOrPlaceholder(x.body))
	case !spoken:
		return out, unusable("an answer without a message: %s", excerptOrPlaceholder(x.body))
	}
	out = newResponse(req, text, thinking)
	out.Model = last.Model
	out.ID = tolerant[string](last.Created)
	out.PromptTokens = last.PromptCount
	out.ReplyTokens = last.Count
	out.LabelProbabilities = labelLogprobs(tokensOf(tokens), req.Labels)
	out.Timing = Timing{
		PromptTokens: last.PromptCount,
		Prompt:       last.PromptTook,
		ReplyTokens:  last.Count,
		Reply:        last.Took,
	}
	out.Finish, err = finishOf(last.Reason)
	return out, err
}

// thinkValue returns t in Ollama's format; nil for the model's default.
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
func (o *Ollama) Server(ctx context.Context) (ServerInfo, error) {
	version, err := o.version(ctx, o.baseURL+"/api/version")
	return ServerInfo{WireFormat: ollamaWireFormat, Name: ollamaName, URL: o.baseURL, Version: version}, err
}

// Models implements Backend.
func (o *Ollama) Models(ctx context.Context) ([]Model, error) {
	var list api.ListResponse
	if err := o.fetchJSON(ctx, o.baseURL+"/api/tags", nil, &list); err != nil {
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
	return sortByName(models), nil
}

// Model implements Backend.
func (o *Ollama) Model(ctx context.Context, name string) (Model, error) {
	m, err := o.Identify(ctx, name)
	if err != nil {
		return Model{}, err
	}
	var show api.ShowResponse
	if err := o.fetchJSON(ctx, o.baseURL+"/api/show", api.ShowRequest{Model: m.Name}, &show); err != nil {
		return Model{}, err
	}
	if arch, ok := show.ModelInfo["general.architecture"].(string); ok {
		if n, ok := show.ModelInfo[arch+".context_length"].(float64); ok {
			m.TrainedContext = int(n)
		}
	}
	if len(show.Capabilities) > 0 { // older versions list none
		m.Thinks = abilityFromBool(slices.Contains(show.Capabilities, model.CapabilityThinking))
		m.IsDecisionModel = abilityFromBool(slices.Contains(show.Capabilities, "decision"))
	}
	m.Logprobs = AbilityYes
	return m, nil
}

// Identify implements Identifier. The list of models includes the digest.
func (o *Ollama) Identify(ctx context.Context, name string) (Model, error) {
	models, err := o.Models(ctx)
	if err != nil {
		return Model{}, err
	}
	for _, m := range models {
		if sameName(m.Name, name) {
			return m, nil
		}
	}
	return Model{}, unknownModel(name, o.baseURL, models)
}

// unknownModel returns the error for a model that the server at url does not list; it names the models listed.
func unknownModel(name, url string, models []Model) error {
	offers := "it offers none"
	if len(models) > 0 {
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		offers = "it offers " + strings.Join(names, ", ")
	}
	return &Error{Kind: ErrorNotFound, Message: fmt.Sprintf("unknown model %q at %s: %s", name, url, offers)}
}

// shortHash returns the first six bytes of a text's SHA-256, in hex.
func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:6])
}
