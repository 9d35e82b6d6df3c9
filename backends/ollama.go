package backends

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

var _ Backend = (*Ollama)(nil)

// Ollama speaks Ollama's own /api/chat. Its /v1 is never used: that has no
// truncate and no shift, and cuts a long prompt in silence.
type Ollama struct {
	base   string
	client *api.Client
}

// NewOllama returns a backend for the server at base (scheme, host and port).
func NewOllama(base string, client *http.Client) (*Ollama, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil {
		return nil, err
	}
	tapped := *client
	tapped.Transport = &tap{base: transport(client)}
	return &Ollama{u.String(), api.NewClient(u, &tapped)}, nil
}

// Ask implements Client.
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
	x := &exchange{}
	var resp api.ChatResponse
	start := time.Now()
	err := o.client.Chat(withExchange(ctx, x), &api.ChatRequest{
		Model:    req.Model,
		Messages: messages,
		Stream:   &never,
		Truncate: &never, // refuse a prompt that does not fit instead of cutting it
		Shift:    &never, // end a reply that fills the context instead of forgetting its start
		Options:  options,
	}, func(r api.ChatResponse) error {
		// One call, unless a proxy streams whatever it is asked.
		r.Message.Content = resp.Message.Content + r.Message.Content
		r.Message.Thinking = resp.Message.Thinking + r.Message.Thinking
		resp = r
		return nil
	})
	took := time.Since(start)
	if err != nil || !resp.Done {
		switch {
		case promptTooLong(x):
			return Response{Finish: TooLong, Detail: serverMessage(x), Context: req.Context, Took: took}, nil
		case err != nil || x.status >= 400: // ollama/api takes an error without a body for an answer
			return Response{}, failure(ctx, x, err)
		}
		return Response{}, &Error{Kind: ServerSide, Status: x.status, Message: "an answer without an end: " + excerpt(x.body)}
	}
	text, thinking := SplitThinking(resp.Message.Content)
	out := Response{
		Text:         text,
		Thinking:     joinThinking(resp.Message.Thinking, thinking),
		Finish:       Stop,
		PromptTokens: resp.PromptEvalCount,
		ReplyTokens:  resp.EvalCount,
		Took:         took,
	}
	if resp.DoneReason == "length" {
		out.Finish = Length
	}
	return out, nil
}

// Server implements Backend.
func (o *Ollama) Server(ctx context.Context) (Server, error) {
	x := &exchange{}
	v, err := o.client.Version(withExchange(ctx, x))
	if err != nil {
		return Server{}, failure(ctx, x, err)
	}
	return Server{Kind: "ollama", Name: "Ollama", Version: v, URL: o.base}, nil
}

// Models implements Backend.
func (o *Ollama) Models(ctx context.Context) ([]Model, error) {
	x := &exchange{}
	list, err := o.client.List(withExchange(ctx, x))
	if err != nil {
		return nil, failure(ctx, x, err)
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
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return models, nil
}

// Model implements Backend.
func (o *Ollama) Model(ctx context.Context, name string) (Model, error) {
	models, err := o.Models(ctx)
	if err != nil {
		return Model{}, err
	}
	i := slices.IndexFunc(models, func(m Model) bool { return m.Name == name || m.Name == name+":latest" })
	if i < 0 {
		names := make([]string, len(models))
		for i, m := range models {
			names[i] = m.Name
		}
		return Model{}, unknownModel(name, o.base, names)
	}
	m := models[i]
	x := &exchange{}
	show, err := o.client.Show(withExchange(ctx, x), &api.ShowRequest{Model: m.Name})
	if err != nil {
		return Model{}, failure(ctx, x, err)
	}
	if arch, ok := show.ModelInfo["general.architecture"].(string); ok {
		if n, ok := show.ModelInfo[arch+".context_length"].(float64); ok {
			m.Trained = int(n)
		}
	}
	return m, nil
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
	return hex.EncodeToString(sum[:6])
}
