package backends

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"
)

// openAIFormat is the name of OpenAI's format.
const openAIFormat = "openai"

// Other is the name of a server that speaks OpenAI's format and is none of those that are told apart.
const Other = "OpenAI-compatible"

var openAICompatible = serverKind{
	name: Other,
	wire: openAIFormat,
	open: func(at, key string, client *http.Client) (Backend, error) {
		return NewOpenAI(at, key, client), nil
	},
}

var _ Backend = (*OpenAI)(nil)

// OpenAI speaks /v1/chat/completions: vLLM, llama.cpp's server, LM Studio and whatever else is compatible.
type OpenAI struct {
	caller
	base string // with /v1, without a slash at the end

	mu     sync.Mutex
	server *Server      // once known
	counts sync.Map     // tokens of prompts, by their hash
	thinks atomic.Bool  // llama.cpp's chat template speaks of thinking
	lists  atomic.Bool  // it has listed its models
	ends   atomic.Value // the [Ability] to tell a finish reason, once known
}

// NewOpenAI returns a backend for the server at base, with or without /v1. The key may be empty.
func NewOpenAI(base, key string, client *http.Client) *OpenAI {
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	return &OpenAI{caller: newCaller(client, key), base: base}
}

// Ask implements Client.
func (o *OpenAI) Ask(ctx context.Context, req Request) (Response, error) {
	server, err := o.Server(ctx)
	if err != nil {
		return Response{}, err
	}
	return o.judge(ctx, o.chatPage(), o.chat(server, req), req, func(x *exchange) (Response, error) {
		return o.read(ctx, server, req, x)
	})
}

// chatRequest is go-openai's request, of which it writes again what that leaves out: a temperature of 0, in whose place
// a server would take its own default, and the content of an empty turn, which llama.cpp refuses.
type chatRequest struct {
	openai.ChatCompletionRequest
	Messages    json.RawMessage `json:"messages"`
	Temperature float64         `json:"temperature"`
	TopP        float64         `json:"top_p"`
	MaxTokens   int             `json:"max_tokens,omitempty"` // deprecated in go-openai; most servers take no other
}

// chat writes a request as a server of the kind takes it.
func (o *OpenAI) chat(server Server, req Request) []byte {
	chat := chatRequest{
		ChatCompletionRequest: openai.ChatCompletionRequest{
			Model:              req.Model,
			Seed:               &req.Seed,
			ChatTemplateKwargs: templateArguments(req.Think),
			LogProbs:           req.Labels != nil,
		},
		Messages:    EncodeMessages(req.Messages),
		Temperature: req.Temperature,
		MaxTokens:   req.MaxTokens,
		TopP:        req.TopP,
	}
	if chat.ChatTemplateKwargs["reasoning_effort"] != nil {
		chat.ReasoningEffort = string(req.Think)
	}
	kind := kindOf(server)
	members := map[string]any{} // that OpenAI's format does not have
	if kind.extend != nil {
		kind.extend(members, server, req)
	}
	whole := kind.grammar && !(o.thinks.Load() && req.Think != ThinkOff) // the grammar is of all that is said
	switch {
	case req.Constrain == nil:
	case whole:
		members["grammar"] = choiceGrammar(req.Constrain)
	default:
		// A grammar would forbid the thinking that a template begins or a model
		// is used to begin with; a schema holds what follows it.
		chat.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: "verdict", Strict: true, Schema: choiceSchema(req.Constrain),
			},
		}
	}
	switch {
	case req.Labels == nil:
	case len(req.Constrain) > 1 && whole:
		chat.TopLogProbs = topBeside
	default:
		chat.TopLogProbs = topTokens
	}
	body := mustJSON(chat)
	if len(members) > 0 {
		body = slices.Concat(body[:len(body)-1], []byte(","), mustJSON(members)[1:])
	}
	return body
}

