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

// openAIFormat is the name of OpenAI's wire format.
const openAIFormat = "openai"

// OtherServer is the name of a server with OpenAI's format that is none of the kinds with a name.
const OtherServer = "OpenAI-compatible"

var openAICompatible = serverKind{
	name: OtherServer,
	wire: openAIFormat,
	open: func(address, key string, client *http.Client) (Backend, error) {
		return NewOpenAI(address, key, client), nil
	},
}

// OpenAI speaks /v1/chat/completions, as vLLM, llama.cpp's server, LM Studio and other compatible servers do.
type OpenAI struct {
	caller
	baseURL string // with /v1, without a trailing slash

	mu                       sync.Mutex
	server                   *ServerInfo  // nil until find has identified the server
	tokenCounts              sync.Map     // token counts of prompts, by their hash
	templateMentionsThinking atomic.Bool  // llama.cpp's chat template mentions thinking
	hasListedModels          atomic.Bool  // the server has listed models at least once
	reportsFinishReasons     atomic.Value // an [Ability]: whether the server reports finish reasons; unset until known
}

// NewOpenAI returns a backend for the server at base, with or without /v1. The key may be empty.
func NewOpenAI(base, key string, client *http.Client) *OpenAI {
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	return &OpenAI{caller: newCaller(client, key), baseURL: base}
}

// Ask implements Client.
func (o *OpenAI) Ask(ctx context.Context, req Request) (Response, error) {
	server, err := o.Server(ctx)
	if err != nil {
		return Response{}, err
	}
	return o.judge(ctx, o.chatPage(), o.encodeChatRequest(server, req), req, func(x *exchange) (Response, error) {
		return o.read(ctx, server, req, x)
	})
}

// chatRequest is go-openai's request with the fields that go-openai omits: a temperature of 0, which a server would
// replace by its default, and the content of an empty turn, which llama.cpp requires.
type chatRequest struct {
	openai.ChatCompletionRequest
	Messages    json.RawMessage `json:"messages"`
	Temperature float64         `json:"temperature"`
	TopP        float64         `json:"top_p"`
	MaxTokens   int             `json:"max_tokens,omitempty"` // deprecated in go-openai, but most servers accept no other
}

// encodeChatRequest encodes a request as the body for the page of chat completions, in the form for the kind of server.
func (o *OpenAI) encodeChatRequest(server ServerInfo, req Request) []byte {
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
	members := map[string]any{} // not part of OpenAI's format
	if kind.extend != nil {
		kind.extend(members, server, req)
	}
	// the grammar applies to the whole reply
	whole := kind.grammarFromStart && !(o.templateMentionsThinking.Load() && req.Think != ThinkOff)
	switch {
	case req.AllowedReplies == nil:
	case whole:
		members["grammar"] = choiceGrammar(req.AllowedReplies)
	default:
		// A grammar would forbid thinking that a template or a model begins with; a schema applies only to the text
		// after it.
		chat.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: "verdict", Strict: true, Schema: choiceSchema(req.AllowedReplies),
			},
		}
	}
	switch {
	case req.Labels == nil:
	case len(req.AllowedReplies) > 1 && whole:
		chat.TopLogProbs = topTokensConstrained
	default:
		chat.TopLogProbs = topTokens
	}
	body := mustJSON(chat)
	if len(members) > 0 {
		body = slices.Concat(body[:len(body)-1], []byte(","), mustJSON(members)[1:])
	}
	return body
}

// completion holds the fields of an answer in OpenAI's format that gavel reads.
type completion struct {
	ID      json.RawMessage `json:"id"`
	Created json.RawMessage `json:"created"`
	Model   string          `json:"model"`
	System  any             `json:"system_fingerprint"` // a string; other types are ignored
	Error   any             `json:"error"`
	Choices []wireChoice    `json:"choices"`
	Usage   struct {
		Prompt  int             `json:"prompt_tokens"`
		Reply   int             `json:"completion_tokens"`
		Details json.RawMessage `json:"prompt_tokens_details"`
		Written json.RawMessage `json:"completion_tokens_details"`
		Thought json.RawMessage `json:"reasoning_tokens"` // SGLang
	} `json:"usage"`
	Timings json.RawMessage `json:"timings"` // only llama.cpp sends them
}

// cached returns the number of prompt tokens that the server took from its cache, from OpenAI's field or from that of
// llama.cpp's earlier versions; nil if it reports none. A number above the prompt's own is invalid.
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

// thinkingTokens returns the number of reply tokens that the server counts as thinking; 0 if it reports none.
func (c *completion) thinkingTokens() int {
	details := tolerant[struct {
		Thought int `json:"reasoning_tokens"`
	}](c.Usage.Written)
	return max(0, min(cmp.Or(details.Thought, tolerant[int](c.Usage.Thought)), c.Usage.Reply))
}

