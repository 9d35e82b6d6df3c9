package backends

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Names of the servers that speak OpenAI's format and are told apart.
const (
	LlamaCpp = "llama.cpp"
	VLLM     = "vLLM"
	LMStudio = "LM Studio"
	Other    = "OpenAI-compatible"
)

var _ Backend = (*OpenAI)(nil)

// OpenAI speaks /v1/chat/completions: vLLM, llama.cpp's server, LM Studio and
// whatever else is compatible.
type OpenAI struct {
	*site
	base string // with /v1, without a slash at the end

	mu     sync.Mutex
	server *Server     // once known
	thinks atomic.Bool // llama.cpp's chat template speaks of thinking
	tells  atomic.Bool // it has told a finish reason
	silent atomic.Bool // it was tried, and told none
}

// NewOpenAI returns a backend for the server at base, with or without /v1. The
// key may be empty.
func NewOpenAI(base, key string, client *http.Client) *OpenAI {
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	return &OpenAI{site: newSite(client, key), base: base}
}

// greedy holds the members that each server needs, beside temperature 0, to
// leave the model's own choice alone: vLLM takes a repetition penalty from the
// model's generation_config.json, llama.cpp from its command line.
var greedy = map[string]string{
	VLLM:     `,"repetition_penalty":1`,
	LlamaCpp: `,"repeat_penalty":1`,
}

// Ask implements Client.
func (o *OpenAI) Ask(ctx context.Context, req Request) (Response, error) {
	server, err := o.Server(ctx)
	if err != nil {
		return Response{}, err
	}
	began := time.Now()
	x, err := o.chat(ctx, server, req)
	return x.settle(ctx, req, began, err, func() (Response, error) { return o.read(ctx, server, req, x) })
}

// chat asks. The body is put together from its parts, so that a conversation of
// kilobytes, encoded already, is copied and not encoded once more.
func (o *OpenAI) chat(ctx context.Context, server Server, req Request) (*exchange, error) {
	messages, extras := req.MessagesJSON(), greedy[server.Name]+o.extras(server, req)
	body := make([]byte, 0, len(messages)+len(extras)+len(req.Model)+256)
	body = fmt.Appendf(body, `{"temperature":%g,"top_p":%g,"max_tokens":%d%s,"model":%s,"messages":`, req.Temperature, req.TopP, req.MaxTokens, extras, mustJSON(req.Model))
	body = append(body, messages...)
	body = fmt.Appendf(body, `,"stream":false,"seed":%d}`, req.Seed)
	return o.send(ctx, o.base+"/chat/completions", body)
}

// completion is an answer in OpenAI's format, as far as it is read.
type completion struct {
	Model   string       `json:"model"`
	Error   any          `json:"error"`
	Choices []choiceSaid `json:"choices"`
	Usage   struct {
		Prompt int `json:"prompt_tokens"`
		Reply  int `json:"completion_tokens"`
	} `json:"usage"`
	Timings json.RawMessage `json:"timings"` // llama.cpp
}

type choiceSaid struct {
	Index    *int         `json:"index"`
	Message  *messageSaid `json:"message"`
	Reason   string       `json:"finish_reason"`
	Logprobs struct {
		Content []tokenSaid `json:"content"`
	} `json:"logprobs"`
}

// completed reads an answer, and the one choice in it that was asked for.
func completed(x *exchange) (c completion, choice choiceSaid, err error) {
	if err = json.Unmarshal(x.body, &c); err == nil {
		err = isError(c.Error, x)
	}
	if err == nil {
		choice, err = firstChoice(c.Choices, x.body)
	}
	return c, choice, err
}

// firstChoice is the choice of index 0, wherever it stands. A single one may be
// without an index.
func firstChoice(choices []choiceSaid, body []byte) (choiceSaid, error) {
	if len(choices) == 0 {
		return choiceSaid{}, none("an answer without choices: %s", excerpt(body))
	}
	if len(choices) == 1 && choices[0].Index == nil {
		return choices[0], nil
	}
	isFirst := func(c choiceSaid) bool { return c.Index != nil && *c.Index == 0 }
	at := slices.IndexFunc(choices, isFirst)
	if at < 0 || slices.ContainsFunc(choices[at+1:], isFirst) {
		return choiceSaid{}, none("an answer whose choices are not numbered from 0 on: %s", excerpt(body))
	}
	return choices[at], nil
}

