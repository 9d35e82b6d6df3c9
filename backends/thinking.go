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
	if !strings.Contains(reply, thinkOpen) && !strings.Contains(reply, thinkClose) {
		return reply, ""
	}
	var out, thought strings.Builder
	if end := strings.Index(reply, thinkClose); end >= 0 {
		if begin := strings.Index(reply, thinkOpen); begin < 0 || begin > end {
			thought.WriteString(reply[:end])
			reply = reply[end+len(thinkClose):]
		}
	}
	for {
		begin := strings.Index(reply, thinkOpen)
		if begin < 0 {
			break
		}
		out.WriteString(reply[:begin])
		reply = reply[begin+len(thinkOpen):]
		end := strings.Index(reply, thinkClose)
		if end < 0 {
			thought.WriteString(reply)
			reply = ""
			break
		}
		thought.WriteString(reply[:end])
		reply = reply[end+len(thinkClose):]
	}
	out.WriteString(reply)
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