// tolerant decodes raw into T and returns the zero value if it is absent or of another type.
func tolerant[T any](raw json.RawMessage) (value T) {
	if json.Unmarshal(raw, &value) != nil {
		return *new(T)
	}
	return value
}

// wireChoice is one reply in an answer in OpenAI's format.
type wireChoice struct {
	Index    *int         `json:"index"`
	Message  *wireMessage `json:"message"`
	Reason   string       `json:"finish_reason"`
	Logprobs struct {
		Content []wireToken `json:"content"`
	} `json:"logprobs"`
}

// readCompletion decodes an answer and returns it with its first choice.
func readCompletion(x *exchange) (c completion, choice wireChoice, err error) {
	if json.Unmarshal(x.body, &c) != nil {
		return c, choice, x.unreadableError()
	}
	err = checkErrorField(c.Error, x)
	if err == nil {
		choice, err = firstChoice(c.Choices, x.body)
	}
	return c, choice, err
}

// firstChoice returns the choice with index 0 of the answer in body. A single choice needs no index.
func firstChoice(choices []wireChoice, body []byte) (wireChoice, error) {
	if len(choices) == 0 {
		return wireChoice{}, unusable("an answer without choices: %s", excerptOrPlaceholder(body))
	}
	if len(choices) == 1 && choices[0].Index == nil {
		return choices[0], nil
	}
	isFirst := func(c wireChoice) bool { return c.Index != nil && *c.Index == 0 }
	i := slices.IndexFunc(choices, isFirst)
	if i < 0 || slices.ContainsFunc(choices[i+1:], isFirst) {
		return wireChoice{}, unusable("an answer without exactly one choice of index 0: %s", excerptOrPlaceholder(body))
	}
	return choices[i], nil
}

// read turns the server's HTTP answer x to req into a Response: text, thinking, tokens, finish, probabilities.
func (o *OpenAI) read(
	ctx context.Context, server ServerInfo, req Request, x *exchange,
) (out Response, err error) {
	c, choice, err := readCompletion(x)
	if err != nil {
		return out, err
	}
	m := choice.Message
	text, thought, err := m.text(x)
	if err != nil {
		return out, err
	}
	out = newResponse(req, text, m.ReasoningContent, joinText(m.Reasoning), m.Thinking, thought)
	out.Model = c.Model
	out.PromptTokens = c.Usage.Prompt
	out.ReplyTokens = c.Usage.Reply
	out.CachedTokens, out.ThinkTokens = c.cached(), c.thinkingTokens()
	out.SystemFingerprint, _ = c.System.(string)
	if id := tolerant[string](c.ID); id != "" {
		out.ID = id + " " + string(c.Created)
	}
	out.NoFinishReasons, err = o.lacksFinishReason(ctx, server, req.Model, choice.Reason)
	if err != nil {
		return out, err
	}
	switch {
	case !out.NoFinishReasons:
		out.Finish, err = finishOf(choice.Reason)
	case out.ReplyTokens >= req.MaxTokens:
		out.Finish = FinishLength
	default:
		out.Finish = FinishStop
	}
	if err != nil {
		return out, err
	}
	if choice.Reason == "repetition" {
		out.Detail = "the server ended the reply because it repeats itself"
	}
	if m.Refusal != "" {
		out.Finish, out.Detail = FinishRefused, m.Refusal
	}
	out.LabelProbabilities = labelLogprobs(tokensOf(choice.Logprobs.Content), req.Labels)
	out.Timing = llamaTiming(c.Timings)
	return out, nil
}

// lacksFinishReason reports whether a reply has no finish reason because the server never reports one. Servers known by
// name report finish reasons, and so does one that ever did. Any other server first gets a short trial request, since a
// missing reason may also mean that this reply broke off.
func (o *OpenAI) lacksFinishReason(ctx context.Context, server ServerInfo, model, reason string) (bool, error) {
	if reason != "" {
		o.reportsFinishReasons.Store(AbilityYes)
		return false, nil
	}
	if server.Name == OtherServer && o.reportsFinishReasons.Load() == nil {
		ask := Request{Model: model, Messages: []Message{{RoleUser, "Say yes."}}, TopP: 1, MaxTokens: 16}
		x, err := o.send(ctx, o.chatPage(), o.encodeChatRequest(server, ask), ask.maxAnswerBytes())
		var trial wireChoice
		if err == nil {
			_, trial, err = readCompletion(x)
		}
		if err != nil {
			return false, err
		}
		o.reportsFinishReasons.CompareAndSwap(nil, abilityFromBool(trial.Reason != ""))
	}
	return o.reportsFinishReasons.Load() == AbilityNo, nil
}

func (o *OpenAI) chatPage() string { return o.baseURL + "/chat/completions" }

// root returns the server's address without /v1, for pages that are not part of OpenAI's format.
func (o *OpenAI) root() string { return strings.TrimSuffix(o.baseURL, "/v1") }
