package backends

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ollama/ollama/api"
)

// What is here is for those who try a server rather than ask it.

// Timing is how long a server says that it worked on one request; its parts are
// zero where it does not say. Time spent waiting or loading is no part of it.
type Timing struct {
	PromptTokens int // read for this request; llama.cpp leaves out those of its prompt cache
	Prompt       time.Duration
	ReplyTokens  int
	Reply        time.Duration
}

// llamaTiming reads what llama.cpp adds to a reply; other servers add nothing.
func llamaTiming(said json.RawMessage) Timing {
	var t struct {
		PromptN int     `json:"prompt_n"`
		Prompt  float64 `json:"prompt_ms"`
		ReplyN  int     `json:"predicted_n"`
		Reply   float64 `json:"predicted_ms"`
	}
	if json.Unmarshal(said, &t) != nil {
		return Timing{}
	}
	ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	return Timing{t.PromptN, ms(t.Prompt), t.ReplyN, ms(t.Reply)}
}

// Unguarded is a Backend that can also ask without the words that keep its
// server from cutting a prompt, as a client would that takes no care. A reply to
// a prompt that was cut comes back as TooLong, with the tokens that were read.
type Unguarded interface {
	AskUnguarded(ctx context.Context, req Request) (Response, error)
}

var _ Unguarded = (*Ollama)(nil)

// AskUnguarded implements Unguarded.
func (o *Ollama) AskUnguarded(ctx context.Context, req Request) (Response, error) {
	return o.ask(ctx, req, nil)
}

// Loaded is what a server says of a model that it holds in memory.
type Loaded struct {
	Context int   `json:"context,omitempty"` // tokens, for each request
	Bytes   int64 `json:"bytes,omitempty"`
	GPU     int64 `json:"gpu_bytes"` // of them in the memory of a GPU
}

// Loader is a Backend whose server loads models when they are asked for, and
// tells what it loaded.
type Loader interface {
	// Loaded is false where the model is not in memory.
	Loaded(ctx context.Context, model string) (Loaded, bool, error)
}

var _ Loader = (*Ollama)(nil)

// Loaded implements Loader.
func (o *Ollama) Loaded(ctx context.Context, model string) (Loaded, bool, error) {
	x := &exchange{}
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	list, err := o.client.ListRunning(withExchange(limited, x))
	if err != nil {
		return Loaded{}, false, failure(ctx, x, err)
	}
	i := slices.IndexFunc(list.Models, func(m api.ProcessModelResponse) bool { return m.Name == model || m.Name == model+":latest" })
	if i < 0 {
		return Loaded{}, false, nil
	}
	m := list.Models[i]
	return Loaded{m.ContextLength, m.Size, m.SizeVRAM}, true, nil
}
