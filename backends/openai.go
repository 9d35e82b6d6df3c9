package backends

import (
	"bytes"
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

	openai "github.com/sashabaranov/go-openai"
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
	base   string // with /v1, without a slash at the end
	key    string
	http   *http.Client
	client *openai.Client

	mu     sync.Mutex
	server *Server     // once known
	thinks atomic.Bool // llama.cpp's chat template speaks of thinking
}

// NewOpenAI returns a backend for the server at base, with or without /v1. The
// key may be empty.
func NewOpenAI(base, key string, client *http.Client) *OpenAI {
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	tapped := *client
	tapped.Transport = &tap{base: transport(client)}
	conf := openai.DefaultConfig(key)
	conf.BaseURL, conf.HTTPClient = base, &tapped
	return &OpenAI{base: base, key: key, http: client, client: openai.NewClientWithConfig(conf)}
}

func transport(c *http.Client) http.RoundTripper {
	if c.Transport != nil {
		return c.Transport
	}
	return http.DefaultTransport
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
	// go-openai leaves a temperature of 0 out of the request, and the server
	// would then sample with its own default; it refuses some limits for models
	// of certain names; it leaves out the content of an empty turn, which
	// llama.cpp refuses; and it encodes every message twice, which for prompts
	// of kilobytes is most of what a call costs. So it is given a placeholder,
	// and the transport puts in what is meant.
	x := &exchange{
		insert: fmt.Sprintf(`"temperature":%g,"top_p":%g,"max_tokens":%d`, req.Temperature, req.TopP, req.MaxTokens) +
			greedy[server.Name] + o.extras(server, req),
		messages: req.MessagesJSON(),
	}
	start := time.Now()
	resp, err := o.client.CreateChatCompletion(withExchange(ctx, x), openai.ChatCompletionRequest{
		Model:    req.Model,
		Messages: placeholder,
		Seed:     &req.Seed,
	})
	took := time.Since(start)
	if err != nil || len(resp.Choices) == 0 {
		switch {
		case promptTooLong(x):
			return Response{Finish: TooLong, Detail: serverMessage(x), Context: req.Context, Took: took}, nil
		case err != nil:
			return Response{}, failure(ctx, x, err)
		}
		return Response{}, &Error{Kind: ServerSide, Status: x.status, Message: "an answer without choices: " + excerpt(x.body)}
	}
	choice := resp.Choices[0]
	said := textOf(choice.Message)
	if said == "" && !holdsMessage(x.body) {
		return Response{}, &Error{Kind: ServerSide, Status: x.status, Message: "an answer without a message: " + excerpt(x.body)}
	}
	text, thinking := SplitThinking(said)
	if req.Constrain != nil {
		text = unquoted(text, req.Constrain)
	}
	out := Response{
		Text:         text,
		Thinking:     joinThinking(choice.Message.ReasoningContent, reasoning(x.body), thinking),
		Finish:       Stop,
		PromptTokens: resp.Usage.PromptTokens,
		ReplyTokens:  resp.Usage.CompletionTokens,
		Took:         took,
	}
	switch {
	case choice.FinishReason == openai.FinishReasonLength:
		out.Finish = Length
	case choice.FinishReason == openai.FinishReasonContentFilter || choice.Message.Refusal != "":
		out.Finish, out.Detail = Refused, choice.Message.Refusal
	}
	if req.Labels != nil {
		out.Labels = labelLogprobs(openAITokens(x.body), req.Labels)
	}
	if req.Timed {
		out.Timing = llamaTiming(x.body)
	}
	return checked(req, out), nil
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

// textOf is a message's text. Some servers write it as a list of parts.
func textOf(m openai.ChatCompletionMessage) string {
	text := m.Content
	for _, part := range m.MultiContent {
		text += part.Text
	}
	return text
}

// reasoning reads the field that newer vLLM and OpenRouter write thinking to;
// go-openai knows only its older name, reasoning_content.
func reasoning(body []byte) string {
	if !bytes.Contains(body, []byte(`"reasoning"`)) {
		return ""
	}
	var r struct {
		Choices []struct {
			Message struct {
				Reasoning any `json:"reasoning"`
			} `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(body, &r) != nil || len(r.Choices) == 0 {
		return ""
	}
	s, _ := r.Choices[0].Message.Reasoning.(string)
	return s
}

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
	err := getJSON(ctx, o.http, o.base+"/models", o.key, &list)
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
			if getJSON(ctx, o.http, o.root()+"/props", o.key, &props) == nil {
				s.Version = props.Build
				o.thinks.Store(templateThinks.MatchString(props.Template))
			}
		case "vllm":
			s.Name = VLLM
			var v struct {
				Version string `json:"version"`
			}
			if getJSON(ctx, o.http, o.root()+"/version", o.key, &v) == nil {
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
	err := getJSON(ctx, o.http, o.root()+"/props", o.key, &p)
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
