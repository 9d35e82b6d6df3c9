package judging

import (
	"cmp"
	"slices"
	"strings"

	"gavel/backends"
)

// A reply is truncated if the server says so; backends/reply.go maps what servers report to a Finish, and this file
// derives the outcomes from it. [Record.EndsInLoop] finds replies that repeat themselves until they are truncated.

// unfinishedReplyOutcome maps the way a reply ended to PromptTooLong, Refused or, unless reading accepts verdicts in
// truncated replies, Truncated. It returns "" for a reply that can have a verdict.
func unfinishedReplyOutcome(f backends.Finish, reading ReadingOptions) Outcome {
	switch f {
	case backends.FinishPromptTooLong:
		return PromptTooLong
	case backends.FinishRefused:
		return Refused
	case backends.FinishLength:
		if !reading.AcceptTruncated {
			return Truncated
		}
	}
	return ""
}

// thinkingTruncated reports whether a reply reached the token limit while thinking, with no text yet.
func thinkingTruncated(r backends.Response) bool {
	return r.Finish == backends.FinishLength && strings.TrimSpace(r.Text) == "" && r.Thinking != ""
}

// IgnoresConstraint reports whether one of the replies that had to be a label and nothing else runs on to the token
// limit: the server ignores the constraint.
func (r *Record) IgnoresConstraint() bool {
	return slices.ContainsFunc(r.Replies, func(x Reply) bool {
		return x.Constrained && x.Finish == backends.FinishLength && strings.TrimSpace(x.Text) != ""
	})
}

// contextSlack is the number of tokens that a server may leave free in a full context.
const contextSlack = 8

// replyFilledContext reports whether a record's last reply filled the context before it reached its own token limit.
func (m *Manifest) replyFilledContext(r *Record) bool {
	if m == nil || len(r.Replies) == 0 {
		return false
	}
	last, p := r.LastReply(), m.Spec.Parameters
	context := cmp.Or(p.NumCtx, m.Model.Context)
	return context > 0 && last.ReplyTokens < p.MaxTokens && last.PromptTokens+last.ReplyTokens >= context-contextSlack
}
