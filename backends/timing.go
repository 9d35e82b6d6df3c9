package backends

import "time"

// Timing holds the time that a server reports for its work on one request, without waiting and loading; zero if it
// reports none.
type Timing struct {
	PromptTokens int // read for this request; llama.cpp does not count cached ones
	Prompt       time.Duration
	ReplyTokens  int
	Reply        time.Duration
}
