package judging

import (
	"cmp"
	"slices"
	"strings"

	"gavel/backends"
)

// Who decides that a reply is cut: here is all that follows from how a server says that a reply ended, in the words of
// backends/reply.go. What repeats itself until it is cut is found by [Record.Repeats].

// unfinished is the outcome of a reply that cannot hold a verdict, or "".
func unfinished(f backends.Finish, how Reading) Outcome {
	switch f {
	case backends.TooLong:
		return TooLong
	case backends.Refused:
		return Refused
	case backends.Length:
		if !how.AcceptCut {
			return Cut
		}
	}
	return ""
}

// cutBeforeVerdict tells whether a cut reply, whose verdict would be accepted, ended before it had one.
func cutBeforeVerdict(v Verdict, last Reply) bool {
	return v.Outcome == NoVerdict && last.Finish == backends.Length
}

// thoughtOut tells whether a reply thought to the token limit, and came to no text.
func thoughtOut(r backends.Response) bool {
	return r.Finish == backends.Length && strings.TrimSpace(r.Text) == "" && r.Thinking != ""
}

// Unheld tells whether a reply that was to be one of the labels runs on to the token limit: the server ignores that it
// is to be held to them.
func (r *Record) Unheld() bool {
	return slices.ContainsFunc(r.Replies, func(x Reply) bool {
		return x.Constrained && x.Finish == backends.Length && strings.TrimSpace(x.Text) != ""
	})
}

// contextLeft is how many tokens servers leave of a context that is full, at most.
const contextLeft = 8

// filled tells whether a record's last reply filled the context before it had the tokens that it may take.
func (m *Manifest) filled(r *Record) bool {
	if m == nil || len(r.Replies) == 0 {
		return false
	}
	last, p := r.Replies[len(r.Replies)-1], m.Spec.Parameters
	context := cmp.Or(p.NumCtx, m.Model.Context)
	return context > 0 && last.ReplyTokens < p.MaxTokens && last.PromptTokens+last.ReplyTokens >= context-contextLeft
}
