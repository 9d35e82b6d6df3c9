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

	"golang.org/x/mod/semver"
)

var _ Backend = (*Ollama)(nil)

// Ollama speaks Ollama's own /api/chat. Its /v1 is never used: that has no
// truncate and no shift, and cuts a long prompt in silence.
type Ollama struct {
	base string
	http *http.Client
}

// NewOllama returns a backend for the server at base (scheme, host and port).
func NewOllama(base string, client *http.Client) (*Ollama, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil {
		return nil, err
	}
	return &Ollama{u.String(), tapped(client)}, nil
}

// Versions of Ollama from which on it knows what gavel asks of it. Older ones pass over the words in silence.
const (
	OllamaTruncate = "0.12.6"  // truncate and shift in /api/chat
	OllamaLogprobs = "0.12.11" // logprobs in /api/chat
)

// Before tells whether a version is known to be older than another. A build
// without a version of its own ("0.0.0") is not.
func Before(version, than string) bool {
	v := "v" + strings.TrimPrefix(version, "v")
	return semver.IsValid(v) && v != "v0.0.0" && semver.Compare(v, "v"+than) < 0
}

// Ask implements Client.
func (o *Ollama) Ask(ctx context.Context, req Request) (Response, error) {
	never := false
	return o.ask(ctx, req, &never)
}

// ask leaves the length of the prompt to the server where cut is nil; false tells it to refuse a prompt that does not
// fit instead of cutting it, and to end a reply that fills the context instead of forgetting its start.
func (o *Ollama) ask(ctx context.Context, req Request, cut *bool) (Response, error) {
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
	chat := chatAsked{Model: req.Model, Messages: req.Messages, Options: options, Think: thinkValue(req.Think), Truncate: cut, Shift: cut}
	if req.Constrain != nil {
		chat.Format = choiceSchema(req.Constrain)
	}
	if req.Labels != nil {
		chat.Logprobs, chat.TopLogprobs = true, topTokens
	}
	body, err := json.Marshal(chat) // which escapes <, as Ollama's own client does
	if err != nil {
		return Response{}, err
	}
	x := &exchange{ours: true}
	began := time.Now()
	err = x.call(withExchange(ctx, x), o.http, "", o.base+"/api/chat", json.RawMessage(body), nil)
	return x.settle(ctx, req, began, err, func() (Response, error) { return readOllama(req, x) })
}

// chatAsked is a request of Ollama's /api/chat.
type chatAsked struct {
	Model       string          `json:"model"`
	Messages    []Message       `json:"messages"`
	Stream      bool            `json:"stream"`
	Format      json.RawMessage `json:"format,omitempty"`
	Options     map[string]any  `json:"options"`
	Think       any             `json:"think,omitempty"`
	Truncate    *bool           `json:"truncate,omitempty"`
	Shift       *bool           `json:"shift,omitempty"`
	Logprobs    bool            `json:"logprobs,omitempty"`
	TopLogprobs int             `json:"top_logprobs,omitempty"`
}

// chatSaid is an answer of Ollama's, or a piece of one.
type chatSaid struct {
	Model       string        `json:"model"`
	Error       any           `json:"error"`
	Message     *messageSaid  `json:"message"`
	Logprobs    []tokenSaid   `json:"logprobs"`
	Done        bool          `json:"done"`
	Reason      string        `json:"done_reason"` // told by every version since May 2024
	PromptCount int           `json:"prompt_eval_count"`
	PromptTook  time.Duration `json:"prompt_eval_duration"`
	Count       int           `json:"eval_count"`
	Took        time.Duration `json:"eval_duration"`
}

