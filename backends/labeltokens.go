package backends

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// labelTokens are the tokens that labels may be made of, once asked for.
type labelTokens struct {
	mu    sync.Mutex
	known map[string][]int // by model and labels
}

// mostLabelTokens is how many vLLM takes in one request.
const mostLabelTokens = 128

// of lists them by id, for vLLM, which tells the probabilities of named tokens beside a reply (logprob_token_ids in
// its chat completions, since July 2026; earlier versions pass it over and tell of the likeliest). A reply that is
// held to labels is a JSON string, and from any place in it the model may go on with the token that the tokenizer
// would begin there. nil where that cannot be found out.
func (l *labelTokens) of(ctx context.Context, o *OpenAI, server Server, req Request) []int {
	if !kindOf(server).tokenIDs || req.Constrain == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := req.Model + "\x00" + strings.Join(req.Labels, "\x00")
	if ids, ok := l.known[key]; ok {
		return ids
	}
	found := map[int]bool{}
	for _, label := range req.Labels {
		text := string(mustJSON(label))
		for at := range text {
			var cut struct {
				Tokens []int `json:"tokens"`
			}
			err := o.page(ctx, o.root()+"/tokenize",
				map[string]any{"model": req.Model, "prompt": text[at:], "add_special_tokens": false}, &cut)
			switch {
			case IsKind(err, Transport, Timeout, Busy) || ctx.Err() != nil:
				return nil // the next request asks again
			case err != nil || len(cut.Tokens) == 0:
				return l.keep(key, nil)
			}
			for _, id := range cut.Tokens {
				found[id] = true
			}
		}
	}
	if len(found) > mostLabelTokens {
		return l.keep(key, nil)
	}
	return l.keep(key, slices.Sorted(maps.Keys(found)))
}

func (l *labelTokens) keep(key string, ids []int) []int {
	if l.known == nil {
		l.known = map[string][]int{}
	}
	l.known[key] = ids
	return ids
}
