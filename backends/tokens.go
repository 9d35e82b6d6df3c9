package backends

import (
	"context"
	"encoding/json"
	"errors"
)

// Counter is a Backend whose server may tell how many tokens a prompt has.
type Counter interface {
	// CountTokens counts a request's conversation with the model's own tokenizer and chat template. Its error is
	// ErrNoTokenizer where the server offers none.
	CountTokens(ctx context.Context, req Request) (int, error)
}

// ErrNoTokenizer says that a server does not count tokens for others.
var ErrNoTokenizer = errors.New("the server offers no tokenizer")

var _ Counter = (*OpenAI)(nil)

// CountTokens implements Counter for llama.cpp (/apply-template, /tokenize) and vLLM (/tokenize).
func (o *OpenAI) CountTokens(ctx context.Context, req Request) (int, error) {
	server, err := o.Server(ctx)
	if err != nil {
		return 0, err
	}
	prompt := map[string]any{"model": req.Model, "messages": json.RawMessage(req.MessagesJSON())}
	if kwargs := templateArguments(req.Think); kwargs != nil {
		prompt["chat_template_kwargs"] = kwargs
	}
	switch server.Name {
	case LlamaCpp:
		var rendered struct {
			Prompt string `json:"prompt"`
		}
		if err := o.page(ctx, o.root()+"/apply-template", prompt, &rendered); err != nil {
			return 0, noPage(err)
		}
		var counted struct {
			Tokens []json.RawMessage `json:"tokens"`
		}
		err := o.page(ctx, o.root()+"/tokenize",
			map[string]any{"content": rendered.Prompt, "add_special": true, "parse_special": true}, &counted)
		return len(counted.Tokens), noPage(err)
	case VLLM:
		prompt["add_generation_prompt"] = true
		var counted struct {
			Count int `json:"count"`
		}
		err := o.page(ctx, o.root()+"/tokenize", prompt, &counted)
		return counted.Count, noPage(err)
	}
	return 0, ErrNoTokenizer
}

// noPage: an older or trimmed server has no such page.
func noPage(err error) error {
	if IsKind(err, NotFound) {
		return ErrNoTokenizer
	}
	return err
}

// templateArguments are what a chat template is told of thinking.
func templateArguments(t Think) map[string]any {
	switch t {
	case ThinkAuto:
		return nil
	case ThinkOn, ThinkOff:
		return map[string]any{"enable_thinking": t == ThinkOn}
	}
	return map[string]any{"enable_thinking": true, "reasoning_effort": t}
}

// ReservesReply tells whether the server takes a prompt only with room for the whole reply beside it.
func (s Server) ReservesReply() bool { return s.Name == VLLM }

// PromptLimit is the most tokens a prompt may have on a server of the given context, 0 where that is unknown.
// Servers that reserve no room for the whole reply want that of one token.
func (s Server) PromptLimit(context, maxTokens int) int {
	switch {
	case context <= 0:
		return 0
	case s.ReservesReply():
		return max(1, context-maxTokens)
	}
	return context - 1
}
