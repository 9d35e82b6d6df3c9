package backends

import (
	"fmt"
	"strings"
)

// LeastTokens is fewer tokens than any tokenizer in use makes of a conversation: one for each word. Tokenizers cut at
// white space before they look at letters; a piece may hold the space before a word, never two words. Signs do not
// count, since some pieces hold signs on both sides of a line's end.
func LeastTokens(messages []Message) int {
	n := 0
	for i := range messages {
		text, inside := messages[i].Content, false
		for k := range len(text) {
			switch class[text[k]] {
			case space:
				inside = false
			case letter:
				if !inside {
					inside = true
					n++
				}
			}
		}
	}
	return n
}

// mostWords is no fewer than LeastTokens, and quick.
func mostWords(messages []Message) int {
	n := 0
	for i := range messages {
		n++
		for _, space := range []string{" ", "\n", "\t", "\r", "\v", "\f"} {
			n += strings.Count(messages[i].Content, space)
		}
	}
	return n
}

// What a byte of UTF-8 is to LeastTokens.
const (
	sign   = iota // or the middle of a character
	space         // of ASCII: others are rare, and a word more or less is no matter
	letter        // or digit, or the first byte of a character that mostly is one
)

var class = func() (c [256]byte) {
	for b := range 256 {
		switch {
		case b == ' ' || '\t' <= b && b <= '\r':
			c[b] = space
		case '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z':
			c[b] = letter
		case b >= 0xC3 && b <= 0xF4 && b != 0xE2 && b != 0xEF: // those two begin punctuation and symbols
			c[b] = letter
		}
	}
	return c
}()

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

// shrank tells whether a server that counted so many tokens cannot have read the whole conversation; said is what to
// say of it. A server that does not count says nothing.
func shrank(req Request, counted int) (said string, cut bool) {
	if counted >= max(req.PromptTokens, mostWords(req.Messages)) {
		return "", false // as nearly always: no need to count words one by one
	}
	least, how := LeastTokens(req.Messages), "one for each word"
	if req.PromptTokens > least {
		least, how = req.PromptTokens, "as its own tokenizer counts"
	}
	if counted <= 0 || counted >= least {
		return "", false
	}
	return fmt.Sprintf(CutPrompt+": the server read %d tokens of at least %d (%s)", counted, least, how), true
}

// checked refuses a reply to a prompt that shrank: it is no answer to what was asked.
func checked(req Request, r Response) Response {
	said, cut := shrank(req, r.PromptTokens)
	if !cut {
		return r
	}
	return Response{Finish: TooLong, Detail: said, Context: req.Context, PromptTokens: r.PromptTokens, Took: r.Took}
}
