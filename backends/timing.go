package backends

import "time"

// Timing is how long a server says that it worked on one request; its parts are
// zero where it does not say. Time spent waiting or loading is no part of it.
type Timing struct {
	PromptTokens int // read for this request; llama.cpp leaves out those of its prompt cache
	Prompt       time.Duration
	ReplyTokens  int
	Reply        time.Duration
}
