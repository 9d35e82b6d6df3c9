package backends

import (
	"context"
	"crypto/sha256"
	"errors"
)

// TokenCounter is a Backend whose server may count the tokens of a prompt.
type TokenCounter interface {
	// CountTokens counts a request's messages with the model's own tokenizer and chat template. The error is
	// ErrNoTokenizer if the server offers none.
	CountTokens(ctx context.Context, req Request) (int, error)
}

// ErrNoTokenizer reports that a server cannot count tokens for clients.
var ErrNoTokenizer = errors.New("the server offers no tokenizer")

var _ TokenCounter = (*OpenAI)(nil)

// CountTokens implements Counter for the kinds of server that can count. It keeps the counts in memory: a run needs the
// lengths of its longest prompts before it starts and again for the requests.
func (o *OpenAI) CountTokens(ctx context.Context, req Request) (int, error) {
	server, err := o.Server(ctx)
	if err != nil {
		return 0, err
	}
	prompt := map[string]any{"model": req.Model, "messages": req.Messages}
	if kwargs := templateArguments(req.Think); kwargs != nil {
		prompt["chat_template_kwargs"] = kwargs
	}
	count := kindOf(server).count
	if count == nil {
		return 0, ErrNoTokenizer
	}
	key := sha256.Sum256(mustJSON(prompt))
	if cached, ok := o.tokenCounts.Load(key); ok {
		return cached.(int), nil
	}
	n, err := count(ctx, o, prompt)
	if err != nil {
		return 0, err
	}
	o.tokenCounts.Store(key, n)
	return n, nil
}

// noTokenizerError turns an ErrorNotFound into ErrNoTokenizer: older or reduced servers lack the page that counts.
func noTokenizerError(err error) error {
	if IsKind(err, ErrorNotFound) {
		return ErrNoTokenizer
	}
	return err
}

// templateArguments returns the chat template's arguments that set thinking; nil for the model's default.
func templateArguments(t Think) map[string]any {
	switch t {
	case ThinkAuto:
		return nil
	case ThinkOn, ThinkOff:
		return map[string]any{"enable_thinking": t == ThinkOn}
	}
	return map[string]any{"enable_thinking": true, "reasoning_effort": t}
}

// PromptLimit returns the maximum tokens of a prompt on a server with the given context; 0: unknown. Servers that do
// not reserve room for the whole reply still need one token for it.
func (s ServerInfo) PromptLimit(context, maxTokens int) int {
	switch {
	case context <= 0:
		return 0
	case s.Can(ReservesReplyRoom):
		return max(1, context-maxTokens)
	}
	return context - 1
}
