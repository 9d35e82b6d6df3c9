package backends

import (
	"slices"
	"strings"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// SplitThinking takes the thinking off a reply: every <think>…</think>, an
// unclosed <think> to the end, and all before a </think> that nothing opened
// (templates that put the opening tag into the prompt). Text without either tag
// is returned as it is.
func SplitThinking(reply string) (text, thinking string) {
	var out, thought strings.Builder
	if before, after, closed := strings.Cut(reply, thinkClose); closed && !strings.Contains(before, thinkOpen) {
		thought.WriteString(before)
		reply = after
	}
	for opened := true; opened; {
		var before, inside string
		before, inside, opened = strings.Cut(reply, thinkOpen)
		out.WriteString(before)
		inside, reply, _ = strings.Cut(inside, thinkClose)
		thought.WriteString(inside)
	}
	text, thinking = out.String(), thought.String()
	if strings.Contains(text, thinkOpen) { // put together by what was taken from its middle
		more := ""
		text, more = SplitThinking(text)
		thinking += more
	}
	return text, thinking
}

// joinThinking joins thinking that came in a field of its own with thinking
// found in the text. Some versions of vLLM send it under two names.
func joinThinking(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if strings.TrimSpace(p) != "" && !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
