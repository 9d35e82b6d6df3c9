package backends

import (
	"context"
	"time"
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

// Unguarded is a Backend that can also ask without the words that keep its server from cutting a prompt, as a client
// would that takes no care. A reply to a prompt that was cut comes back as TooLong, with the tokens that were read.
type Unguarded interface {
	AskUnguarded(ctx context.Context, req Request) (Response, error)
}

// Loaded is what a server says of a model that it holds in memory.
type Loaded struct {
	Context int   `json:"context,omitempty"` // tokens, for each request
	Bytes   int64 `json:"bytes,omitempty"`
	GPU     int64 `json:"gpu_bytes"` // of them in the memory of a GPU
}

// Loader is a Backend whose server loads models when they are asked for, and tells what it loaded.
type Loader interface {
	// Loaded is false where the model is not in memory.
	Loaded(ctx context.Context, model string) (Loaded, bool, error)
}