// completion is an answer in OpenAI's format, as far as it is read.
type completion struct {
	ID      json.RawMessage `json:"id"`
	Created json.RawMessage `json:"created"`
	Model   string          `json:"model"`
	System  any             `json:"system_fingerprint"` // a text; what is not tells nothing
	Error   any             `json:"error"`
	Choices []choiceSaid    `json:"choices"`
	Usage   struct {
		Prompt  int             `json:"prompt_tokens"`
		Reply   int             `json:"completion_tokens"`
		Details json.RawMessage `json:"prompt_tokens_details"`
		Written json.RawMessage `json:"completion_tokens_details"`
		Thought json.RawMessage `json:"reasoning_tokens"` // SGLang
	} `json:"usage"`
	Timings json.RawMessage `json:"timings"` // llama.cpp
}

// cached returns the number of tokens of the prompt that the server did not read anew, nil where it does not tell: from
// OpenAI's place, or from that of llama.cpp's earlier versions. More than the prompt has is no count.
func (c *completion) cached() *int {
	details := tolerant[struct {
		Cached *int `json:"cached_tokens"`
	}](c.Usage.Details)
	timings := tolerant[struct {
		Cached *int `json:"cache_n"`
	}](c.Timings)
	n := cmp.Or(details.Cached, timings.Cached)
	if n != nil && (*n < 0 || *n > c.Usage.Prompt) {
		return nil
	}
	return n
}

// thought returns the number of tokens of the reply that the server counts as thinking, 0 where it does not tell.
func (c *completion) thought() int {
	details := tolerant[struct {
		Thought int `json:"reasoning_tokens"`
	}](c.Usage.Written)
	n := tolerant[int](c.Usage.Thought)
	return max(0, min(cmp.Or(details.Thought, n), c.Usage.Reply))
}

// tolerant decodes a value that not all servers tell. It returns the zero value for one that is absent or of another
// type.
func tolerant[T any](raw json.RawMessage) (value T) {
	if json.Unmarshal(raw, &value) != nil {
		return *new(T)
	}
	return value
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
	if json.Unmarshal(x.body, &c) != nil {
		return c, choice, x.unreadable()
	}
	err = isError(c.Error, x)
	if err == nil {
		choice, err = firstChoice(c.Choices, x.body)
	}
	return c, choice, err
}

// firstChoice returns the choice of index 0, wherever it stands. A single one may be without an index.
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
	text, thought, err := choice.Message.text(x)
	if err != nil {
		return Response{}, err
	}
	m := choice.Message
	out := response(req, text, m.ReasoningContent, written(m.Reasoning), m.Thinking, thought)
	out.Model = c.Model
	out.PromptTokens = c.Usage.Prompt
	out.ReplyTokens = c.Usage.Reply
	out.CachedTokens, out.ThinkTokens = c.cached(), c.thought()
	out.SystemFingerprint, _ = c.System.(string)
	if id := tolerant[string](c.ID); id != "" {
		out.ID = id + " " + string(c.Created)
	}
	out.EndUntold, err = o.endUntold(ctx, server, req.Model, choice.Reason)
	if err != nil {
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
	if choice.Reason == "repetition" {
		out.Detail = "the server ended the reply, which repeats itself"
	}
	if choice.Message.Refusal != "" {
		out.Finish, out.Detail = Refused, choice.Message.Refusal
	}
	out.Labels = labelLogprobs(tokensOf(choice.Logprobs.Content), req.Labels)
	out.Timing = llamaTiming(c.Timings)
	return out, nil
}

// endUntold reports whether a reply has no finish reason because the server never tells one. Those that are known by
// name do, and so does one that ever did. Any other is asked for a few words first, since a reply that was broken off
// is no witness.
func (o *OpenAI) endUntold(ctx context.Context, server Server, model, reason string) (bool, error) {
	if reason != "" {
		o.ends.Store(Yes)
		return false, nil
	}
	if server.Name == Other && o.ends.Load() == nil {
		ask := Request{Model: model, Messages: []Message{{User, "Say yes."}}, TopP: 1, MaxTokens: 16}
		x, err := o.send(ctx, o.chatPage(), o.chat(server, ask), ask.longest())
		var trial choiceSaid
		if err == nil {
			_, trial, err = completed(x)
		}
		if err != nil {
			return false, err
		}
		o.ends.CompareAndSwap(nil, ability(trial.Reason != ""))
	}
	return o.ends.Load() == No, nil
}

func (o *OpenAI) chatPage() string { return o.base + "/chat/completions" }

func (o *OpenAI) root() string { return strings.TrimSuffix(o.base, "/v1") }