// read makes a response of an answer.
func (o *OpenAI) read(ctx context.Context, server Server, req Request, x *exchange) (Response, error) {
	c, choice, err := completed(x)
	if err != nil {
		return Response{}, err
	}
	text, err := choice.Message.text(x.body)
	if err != nil {
		return Response{}, err
	}
	reasoning, _ := choice.Message.Reasoning.(string)
	out := response(req, text, choice.Message.ReasoningContent, reasoning)
	out.Model, out.PromptTokens, out.ReplyTokens = c.Model, c.Usage.Prompt, c.Usage.Reply
	if out.EndUntold, err = o.tellsNone(ctx, server, req.Model, choice.Reason); err != nil {
		return Response{}, err
	}
	switch {
	case !out.EndUntold:
		out.Finish, err = ended(choice.Reason)
	case out.ReplyTokens >= req.MaxTokens:
		out.Finish = Length
	default:
		out.Finish = Stop
	}
	if err != nil {
		return Response{}, err
	}
	if choice.Message.Refusal != "" {
		out.Finish, out.Detail = Refused, choice.Message.Refusal
	}
	if req.Labels != nil {
		out.Labels = labelLogprobs(tokensOf(choice.Logprobs.Content), req.Labels)
	}
	if req.Timed {
		out.Timing = llamaTiming(c.Timings)
	}
	return out, nil
}

// tellsNone tells, of a reply without a finish reason, whether the server never
// tells one. Those that are known by name do, and so does one that ever did.
// Any other is asked for a few words first, since a reply that was broken off is
// no witness.
func (o *OpenAI) tellsNone(ctx context.Context, server Server, model, reason string) (bool, error) {
	if reason != "" {
		o.tells.Store(true)
	}
	if reason == "" && server.Name == Other && !o.tells.Load() && !o.silent.Load() {
		x, err := o.chat(ctx, server, Request{Model: model, Messages: []Message{{User, "Say yes."}}, TopP: 1, MaxTokens: 16})
		var trial choiceSaid
		if err == nil {
			_, trial, err = completed(x)
		}
		if err != nil {
			return false, failure(ctx, x, err)
		}
		if trial.Reason == "" {
			o.silent.Store(true)
		} else {
			o.tells.Store(true)
		}
	}
	return reason == "" && o.silent.Load() && !o.tells.Load(), nil
}

// extras writes what a request asks for beyond the plain conversation, in the
// members that each server knows it by.
func (o *OpenAI) extras(server Server, req Request) string {
	var b strings.Builder
	add := func(name string, value any) { fmt.Fprintf(&b, ",%q:%s", name, mustJSON(value)) }
	if kwargs := templateArguments(req.Think); kwargs != nil {
		add("chat_template_kwargs", kwargs)
		if effort, ok := kwargs["reasoning_effort"]; ok {
			add("reasoning_effort", effort)
		}
	}
	switch {
	case req.Constrain == nil:
	case server.Name == LlamaCpp && !(o.thinks.Load() && req.Think != ThinkOff):
		add("grammar", choiceGrammar(req.Constrain))
	default:
		// A grammar would forbid the thinking that a template begins or a model
		// is used to begin with; a schema holds what follows it.
		add("response_format", map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": "verdict", "strict": true, "schema": choiceSchema(req.Constrain),
		}})
	}
	if req.Labels != nil {
		add("logprobs", true)
		add("top_logprobs", topTokens)
	}
	switch {
	case !req.NoPromptCache:
	case server.Name == LlamaCpp:
		add("cache_prompt", false)
	case server.Name == VLLM:
		add("cache_salt", rand.Text()) // a salt that no other request has finds nothing in the prefix cache
	}
	return b.String()
}

// templateThinks matches chat templates that know of it.
var templateThinks = regexp.MustCompile(`(?i)think|reasoning`)

// modelCard is one entry of /v1/models, with what vLLM and llama.cpp add.
type modelCard struct {
	ID          string   `json:"id"`
	Aliases     []string `json:"aliases"`
	OwnedBy     string   `json:"owned_by"`
	Root        string   `json:"root"`          // vLLM
	MaxModelLen int      `json:"max_model_len"` // vLLM
	Meta        *struct {
		Ctx      int    `json:"n_ctx"`
		CtxTrain int    `json:"n_ctx_train"`
		Params   int64  `json:"n_params"`
		Size     int64  `json:"size"`
		Vocab    int    `json:"n_vocab"`
		FileType string `json:"ftype"`
	} `json:"meta"` // llama.cpp
}

// llamaProps is what llama.cpp's /props tells.
type llamaProps struct {
	Slots    int    `json:"total_slots"`
	Build    string `json:"build_info"`
	Template string `json:"chat_template"`
	Marker   string `json:"media_marker"` // drawn anew at each start
	Defaults struct {
		Ctx int `json:"n_ctx"`
	} `json:"default_generation_settings"`
}

func (o *OpenAI) root() string { return strings.TrimSuffix(o.base, "/v1") }

func (o *OpenAI) cards(ctx context.Context) ([]modelCard, error) {
	var list struct {
		Data []modelCard `json:"data"`
	}
	err := o.page(ctx, o.base+"/models", nil, &list)
	return list.Data, err
}

