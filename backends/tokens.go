package backends

import (
	"context"
	"crypto/sha256"
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

// CountTokens implements Counter for the kinds that count. It remembers its counts: a run counts its longest prompts
// before it begins, and again when it asks for them.
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
	if known, ok := o.counts.Load(key); ok {
		return known.(int), nil
	}
	n, err := count(ctx, o, prompt)
	if err != nil {
		return 0, err
	}
	o.counts.Store(key, n)
	return n, nil
}

// noPage: an older or trimmed server has no such page.
func noPage(err error) error {
	if IsKind(err, NotFound) {
		return ErrNoTokenizer
	}
	return err
}

// templateArguments returns the arguments of a chat template that ask for thinking; nil where nothing is asked.
func templateArguments(t Think) map[string]any {
	switch t {
	case ThinkAuto:
		return nil
	case ThinkOn, ThinkOff:
		return map[string]any{"enable_thinking": t == ThinkOn}
	}
	return map[string]any{"enable_thinking": true, "reasoning_effort": t}
}

// PromptLimit returns the most tokens a prompt may have on a server of the given context, 0 where that is unknown.
// Servers that reserve no room for the whole reply want that of one token.
func (s Server) PromptLimit(context, maxTokens int) int {
	switch {
	case context <= 0:
		return 0
	case s.Can(ReserveReply):
		return max(1, context-maxTokens)
	}
	return context - 1
}
