package backends

import (
	"fmt"
	"strings"
	"unicode"
)

// LeastPromptTokens returns a lower bound of a conversation's tokens for any tokenizer in use: one for each word.
// Tokenizers split at white space first; a token may hold the space before a word, but never two words. Punctuation
// does not count, since some tokens hold signs on both sides of a line's end.
func LeastPromptTokens(messages []Message) int {
	isSpace := func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }
	isLetter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	n := 0
	for _, m := range messages {
		for word := range strings.FieldsFuncSeq(m.Content, isSpace) {
			if strings.ContainsFunc(word, isLetter) {
				n++
			}
		}
	}
	return n
}

// TokenUpperBound returns an upper bound of a conversation's tokens: no token is shorter than a byte, and a chat
// template adds a few to each message.
func TokenUpperBound(messages []Message) int {
	n := templateTokens
	for _, m := range messages {
		n += len(m.Content)
	}
	return n
}

// templateTokens is an allowance, in tokens, for the text that chat templates put around messages.
const templateTokens = 256

// PromptTruncatedPrefix begins Response.Detail if the server cut the prompt.
const PromptTruncatedPrefix = "the prompt was cut"

// rejectTruncatedPrompt replaces a reply by FinishPromptTooLong if its server counted too few tokens to have read the
// whole conversation. A server that does not count tokens is trusted.
func rejectTruncatedPrompt(req Request, r Response) Response {
	minimum, basis := LeastPromptTokens(req.Messages), "one for each word"
	if req.CountedPromptTokens > minimum {
		minimum, basis = req.CountedPromptTokens, "as its own tokenizer counts"
	}
	count := r.PromptTokens
	if count <= 0 || count >= minimum {
		return r
	}
	detail := fmt.Sprintf(PromptTruncatedPrefix+": the server read %d tokens of at least %d (%s)", count, minimum, basis)
	return Response{
		Finish:       FinishPromptTooLong,
		Detail:       detail,
		Context:      req.ReportedContextTokens,
		PromptTokens: count,
		Took:         r.Took,
	}
}
