package judging

import (
	"fmt"
	"strings"

	"gavel/backends"
)

// Unserved counts judgments without a verdict because of the server or lack of room, not because of the judge's reply.
type Unserved struct {
	TooLong int // prompts that did not fit
	// replies truncated at the end of the context before their own token limit; not those that repeat
	// themselves, which more room would only make longer
	TruncatedReplies int
	Refused          int // replies that the server withheld
}

// Add counts a record of the run m, whose verdict was read as the outcome o.
func (u *Unserved) Add(m *Manifest, r *Record, o Outcome) {
	switch {
	case r.Imported != nil:
	case o == PromptTooLong:
		u.TooLong++
	case o == Refused:
		u.Refused++
	case o == Truncated && !r.EndsInLoop() && m.replyFilledContext(r):
		u.TruncatedReplies++
	}
}

// Total returns the sum of all counts.
func (u Unserved) Total() int { return u.TooLong + u.TruncatedReplies + u.Refused }

func (u Unserved) String() string {
	var parts []string
	add := func(label string, n int) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", label, n))
		}
	}
	add("prompts that did not fit the context", u.TooLong)
	add("replies cut at the end of the context", u.TruncatedReplies)
	add("replies refused", u.Refused)
	return strings.Join(parts, ", ")
}

// contextAdvice is the advice on how to make room for prompts and replies in the context.
const contextAdvice = "serve more context (Ollama: --num-ctx), or choose a shorter --prompt or a lower --max-tokens"

// Advice returns advice on what to change about these judgments on the server s; retry says how to ask for them again.
func (u Unserved) Advice(s backends.ServerInfo, retry string) string {
	const shorter = "or begin a run with a shorter --prompt or a lower --max-tokens"
	switch {
	case u.TooLong+u.TruncatedReplies == 0:
		return "to ask for them again, " + retry
	case s.Can(backends.SetsContext):
		return "begin a run with a larger --num-ctx, " + shorter
	}
	return "serve more context and " + retry + ", " + shorter
}