// readOllama makes a response of an answer: one JSON value, or several, from a proxy that streams whatever it is asked.
func readOllama(req Request, x *exchange) (Response, error) {
	var last chatSaid
	var tokens []tokenSaid
	text, thinking, spoken := "", "", false
	for dec := json.NewDecoder(bytes.NewReader(x.body)); ; {
		var piece chatSaid
		err := dec.Decode(&piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = isError(piece.Error, x)
		}
		if err == nil && piece.Message != nil {
			var said string
			said, err = piece.Message.text(x.body)
			text, thinking, spoken = text+said, thinking+piece.Message.Thinking, true
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
	out.Model, out.PromptTokens, out.ReplyTokens = last.Model, last.PromptCount, last.Count
	if req.Labels != nil {
		out.Labels = labelLogprobs(tokensOf(tokens), req.Labels)
	}
	if req.Timed {
		out.Timing = Timing{last.PromptCount, last.PromptTook, last.Count, last.Took}
	}
	var err error
	out.Finish, err = ended(last.Reason)
	return out, err
}

func thinkValue(t Think) any {
	switch t {
	case ThinkAuto:
		return nil
	case ThinkOn, ThinkOff:
		return t == ThinkOn
	}
	return t
}

// page asks for one of the server's own pages.
func (o *Ollama) page(ctx context.Context, path string, body, into any) error {
	return inPageTime(ctx, func(ctx context.Context, x *exchange) error { return x.call(ctx, o.http, "", o.base+path, body, into) })
}

// Server implements Backend.
func (o *Ollama) Server(ctx context.Context) (Server, error) {
	s := Server{Kind: "ollama", Name: "Ollama", URL: o.base}
	var said struct{ Version string }
	err := o.page(ctx, "/api/version", nil, &said)
	s.Version = said.Version
	return s, err
}

// Models implements Backend.
func (o *Ollama) Models(ctx context.Context) ([]Model, error) {
	var list struct {
		Models []struct {
			Name, Digest string
			Details      struct {
				Family       string
				Parameters   string `json:"parameter_size"`
				Quantisation string `json:"quantization_level"`
			}
		}
	}
	if err := o.page(ctx, "/api/tags", nil, &list); err != nil {
		return nil, err
	}
	models := make([]Model, len(list.Models))
	for i, m := range list.Models {
		models[i] = Model{
			Name:         m.Name,
			Digest:       m.Digest,
			Family:       m.Details.Family,
			Parameters:   m.Details.Parameters,
			Quantisation: m.Details.Quantisation,
		}
	}
	return byName(models), nil
}

// Model implements Backend.
func (o *Ollama) Model(ctx context.Context, name string) (Model, error) {
	m, err := o.listed(ctx, name)
	if err != nil {
		return Model{}, err
	}
	var show struct {
		Info         map[string]any `json:"model_info"`
		Capabilities []string
	}
	if err := o.page(ctx, "/api/show", map[string]string{"model": m.Name}, &show); err != nil {
		return Model{}, err
	}
	if arch, ok := show.Info["general.architecture"].(string); ok {
		if n, ok := show.Info[arch+".context_length"].(float64); ok {
			m.Trained = int(n)
		}
	}
	if len(show.Capabilities) > 0 { // older versions list none
		m.Thinks = ability(slices.Contains(show.Capabilities, "thinking"))
	}
	m.Logprobs = Yes
	return m, nil
}

// listed is a model as the list of all has it.
func (o *Ollama) listed(ctx context.Context, name string) (Model, error) {
	models, err := o.Models(ctx)
	if err != nil {
		return Model{}, err
	}
	i := slices.IndexFunc(models, func(m Model) bool { return m.Name == name || m.Name == name+":latest" })
	if i < 0 {
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		return Model{}, unknownModel(name, o.base, names)
	}
	return models[i], nil
}

func unknownModel(name, at string, names []string) error {
	offers := "it offers none"
	if len(names) > 0 {
		offers = "it offers " + strings.Join(names, ", ")
	}
	return &Error{Kind: NotFound, Message: fmt.Sprintf("unknown model %q at %s: %s", name, at, offers)}
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:6])
}

var _ Unguarded = (*Ollama)(nil)

// AskUnguarded implements Unguarded.
func (o *Ollama) AskUnguarded(ctx context.Context, req Request) (Response, error) {
	return o.ask(ctx, req, nil)
}

var _ Loader = (*Ollama)(nil)

// Loaded implements Loader.
func (o *Ollama) Loaded(ctx context.Context, model string) (Loaded, bool, error) {
	var list struct {
		Models []struct {
			Name    string
			Context int   `json:"context_length"`
			Size    int64 `json:"size"`
			VRAM    int64 `json:"size_vram"`
		}
	}
	if err := o.page(ctx, "/api/ps", nil, &list); err != nil {
		return Loaded{}, false, err
	}
	for _, m := range list.Models {
		if m.Name == model || m.Name == model+":latest" {
			return Loaded{m.Context, m.Size, m.VRAM}, true, nil
		}
	}
	return Loaded{}, false, nil
}
