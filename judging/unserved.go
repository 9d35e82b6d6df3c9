package judging

import (
	"fmt"
	"strings"

	"gavel/backends"
)

// Unserved counts judgments that have no verdict for want of the server or of room, and not by what the judge said.
type Unserved struct {
	Long int // prompts that did not fit
	// replies cut at the end of the context, before they had the tokens that they may take; not those that repeat
	// themselves, which more room would only make longer
	Short   int
	Refused int // replies that the server withheld
}

// Add counts a record of a run whose outcome is o.
func (u *Unserved) Add(m *Manifest, r *Record, o Outcome) {
	switch {
	case r.Imported != nil:
	case o == TooLong:
		u.Long++
	case o == Refused:
		u.Refused++
	case o == Cut && !r.Repeats() && m.filled(r):
		u.Short++
	}
}

// All is how many there are.
func (u Unserved) All() int { return u.Long + u.Short + u.Refused }

func (u Unserved) String() string {
	var said []string
	add := func(what string, n int) {
		if n > 0 {
			said = append(said, fmt.Sprintf("%s: %d", what, n))
		}
	}
	add("prompts that did not fit the context", u.Long)
	add("replies cut at the end of the context", u.Short)
	add("replies refused", u.Refused)
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
	case s.Can(backends.SetContext):
		return "begin a run with a larger --num-ctx, " + shorter
	}
	return "serve more context and " + again + ", " + shorter
}
