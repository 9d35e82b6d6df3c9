package backends

import (
	"fmt"
	"strings"
	"unicode"
)

// LeastTokens is fewer tokens than any tokenizer in use makes of a conversation: one for each word. Tokenizers cut at
// white space before they look at letters; a piece may hold the space before a word, never two words. Signs do not
// count, since some pieces hold signs on both sides of a line's end.
func LeastTokens(messages []Message) int {
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

// MostTokens is more tokens than any tokenizer makes of a conversation: no token
// is shorter than a byte, and a chat template adds a few to each message.
func MostTokens(messages []Message) int {
	n := templateTokens
	for _, m := range messages {
		n += len(m.Content)
	}
	return n
}

// templateTokens is room for what chat templates put around messages.
const templateTokens = 256

// CutPrompt begins the detail of an answer to a prompt that the server had cut.
const CutPrompt = "the prompt was cut"

// checked refuses a reply whose server counted so few tokens that it cannot have read the whole conversation: it is no
// answer to what was asked. A server that does not count says nothing.
func checked(req Request, r Response) Response {
	least, how := LeastTokens(req.Messages), "one for each word"
	if req.PromptTokens > least {
		least, how = req.PromptTokens, "as its own tokenizer counts"
	}
	counted := r.PromptTokens
	if counted <= 0 || counted >= least {
		return r
	}
	said := fmt.Sprintf(CutPrompt+": the server read %d tokens of at least %d (%s)", counted, least, how)
	return Response{Finish: TooLong, Detail: said, Context: req.Context, PromptTokens: counted, Took: r.Took}
}