// Server implements Backend. The answer is remembered.
func (o *OpenAI) Server(ctx context.Context) (Server, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.server != nil {
		return *o.server, nil
	}
	cards, err := o.cards(ctx)
	if err != nil && !IsKind(err, NotFound, BadRequest) {
		return Server{}, err
	}
	s := Server{Kind: "openai", Name: Other, URL: o.base}
	if len(cards) > 0 {
		switch cards[0].OwnedBy {
		case "llamacpp":
			s.Name = LlamaCpp
			var props llamaProps
			if o.page(ctx, o.root()+"/props", nil, &props) == nil {
				s.Version = props.Build
				o.thinks.Store(templateThinks.MatchString(props.Template))
			}
		case "vllm":
			s.Name = VLLM
			var v struct {
				Version string `json:"version"`
			}
			if o.page(ctx, o.root()+"/version", nil, &v) == nil {
				s.Version = v.Version
			}
		case "organization_owner":
			s.Name = LMStudio
		}
	}
	o.server = &s
	return s, nil
}

// Models implements Backend.
func (o *OpenAI) Models(ctx context.Context) ([]Model, error) {
	cards, err := o.cards(ctx)
	if err != nil {
		return nil, err
	}
	models := make([]Model, len(cards))
	for i, c := range cards {
		models[i] = c.model()
	}
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return models, nil
}

func (c modelCard) model() Model {
	m := Model{Name: c.ID, Context: c.MaxModelLen}
	if c.Root != "" && c.Root != c.ID {
		m.Fingerprint = "root=" + c.Root
	}
	if c.Meta != nil {
		m.Context, m.Trained = c.Meta.Ctx, c.Meta.CtxTrain
		m.Quantisation = c.Meta.FileType
		m.Parameters = count(c.Meta.Params)
		m.Fingerprint = fmt.Sprintf("params=%d size=%d vocab=%d type=%s", c.Meta.Params, c.Meta.Size, c.Meta.Vocab, c.Meta.FileType)
	}
	return m
}

// count writes a number of parameters the way model names do: 276K, 8.0B.
func count(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1e6:
		return fmt.Sprintf("%.0fK", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fB", float64(n)/1e9)
}

// Model implements Backend. llama.cpp answers under any name, so a name must be
// one that the server lists: the id, an alias, or the file's own name.
func (o *OpenAI) Model(ctx context.Context, name string) (Model, error) {
	m, _, err := o.describe(ctx, name)
	return m, err
}

func (o *OpenAI) describe(ctx context.Context, name string) (Model, *llamaProps, error) {
	server, err := o.Server(ctx)
	if err != nil {
		return Model{}, nil, err
	}
	// Before the list, which some versions give while they still load the model,
	// with nothing of its weights: that would look like another model.
	var props *llamaProps
	if server.Name == LlamaCpp {
		if props, err = o.props(ctx); err != nil {
			return Model{}, nil, err
		}
	}
	cards, err := o.cards(ctx)
	if IsKind(err, NotFound, BadRequest) {
		return Model{Name: name}, nil, nil // a server that lists nothing
	}
	if err != nil {
		return Model{}, nil, err
	}
	i := slices.IndexFunc(cards, func(c modelCard) bool { return c.matches(name) })
	if i < 0 {
		names := make([]string, len(cards))
		for i, c := range cards {
			names[i] = c.ID
		}
		return Model{}, nil, unknownModel(name, o.base, names)
	}
	m := cards[i].model()
	switch server.Name {
	case VLLM, LlamaCpp:
		m.Logprobs = Yes
	case LMStudio:
		m.Logprobs = No // of this side of its interface
	}
	if props != nil {
		m.Slots = props.Slots
		if props.Defaults.Ctx > 0 {
			m.Context = props.Defaults.Ctx
		}
		m.Fingerprint += " template=" + shortHash(props.Template)
		if m.Thinks = No; templateThinks.MatchString(props.Template) {
			m.Thinks = Yes
		}
	}
	return m, props, nil
}

// props reads llama.cpp's own page; nil where there is none, as behind a proxy.
func (o *OpenAI) props(ctx context.Context) (*llamaProps, error) {
	var p llamaProps
	err := o.page(ctx, o.root()+"/props", nil, &p)
	switch {
	case err == nil:
		return &p, nil
	case ctx.Err() != nil || IsKind(err, Transport, Timeout, Busy):
		return nil, err
	}
	return nil, nil
}

func (c modelCard) matches(name string) bool {
	base := path.Base(strings.ReplaceAll(c.ID, `\`, "/"))
	return name == c.ID || slices.Contains(c.Aliases, name) || name == base || name == strings.TrimSuffix(base, ".gguf")
}
