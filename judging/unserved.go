package judging

import (
	"fmt"
	"strings"

	"gavel/backends"
)

// Unserved counts judgments that have no verdict for want of the server or of room, and not by what the judge said.
type Unserved struct {
	Long    int // prompts that did not fit
	Short   int // replies cut before they had the tokens that they may take: at the end of the context, or by the server
	Refused int // replies that the server withheld
}

// Add counts a record whose outcome is o; most is the most tokens of a reply.
func (u *Unserved) Add(r *Record, o Outcome, most int) {
	switch {
	case r.Imported != nil:
	case o == TooLong:
		u.Long++
	case o == Refused:
		u.Refused++
	case o == Cut && len(r.Replies) > 0:
		if n := r.Replies[len(r.Replies)-1].ReplyTokens; n > 0 && n < most {
			u.Short++
		}
	}
}

// All is how many there are.
func (u Unserved) All() int { return u.Long + u.Short + u.Refused }

func (u Unserved) String() string {
	var said []string
	for _, one := range []struct {
		n    int
		text string
	}{
		{n: u.Long, text: "prompts that did not fit the context: %d"},
		{n: u.Short, text: "replies cut before --max-tokens, at the end of the context or by the server: %d"},
		{n: u.Refused, text: "replies refused: %d"},
	} {
		if one.n > 0 {
			said = append(said, fmt.Sprintf(one.text, one.n))
		}
	}
	return strings.Join(said, ", ")
}

// moreRoom is what makes room for prompts and replies.
const moreRoom = "serve more context (Ollama: --num-ctx), or choose a shorter --prompt or a lower --max-tokens"

// Advice is what to do about them, and how they are then asked for again.
func (u Unserved) Advice(s backends.Server, again string) string {
	const shorter = "or begin a run with a shorter --prompt or a lower --max-tokens"
	switch {
	case u.Long+u.Short == 0:
		return "to ask for them again, " + again
	case s.Kind == "ollama":
		return "begin a run with a larger --num-ctx, " + shorter
	}
	return "serve more context and " + again + ", " + shorter
}
