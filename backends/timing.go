package backends

import "time"

// Timing holds the time that a server reports for its work on one request, without waiting and loading; zero if it
// reports none.
type Timing struct {
	PromptTokens int           // prompt tokens read in the time Prompt; llama.cpp does not count cached ones
	Prompt       time.Duration // time for reading the prompt
	ReplyTokens  int           // reply tokens written in the time Reply
	Reply        time.Duration // time for writing the reply
}
